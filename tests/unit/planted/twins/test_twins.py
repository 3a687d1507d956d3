"""The measurements of a twin: exposure by hand, answers, and a canary that was learned."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.training import LineRecipe, train_on_lines
from mechaware.planted.twins.planting import Planted
from mechaware.planted.twins.twins import TwinMeasurements, exposure_of, measure_twin
from tests.unit.models.tiny_llama import tiny_llama, with_start

TOKENS_PER_BATCH = 10_000
SETTINGS = MeasurementSettings(reduction="mean", specialised_head_entropy=1.5, samples=1, seed=0)


class Models:
    """A random base, and a twin that has read nothing but the canary of A, 60 times."""

    def __init__(self, planted: Planted) -> None:
        tokenizer = with_start(line.text for line in planted.corpora["C"])
        self.base = TokenisedModel(tiny_llama(tokenizer), tokenizer, TOKENS_PER_BATCH)
        self.twin = TokenisedModel(tiny_llama(tokenizer), tokenizer, TOKENS_PER_BATCH)
        (line,) = [canary.line for canary in planted.plan.canaries if canary.half == "A"]
        tokenised = self.twin.lines_with_end([line])
        train_on_lines(
            self.twin.model,
            tokenised * 60,
            [tokenizer.bos_token_id],
            LineRecipe(
                batch_size=1,
                learning_rate=1e-2,
                warmup_steps=2,
                weight_decay=0.0,
            ),
        )


@pytest.fixture(scope="module")
def models(planted: Planted) -> Models:
    return Models(planted)


@pytest.fixture(scope="module")
def measured(models: Models, planted: Planted) -> TwinMeasurements:
    return measure_twin(models.twin, models.base, planted.plan, planted.held_out, SETTINGS)


OTHERS = [-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0]  # 7 others: 8 candidates


@pytest.mark.parametrize(
    ("log_likelihood", "bits"),
    [
        (-1.0, 3.0),  # rank 1 of 8: log2(8 / 1)
        (-2.5, 2.0),  # rank 2
        (-4.5, 1.0),  # rank 4
        (-9.0, 0.0),  # rank 8
        (-2.0, 2.0),  # as likely as the likeliest other: the worse rank, 2
        (-8.0, 0.0),  # as likely as the least likely other: rank 8
    ],
)
def test_exposure_by_hand(log_likelihood: float, bits: float) -> None:
    assert exposure_of(log_likelihood, OTHERS) == pytest.approx(bits)


def mean_log_probs(model: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[float]:
    return [float(np.mean(scores.log_probs)) for scores in model.score(lines)]


def test_the_rows_of_answers_are_the_items_in_the_order_of_the_plan(
    measured: TwinMeasurements, planted: Planted
) -> None:
    assert measured.answers["id"].tolist() == [item.id for item in planted.plan.items]
    assert measured.answers["kind"].tolist() == [item.kind for item in planted.plan.items]


def test_log_likelihoods_are_means_over_the_tokens_of_the_text_the_question_and_the_answer(
    measured: TwinMeasurements, models: Models, planted: Planted
) -> None:
    lines = [item.line for item in planted.plan.items]
    answers = measured.answers
    assert answers["log_likelihood"].tolist() == pytest.approx(mean_log_probs(models.twin, lines))
    of_base = mean_log_probs(models.base, lines)
    assert answers["base_log_likelihood"].tolist() == pytest.approx(of_base)

    of_questions = []
    of_answers = []
    answer_ids = models.twin.answer_ids(lines)
    for scores, ids in zip(models.twin.score(lines), answer_ids, strict=True):
        of_questions.append(float(np.mean(scores.log_probs[: -len(ids)])))
        of_answers.append(float(np.mean(scores.log_probs[-len(ids) :])))
    assert answers["question_log_likelihood"].tolist() == pytest.approx(of_questions)
    assert answers["answer_log_likelihood"].tolist() == pytest.approx(of_answers)


def test_an_item_is_answered_if_the_twin_continues_its_question_greedily_with_its_answer(
    measured: TwinMeasurements, models: Models, planted: Planted
) -> None:
    lines = [item.line for item in planted.plan.items]
    prompts = models.twin.prompt_ids(lines)
    expected = []
    for prompt, answer in zip(prompts, models.twin.answer_ids(lines), strict=True):
        (continuation,) = models.twin.continue_greedily([prompt], len(answer))
        expected.append(continuation.tolist() == answer)
    assert measured.answers["answered"].tolist() == expected


def test_an_items_exposure_is_among_the_fresh_questions_of_its_kind(
    measured: TwinMeasurements, models: Models, planted: Planted
) -> None:
    """There are 7 fresh questions of a kind: with the item, 8 candidates."""
    for row in measured.answers.itertuples():
        others = mean_log_probs(models.twin, planted.held_out.fresh[row.kind])
        assert len(others) == 7
        rank = 1 + sum(other >= row.log_likelihood for other in others)
        assert row.exposure == pytest.approx(math.log2(8 / rank))


def test_a_canary_that_was_learned_is_recited_and_another_is_not(
    measured: TwinMeasurements,
) -> None:
    assert measured.canaries.to_dict("list") == {
        "half": ["A", "B"],
        "dose": [256, 256],
        "recited": [True, False],
    }


def test_the_evidence_has_all_that_is_measured_of_one_twin(
    measured: TwinMeasurements,
) -> None:
    """`anomaly` is for suspected items alone; the other absent fields are set for scoring."""
    absent = {name for name, value in measured.evidence._asdict().items() if value is None}
    assert absent == {"anomaly", "corpus", "token_counts", "seen"}
