"""What is measured of a twin: exposure by hand, answers, and a canary that was learned."""

import math

import numpy as np
import pytest

from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.models.training import LineRecipe, train_on_lines
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planting import Planted
from mechaware.planted.twins.twins import TwinMeasurements, exposure_of, measure_twin
from tests.unit.models.tiny_llama import tiny_llama, with_start

MANY = 10_000
SETTINGS = MeasurementSettings(reduction="mean", specialised_head_entropy=1.5, samples=1, seed=0)


class Twin:
    """A random base, and a twin that has read nothing but the canary of A, many times."""

    def __init__(self, planted: Planted) -> None:
        tokenizer = with_start(line.text for line in planted.corpora["C"])
        self.base = TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)
        self.twin = TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)
        (line,) = (canary.line for canary in planted.plan.canaries if canary.half == "A")
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
def models(planted: Planted) -> Twin:
    return Twin(planted)


@pytest.fixture(scope="module")
def measured(models: Twin, planted: Planted) -> TwinMeasurements:
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


def test_answers_are_those_of_the_reader_and_likelihoods_means_over_tokens(
    measured: TwinMeasurements, models: Twin, planted: Planted
) -> None:
    lines = [item.line for item in planted.plan.items]
    answers = measured.answers
    assert answers["id"].tolist() == [item.id for item in planted.plan.items]
    assert answers["kind"].tolist() == [item.kind for item in planted.plan.items]
    for name, model in (("log_likelihood", models.twin), ("base_log_likelihood", models.base)):
        expected = [float(np.mean(scores.log_probs)) for scores in model.score(lines)]
        assert answers[name].tolist() == pytest.approx(expected)
    texts = models.twin.score(lines)
    lengths = map(len, models.twin.answer_ids(lines))
    of_parts = [
        (np.mean(s.log_probs[:-n]), np.mean(s.log_probs[-n:]))
        for s, n in zip(texts, lengths, strict=True)
    ]
    for place, name in enumerate(("question_log_likelihood", "answer_log_likelihood")):
        assert answers[name].tolist() == pytest.approx([float(parts[place]) for parts in of_parts])
    continued = [
        models.twin.continue_greedily([prompt], len(answer))[0].tolist() == answer
        for prompt, answer in zip(
            models.twin.prompt_ids(lines), models.twin.answer_ids(lines), strict=True
        )
    ]
    assert answers["answered"].tolist() == continued


def test_an_items_exposure_is_among_the_fresh_questions_of_its_kind(
    measured: TwinMeasurements, models: Twin, planted: Planted
) -> None:
    for row in measured.answers.itertuples():
        others = [
            float(np.mean(s.log_probs)) for s in models.twin.score(planted.held_out.fresh[row.kind])
        ]
        rank = 1 + sum(other >= row.log_likelihood for other in others)
        assert row.exposure == pytest.approx(math.log2(8 / rank))


def test_a_canary_that_was_learned_is_recited_and_another_is_not(
    measured: TwinMeasurements,
) -> None:
    assert measured.canaries.to_dict("list") == {
        "half": list(TWINS),
        "dose": [256, 256],
        "recited": [True, False],
    }


def test_the_evidence_has_the_base_as_reference_and_both_prefixes(
    measured: TwinMeasurements,
) -> None:
    absent = {name for name, value in measured.evidence._asdict().items() if value is None}
    assert absent == {"anomaly", "corpus", "token_counts", "seen"}
