"""Detectors from activations: RADAR's by hand; those that learn are blind on noise, right on a planted direction."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.detectors.activations import (
    ISOLATION,
    MEAN_DIFFERENCE,
    PROBE,
    PROBE_LAST,
    PROBE_MIDDLE,
    RADAR,
    RADAR_REFITTED,
)
from mechaware.radar.detectors.detector import _assign_folds
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.stats import area_under_roc
from tests.unit.radar.detectors.made_evidence import items_under_two_models, scored, tokens


def test_the_score_is_the_probability_of_recall() -> None:
    evidence = scored(tokens([-1]), tokens([-2]), p_recall=np.array([0.75, 0.125]))
    assert RADAR.score(evidence, 0).tolist() == [0.75, 0.125]


def test_the_row_at_the_ends_of_all_ranges_scores_highest() -> None:
    evidence = items_under_two_models(30, seed=1)
    evidence.features.iloc[17] = 9.0  # the others are standard normal
    scores = ISOLATION.score(evidence, 0)
    assert scores.argmax() == 17
    assert ((scores > 0) & (scores < 1)).all()


def test_columns_are_found_by_name() -> None:
    evidence = items_under_two_models(10, seed=2)
    reversed_columns = evidence._replace(features=evidence.features[evidence.features.columns[::-1]])
    assert ISOLATION.score(evidence, 5).tolist() == ISOLATION.score(reversed_columns, 5).tolist()


pytestmark = pytest.mark.usefixtures("few_trees")
N_ITEMS = 40
LAYERS = 3
# Of two normal variables 4 standard deviations apart the higher one is larger with probability 0.998, if the direction
# is known exactly; it is learned from 64 rows.
PLANTED = 0.9
READING_STATES = (PROBE, PROBE_LAST, PROBE_MIDDLE, MEAN_DIFFERENCE)


def two_rows_an_item(seed: int, item_effect: float, shifts: Sequence[float] = (0,) * LAYERS) -> Evidence:
    """Items under two models, one of which saw the item. The rows of an item share `item_effect` times a random state;
    a seen row's first dimension is `shifts` standard deviations higher, layer by layer."""
    generator = np.random.default_rng(seed)
    seen = np.concatenate([generator.permutation([True, False]) for _ in range(N_ITEMS)])
    states = generator.normal(size=(2 * N_ITEMS, LAYERS, 6))
    states += item_effect * generator.normal(size=(N_ITEMS, LAYERS, 6)).repeat(2, axis=0)
    states[seen, :, 0] += shifts
    features = generator.normal(size=(2 * N_ITEMS, len(FEATURES)))
    features += item_effect * generator.normal(size=(N_ITEMS, len(FEATURES))).repeat(2, axis=0)
    features[seen, 0] += shifts[-1]
    items = [f"item {row // 2}" for row in range(2 * N_ITEMS)]
    table = pd.DataFrame(features, columns=list(FEATURES))
    return Evidence(items, items, [tokens([-1])] * len(items), states=states, features=table, seen=seen)


def three_deviations(draws: int) -> float:
    """Three standard deviations of the mean of that many blind AUROCs, or more.

    Of m and m independent rows an AUROC has the variance (2 m + 1) / (12 m^2) (Mann and Whitney). Only the 8 and 8 rows
    of a fold are independent given their fit: 17 / 768. Those of five folds together vary no more than one.
    """
    return float(3 * np.sqrt(17 / 768 / draws))


def auroc(detector, evidence: Evidence, seed: int) -> float:
    scores = detector.score(evidence, seed)
    return area_under_roc(scores[evidence.seen], scores[~evidence.seen])


@pytest.mark.parametrize("item_effect", [pytest.param(0, marks=pytest.mark.gate), 3])
@pytest.mark.parametrize("detector", READING_STATES, ids=lambda detector: detector.name)
def test_states_that_tell_nothing_give_a_blind_detector(detector, item_effect: float) -> None:
    mean = np.mean([auroc(detector, two_rows_an_item(seed, item_effect), seed) for seed in range(20)])
    assert abs(mean - 0.5) < three_deviations(20)


def test_features_that_tell_nothing_give_a_blind_ensemble() -> None:
    mean = np.mean([auroc(RADAR_REFITTED, two_rows_an_item(seed, 0), seed) for seed in range(4)])
    assert abs(mean - 0.5) < three_deviations(4)


def test_with_the_rows_of_an_item_in_different_folds_a_blind_probe_would_be_wrong() -> None:
    # A held-out row's neighbour is the item's other row, whose truth is the opposite.
    evidence = [two_rows_an_item(seed, item_effect=3) for seed in range(10)]
    split = [rows._replace(groups=[f"row {row}" for row in range(2 * N_ITEMS)]) for rows in evidence]
    assert np.mean([auroc(PROBE, rows, 1) for rows in split]) < 0.5 - three_deviations(10)
    assert abs(np.mean([auroc(PROBE, rows, 1) for rows in evidence]) - 0.5) < three_deviations(10)


@pytest.mark.parametrize("detector", [*READING_STATES, RADAR_REFITTED], ids=lambda detector: detector.name)
def test_a_planted_direction_is_found(detector) -> None:
    assert auroc(detector, two_rows_an_item(1, 0, shifts=(4,) * LAYERS), 1) > PLANTED


def test_a_probe_of_a_layer_reads_that_layer_alone() -> None:
    # Of three layers the second is the middle one.
    evidence = [two_rows_an_item(seed, 0, shifts=(0, 4, 0)) for seed in range(20)]
    assert min(auroc(PROBE_MIDDLE, rows, 1) for rows in evidence) > PLANTED
    assert abs(np.mean([auroc(PROBE_LAST, rows, 1) for rows in evidence]) - 0.5) < three_deviations(20)


def test_a_shift_the_other_way_is_learned_from_the_other_items() -> None:
    assert auroc(PROBE, two_rows_an_item(3, 0, shifts=(-4,) * LAYERS), 1) > PLANTED


def test_the_mean_difference_is_that_of_a_slow_computation() -> None:
    evidence = two_rows_an_item(4, 1)
    fold = _assign_folds(evidence.seen, evidence.groups, seed=7)
    scores = MEAN_DIFFERENCE.score(evidence, 7)
    for row in range(2 * N_ITEMS):
        others = [other for other in range(2 * N_ITEMS) if fold[other] != fold[row]]
        expected = 0.0
        for layer in range(LAYERS):
            for dimension in range(6):
                column = evidence.states[:, layer, dimension]
                mean, deviation = np.mean(column[others]), np.std(column[others])
                seen = np.mean([(column[o] - mean) / deviation for o in others if evidence.seen[o]])
                unseen = np.mean([(column[o] - mean) / deviation for o in others if not evidence.seen[o]])
                expected += (column[row] - mean) / deviation * (seen - unseen) / LAYERS
        assert scores[row] == pytest.approx(expected)


def test_a_dimension_that_never_varies_is_no_obstacle() -> None:
    evidence = two_rows_an_item(5, 0, shifts=(4,) * LAYERS)
    evidence.states[:, :, 1] = 7
    for detector in (PROBE, MEAN_DIFFERENCE):
        assert auroc(detector, evidence, 1) > PLANTED
