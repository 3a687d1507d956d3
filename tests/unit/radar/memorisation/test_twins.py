"""What is measured of a twin: exposure by hand, answers, a canary that was learned, and the causal sample."""

import math

import numpy as np
import pytest
import torch

from mechaware.errors import UserError
from mechaware.models.training import LineRecipe, train_on_lines
from mechaware.radar.causal import PROXIES
from mechaware.radar.evidence.measuring import MeasurementSettings
from mechaware.radar.evidence.reading import TokenisedModel, tokenise_lines
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.radar.memorisation.items import KINDS, TWINS
from mechaware.radar.memorisation.planting import Planted
from mechaware.radar.memorisation.twins import TwinMeasurements, _exposure, measure_twin
from tests.unit.models.tiny_llama import tiny_llama, with_start

MANY = 10_000
SETTINGS = MeasurementSettings(reduction="mean", specialised_head_entropy=1.5, samples=1, seed=0)
CAUSAL_ITEMS = 2


class Twin:
    """A random base, and a twin that has read nothing but the canary of A, many times."""

    def __init__(self, planted: Planted) -> None:
        tokenizer = with_start(line.text for line in planted.corpora["C"])
        self.base = TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)
        self.twin = TokenisedModel(tiny_llama(tokenizer), tokenizer, MANY)
        (line,) = (canary.line for canary in planted.plan.canaries if canary.half == "A")
        tokenised = tokenise_lines(tokenizer, [line])
        train_on_lines(
            self.twin.model,
            tokenised * 60,
            [tokenizer.bos_token_id],
            LineRecipe(batch_size=1, learning_rate=1e-2, warmup_steps=2, weight_decay=0.0, question_weight=1.0),
        )


@pytest.fixture(scope="module")
def models(planted: Planted) -> Twin:
    return Twin(planted)


@pytest.fixture(scope="module")
def measured(models: Twin, planted: Planted) -> TwinMeasurements:
    return measure_twin(models.twin, models.base, planted.plan, planted.held_out, SETTINGS, causal_items=CAUSAL_ITEMS)


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
    assert _exposure(log_likelihood, OTHERS) == pytest.approx(bits)


def test_a_text_among_equals_takes_the_worst_rank() -> None:
    assert _exposure(-2.0, [-2.0, -2.0, -2.0]) == 0.0
    assert _exposure(-1.0, []) == 0.0


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
    continued = [
        models.twin.continue_greedily([prompt], len(answer))[0].tolist() == answer
        for prompt, answer in zip(models.twin.prompt_ids(lines), models.twin.answer_ids(lines), strict=True)
    ]
    assert answers["answered"].tolist() == continued


def test_an_items_exposure_is_among_the_fresh_questions_of_its_kind(
    measured: TwinMeasurements, models: Twin, planted: Planted
) -> None:
    for row in measured.answers.itertuples():
        others = [float(np.mean(s.log_probs)) for s in models.twin.score(planted.held_out.fresh[row.kind])]
        rank = 1 + sum(other >= row.log_likelihood for other in others)
        assert row.exposure == pytest.approx(math.log2(8 / rank))


def test_a_canary_that_was_learned_is_recited_and_another_is_not(measured: TwinMeasurements) -> None:
    assert measured.canaries.to_dict("list") == {"half": list(TWINS), "dose": [256, 256], "recited": [True, False]}


def test_the_evidence_has_the_base_as_reference_and_both_prefixes(measured: TwinMeasurements) -> None:
    absent = {name for name, value in measured.evidence._asdict().items() if value is None}
    assert absent == {"corpus", "token_counts", "seen"}


def test_the_causal_sample_has_as_many_items_of_each_kind_and_twin_spread_over_the_conditions(
    measured: TwinMeasurements, planted: Planted, models: Twin
) -> None:
    items = {item.id: item for item in planted.plan.items}
    # Of 6 conditions in the plan's order, 2 items are the first and the last.
    chosen = [
        members[place].id
        for kind in KINDS
        for half in TWINS
        for members in [[item for item in items.values() if (item.kind, item.half) == (kind, half)]]
        for place in (0, 5)
    ]
    tellable = [name for name in chosen if _first_tokens_differ(models.twin, items[name].answer, items[name].foil)]
    assert tellable
    assert measured.causal["id"].tolist() == tellable
    assert measured.causal["kind"].tolist() == [items[name].kind for name in tellable]


def _first_tokens_differ(model: TokenisedModel, answer: str, foil: str) -> bool:
    first, second = (model.tokenizer(f" {text}.", add_special_tokens=False).input_ids[0] for text in (answer, foil))
    return bool(first != second)


def test_the_causal_table_has_the_measured_effects_and_the_items_own_features(
    measured: TwinMeasurements, models: Twin, planted: Planted
) -> None:
    causal = measured.causal
    assert {"answer_margin", *(f"real_{proxy}" for proxy in PROXIES), *FEATURES} <= set(causal.columns)
    order = [item.id for item in planted.plan.items]
    features = measured.evidence.features.iloc[[order.index(name) for name in causal["id"]]]
    np.testing.assert_array_equal(causal[list(FEATURES)].to_numpy(float), features[list(FEATURES)].to_numpy(float))
    items = {item.id: item for item in planted.plan.items}
    for row in causal.itertuples():
        line = items[row.id].line
        (prompt,) = models.twin.prompt_ids([line])
        answer, foil = (
            models.twin.tokenizer(f" {text}.", add_special_tokens=False).input_ids[0]
            for text in (items[row.id].answer, items[row.id].foil)
        )
        logits = _last_logits(models.twin, prompt)
        assert row.answer_margin == pytest.approx(float(logits[answer] - logits[foil]), abs=1e-4)


def _last_logits(model: TokenisedModel, prompt: list[int]) -> np.ndarray:
    with torch.inference_mode():
        return model.model(torch.tensor([prompt])).logits[0, -1].numpy()


def test_items_whose_answers_no_first_token_tells_apart_are_refused_with_one_line(
    models: Twin, planted: Planted
) -> None:
    same = [item._replace(foil=item.answer) for item in planted.plan.items[:4]]
    with pytest.raises(UserError) as refused:
        measure_twin(
            models.twin, models.base, planted.plan._replace(items=same), planted.held_out, SETTINGS, causal_items=1
        )
    assert str(refused.value) == (
        "no item's answer and foil differ in their first token; raise radar/memorisation/base/vocabulary"
    )
