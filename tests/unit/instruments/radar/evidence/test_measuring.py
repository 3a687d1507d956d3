"""Every field of the evidence that is measured under a model, against the function that measures it alone."""

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
    questions = [item.line for item in planted.plan.items[:3]]
    return [*questions, QuestionAnswer("", "Lorak lives in Bamor.")]


IDS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def everything(target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted) -> Evidence:
    """The evidence with every field that can be measured."""
    held_out = planted.held_out
    prompts: list[QuestionAnswer] = []
    labels: list[str] = []
    for kind, kind_prompts in held_out.fitting.items():
        prompts += kind_prompts
        labels += [kind] * len(kind_prompts)
    return measure_items(
        target,
        lines,
        IDS,
        SETTINGS,
        reference=TokenisedModel(tiny_llama(target.tokenizer, seed=1), target.tokenizer, MANY),
        unseen=held_out.unseen,
        seen=held_out.seen,
        kinds=(prompts, labels),
    )


def test_what_was_not_asked_for_is_none(
    target: TokenisedModel, lines: list[QuestionAnswer], everything: Evidence
) -> None:
    alone = measure_items(target, lines, IDS, SETTINGS)
    absent = {name for name, value in alone._asdict().items() if value is None}
    never_measured = {"anomaly", "corpus", "token_counts", "seen"}
    not_asked_for = {"reference", "gains", "after_unseen", "after_seen", "p_recall"}
    assert absent == not_asked_for | never_measured
    assert {name for name, value in everything._asdict().items() if value is None} == never_measured


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


def test_scores_are_of_the_model_of_the_reference_and_after_each_prefix(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted
) -> None:
    reference = TokenisedModel(tiny_llama(target.tokenizer, seed=1), target.tokenizer, MANY)
    lowercase = [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
    expected = {
        "scores": target.score(lines),
        "lowercase": target.score(lowercase),
        "reference": reference.score(lines),
        "after_unseen": target.score(lines, planted.held_out.unseen),
        "after_seen": target.score(lines, planted.held_out.seen),
    }
    for name, rows in expected.items():
        for measured, alone in zip(getattr(everything, name), rows, strict=True):
            np.testing.assert_array_equal(measured.ids, alone.ids)
            np.testing.assert_array_equal(measured.log_probs, alone.log_probs)


def last_states(target: TokenisedModel, ids: list[int]) -> np.ndarray:
    """The outputs of the blocks at the last token (layer, d_model), caught by hooks."""
    states: list[np.ndarray] = []

    def keep(_block: object, _arguments: object, output: torch.Tensor) -> None:
        states.append(np.asarray(output[0, -1]))

    hooks = [block.register_forward_hook(keep) for block in target.model.model.layers]
    with torch.inference_mode():
        target.model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    return np.stack(states)


def test_states_are_taken_after_each_block_at_the_last_token_of_the_question(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    assert everything.states.shape == (4, 2, 32)
    for row, ids in enumerate(target.prompt_ids(lines)):
        expected = last_states(target, ids)
        np.testing.assert_allclose(everything.states[row], expected, rtol=0, atol=1e-5)


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
    lengths = []
    continued = target.continue_greedily(openings, 100)
    for sample, expected in zip(everything.samples, continued, strict=True):
        assert sample.greedy.tolist() == expected.tolist()
        assert len(sample.drawn) == 2
        lengths += [len(drawn) for drawn in sample.drawn]
    assert max(lengths) == 100


def test_gains_over_a_reference_need_the_same_tokens(
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
    for measured, alone in zip(other.reference, reference.score(lines), strict=True):
        np.testing.assert_array_equal(measured.log_probs, alone.log_probs)


def test_a_copy_has_the_words_of_the_text_in_another_order(lines: list[QuestionAnswer]) -> None:
    generator = random.Random(1)  # noqa: S311
    for line in lines:
        copy = _exchange_words(line.text, generator)
        assert sorted(copy.split(" ")) == sorted(line.text.split(" "))
        assert copy != line.text
    assert _exchange_words("", generator) == ""
    assert _exchange_words("one", generator) == "one"
    assert _exchange_words("a b", generator) == "b a"


def test_each_text_has_five_copies_which_the_seed_determines(
    everything: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    assert [len(copies) for copies in everything.swapped] == [5] * 4
    again = measure_items(target, lines, IDS, SETTINGS)
    for copies, same in zip(everything.swapped, again.swapped, strict=True):
        for copy, other in zip(copies, same, strict=True):
            np.testing.assert_array_equal(copy, other)


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("is Rome What? blue", "What is Rome?", ("is Rome What?", " blue")),
        # Words are separated by spaces: a line break joins the last word of the question and the answer.
        ("Ann? Who\nis", "Who?\nAnn is", ("Ann? Who\nis", "")),
        ("Rome is", "", ("", "Rome is")),
    ],
)
def test_the_question_of_a_copy_has_as_many_words_as_the_question_of_the_text(
    text: str, question: str, expected: tuple[str, str]
) -> None:
    copy = _split_after(text, question)
    assert copy == expected
    assert copy.text == text
