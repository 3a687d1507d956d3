"""Everything that detectors ask for, each as its own reader gives it, and what is refused."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch

from mechaware.instruments.radar.evidence.evidence import (
    OPTIONAL_FIELDS,
    Evidence,
    write_evidence,
)
from mechaware.instruments.radar.evidence.measuring import (
    MeasurementSettings,
    _exchange_words,
    _split_after,
    measure_items,
    states_and_features,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.planting import Planted
from tests.unit.models.tiny_llama import tiny_llama, with_start
from tests.unit.planted.twins.small_plan import plant_little

SETTINGS = MeasurementSettings(reduction="mean", specialised_head_entropy=1.5, samples=2, seed=0)
MANY = 10_000


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant_little(seed=0)


@pytest.fixture(scope="module")
def target(planted: Planted) -> TokenisedModel:
    tokenizer = with_start(line.text for line in planted.corpora["C"])
    return TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)


@pytest.fixture(scope="module")
def lines(planted: Planted) -> list[QuestionAnswer]:
    """Three questions and a statement."""
    return [
        *(item.line for item in planted.plan.items[:3]),
        QuestionAnswer("", "Lorak lives in Bamor."),
    ]


IDS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def everything(target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted) -> Evidence:
    """Measured with all that can be asked for."""
    held_out = planted.held_out
    fitting = [(line, kind) for kind, asked in held_out.fitting.items() for line in asked]
    return measure_items(
        target,
        lines,
        IDS,
        SETTINGS,
        reference=TokenisedModel(tiny_llama(target.tokenizer, seed=1), target.tokenizer, MANY),
        unseen=held_out.unseen,
        seen=held_out.seen,
        kinds=([line for line, _ in fitting], [kind for _, kind in fitting]),
    )


def test_what_was_not_asked_for_is_none(
    target: TokenisedModel, lines: list[QuestionAnswer], everything: Evidence
) -> None:
    alone = measure_items(target, lines, IDS, SETTINGS)
    absent = {name for name, value in alone._asdict().items() if value is None}
    of_others = {"anomaly", "corpus", "token_counts", "seen"}
    assert absent == {"reference", "gains", "after_unseen", "after_seen", "p_recall"} | of_others
    assert {name for name, value in everything._asdict().items() if value is None} == of_others


@pytest.mark.parametrize("field", OPTIONAL_FIELDS)
def test_an_optional_field_that_is_left_out_is_none_and_changes_no_other(
    target: TokenisedModel, lines: list[QuestionAnswer], tmp_path: Path, field: str
) -> None:
    whole = measure_items(target, lines, IDS, SETTINGS)
    assert getattr(whole, field) is not None

    others = [name for name in OPTIONAL_FIELDS if name != field]
    without = measure_items(target, lines, IDS, SETTINGS, optional=others)
    assert getattr(without, field) is None

    write_evidence(whole._replace(**{field: None}), tmp_path / "expected")
    write_evidence(without, tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_every_row_is_an_item_in_the_order_given(
    everything: Evidence, lines: list[QuestionAnswer]
) -> None:
    assert everything.texts == [line.text for line in lines]
    assert everything.groups == IDS
    for name, value in everything._asdict().items():
        assert value is None or len(value) == 4, name
    assert np.isfinite(everything.features[list(FEATURES)].to_numpy(float)).all()
    assert ((everything.p_recall >= 0) & (everything.p_recall <= 1)).all()


def test_scores_are_the_readers_of_the_model_the_reference_and_the_prefixes(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted
) -> None:
    reference = TokenisedModel(tiny_llama(target.tokenizer, seed=1), target.tokenizer, MANY)
    expected = {
        "scores": target.score(lines),
        "lowercase": target.score(
            [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
        ),
        "reference": reference.score(lines),
        "after_unseen": target.score(lines, planted.held_out.unseen),
        "after_seen": target.score(lines, planted.held_out.seen),
    }
    for name, rows in expected.items():
        for measured, own in zip(getattr(everything, name), rows, strict=True):
            np.testing.assert_array_equal(measured.ids, own.ids)
            np.testing.assert_array_equal(measured.log_probs, own.log_probs)


def test_states_are_those_after_each_block_at_the_last_token_of_the_question(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    assert everything.states.shape == (4, 2, 32)
    for row, ids in enumerate(target.prompt_ids(lines)):
        states: list[torch.Tensor] = []
        hooks = [
            block.register_forward_hook(
                lambda _module, _arguments, output, kept=states: kept.append(output)
            )
            for block in target.model.model.layers
        ]
        with torch.inference_mode():
            target.model(torch.tensor([ids]))
        for hook in hooks:
            hook.remove()
        last = np.stack([np.asarray(state[0, -1]) for state in states])
        np.testing.assert_allclose(everything.states[row], last, rtol=0, atol=1e-5)


def test_a_question_has_the_same_features_whatever_is_measured_beside_it(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    for row, line in enumerate(lines):
        _, alone = states_and_features(target, [line], SETTINGS)
        pd.testing.assert_frame_equal(
            alone, everything.features.iloc[[row]].reset_index(drop=True), rtol=1e-4, atol=1e-5
        )


def test_a_question_is_continued_from_its_end_and_a_statement_from_its_middle(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    *questions, statement = target.prompt_ids(lines)
    openings = [*questions, statement[: len(statement) // 2]]
    for sample, own in zip(
        everything.samples, target.continue_greedily(openings, 100), strict=True
    ):
        assert sample.greedy.tolist() == own.tolist()
        assert len(sample.drawn) == 2
    assert max(len(drawn) for sample in everything.samples for drawn in sample.drawn) == 100


def test_tokens_of_a_reference_are_compared_where_they_are_the_same(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    for gains, text, reference in zip(
        everything.gains, everything.scores, everything.reference, strict=True
    ):
        np.testing.assert_array_equal(gains, text.log_probs - reference.log_probs)
    tokenizer = with_start(["quite another text"])
    reference = TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)
    other = measure_items(target, lines, IDS, SETTINGS, reference=reference)
    assert other.gains is None
    for measured, own in zip(other.reference, reference.score(lines), strict=True):
        np.testing.assert_array_equal(measured.log_probs, own.log_probs)


def test_copies_have_the_words_of_the_text_in_another_order_and_the_seeds_draws(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    generator = random.Random(1)  # noqa: S311
    for line in lines:
        copy = _exchange_words(line.text, generator)
        assert sorted(copy.split(" ")) == sorted(line.text.split(" "))
        assert copy != line.text
    assert [_exchange_words(text, generator) for text in ("", "one", "a b")] == ["", "one", "b a"]
    assert [len(copies) for copies in everything.swapped] == [5] * 4
    again = measure_items(target, lines, IDS, SETTINGS)
    for copies, same in zip(everything.swapped, again.swapped, strict=True):
        for copy, other in zip(copies, same, strict=True):
            np.testing.assert_array_equal(copy, other)


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("is Rome What? blue", "What is Rome?", ("is Rome What?", " blue")),
        # The answer stood behind a line break, so that it is part of the question's last word.
        ("Ann? Who\nis", "Who?\nAnn is", ("Ann? Who\nis", "")),
        ("Rome is", "", ("", "Rome is")),
    ],
)
def test_a_copy_is_split_behind_as_many_words_as_its_question_has(
    text: str, question: str, expected: tuple[str, str]
) -> None:
    copy = _split_after(text, question)
    assert copy == expected
    assert copy.text == text
