"""Every measured field of the evidence, against the function that measures this field alone."""

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
TOKENS_PER_BATCH = 10_000  # all lines in one pass


@pytest.fixture(scope="module")
def planted() -> Planted:
    return plant_little(seed=0)


@pytest.fixture(scope="module")
def target(planted: Planted) -> TokenisedModel:
    tokenizer = with_start(line.text for line in planted.corpora["C"])
    return TokenisedModel(tiny_llama(tokenizer), tokenizer, TOKENS_PER_BATCH)


@pytest.fixture(scope="module")
def lines(planted: Planted) -> list[QuestionAnswer]:
    """Three questions and a statement."""
    questions = [item.line for item in planted.plan.items[:3]]
    return [*questions, QuestionAnswer("", "Lorak lives in Bamor.")]


IDS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def all_evidence(target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted) -> Evidence:
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
        reference=TokenisedModel(
            tiny_llama(target.tokenizer, seed=1), target.tokenizer, TOKENS_PER_BATCH
        ),
        unseen=held_out.unseen,
        seen=held_out.seen,
        kinds=(prompts, labels),
    )


def absent_fields(evidence: Evidence) -> set[str]:
    return {name for name, value in evidence._asdict().items() if value is None}


def test_fields_are_none_if_what_they_need_is_not_given(
    target: TokenisedModel, lines: list[QuestionAnswer], all_evidence: Evidence
) -> None:
    never_measured = {"anomaly", "corpus", "token_counts", "seen"}
    assert absent_fields(all_evidence) == never_measured

    without_options = measure_items(target, lines, IDS, SETTINGS)
    need_an_option = {"reference", "gains", "after_unseen", "after_seen", "p_recall"}
    assert absent_fields(without_options) == need_an_option | never_measured


@pytest.mark.parametrize("field", OPTIONAL_FIELDS)
def test_an_optional_field_that_is_left_out_is_none_and_changes_no_other(
    target: TokenisedModel, lines: list[QuestionAnswer], tmp_path: Path, field: str
) -> None:
    with_field = measure_items(target, lines, IDS, SETTINGS)
    assert getattr(with_field, field) is not None

    others = [name for name in OPTIONAL_FIELDS if name != field]
    without_field = measure_items(target, lines, IDS, SETTINGS, optional=others)
    assert getattr(without_field, field) is None

    write_evidence(with_field._replace(**{field: None}), tmp_path / "expected")
    write_evidence(without_field, tmp_path / "measured")
    assert (tmp_path / "measured").read_bytes() == (tmp_path / "expected").read_bytes()


def test_every_row_is_an_item_in_the_order_given(
    all_evidence: Evidence, lines: list[QuestionAnswer]
) -> None:
    assert all_evidence.texts == [line.text for line in lines]
    assert all_evidence.groups == IDS
    for name, value in all_evidence._asdict().items():
        assert value is None or len(value) == 4, name
    assert np.isfinite(all_evidence.features[list(FEATURES)].to_numpy(float)).all()
    assert ((all_evidence.p_recall >= 0) & (all_evidence.p_recall <= 1)).all()


def test_lines_are_scored_by_the_model_by_the_reference_and_after_each_prefix(
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer], planted: Planted
) -> None:
    reference = TokenisedModel(
        tiny_llama(target.tokenizer, seed=1), target.tokenizer, TOKENS_PER_BATCH
    )
    lowercase = [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
    expected = {
        "scores": target.score(lines),
        "lowercase": target.score(lowercase),
        "reference": reference.score(lines),
        "after_unseen": target.score(lines, planted.held_out.unseen),
        "after_seen": target.score(lines, planted.held_out.seen),
    }
    for field, expected_texts in expected.items():
        measured_texts = getattr(all_evidence, field)
        for measured_text, expected_text in zip(measured_texts, expected_texts, strict=True):
            np.testing.assert_array_equal(measured_text.ids, expected_text.ids)
            np.testing.assert_array_equal(measured_text.log_probs, expected_text.log_probs)


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
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    assert all_evidence.states.shape == (4, 2, 32)
    for row, ids in enumerate(target.prompt_ids(lines)):
        expected = last_states(target, ids)
        np.testing.assert_allclose(all_evidence.states[row], expected, rtol=0, atol=1e-5)


def test_a_line_has_the_same_features_whatever_is_measured_beside_it(
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    for row, line in enumerate(lines):
        _, alone = states_and_features(target, [line], SETTINGS)
        pd.testing.assert_frame_equal(
            alone, all_evidence.features.iloc[[row]].reset_index(drop=True), rtol=1e-4, atol=1e-5
        )


def test_a_question_is_continued_from_its_end_and_a_statement_from_its_middle(
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    *questions, statement = target.prompt_ids(lines)
    openings = [*questions, statement[: len(statement) // 2]]
    greedy = target.continue_greedily(openings, 100)
    lengths = []
    for samples, expected in zip(all_evidence.samples, greedy, strict=True):
        assert samples.greedy.tolist() == expected.tolist()
        assert len(samples.drawn) == SETTINGS.samples
        lengths += [len(drawn) for drawn in samples.drawn]
    # A continuation is cut at 100 tokens if the text does not end before.
    assert max(lengths) == 100


def test_gains_over_a_reference_need_the_same_tokens(
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    for gains, text, reference_text in zip(
        all_evidence.gains, all_evidence.scores, all_evidence.reference, strict=True
    ):
        np.testing.assert_array_equal(gains, text.log_probs - reference_text.log_probs)

    # A tokenizer that is trained on another text splits the lines into other tokens.
    other_tokenizer = with_start(["quite another text"])
    other_reference = TokenisedModel(tiny_llama(other_tokenizer), other_tokenizer, TOKENS_PER_BATCH)
    evidence = measure_items(target, lines, IDS, SETTINGS, reference=other_reference)
    assert evidence.gains is None
    for measured, expected in zip(evidence.reference, other_reference.score(lines), strict=True):
        np.testing.assert_array_equal(measured.log_probs, expected.log_probs)


def test_each_text_has_five_copies_which_the_seed_determines(
    all_evidence: Evidence, target: TokenisedModel, lines: list[QuestionAnswer]
) -> None:
    assert [len(copies) for copies in all_evidence.swapped] == [5] * 4
    repeated = measure_items(target, lines, IDS, SETTINGS)
    for copies, repeated_copies in zip(all_evidence.swapped, repeated.swapped, strict=True):
        for copy, repeated_copy in zip(copies, repeated_copies, strict=True):
            np.testing.assert_array_equal(copy, repeated_copy)
