"""Detectors from activations: RADAR's score by hand; learned detectors on noise, and on a planted direction."""

import numpy as np
import pandas as pd
import pytest

from mechaware.core.stats import area_under_roc
from mechaware.instruments.radar.detectors.activations import ISOLATION, RADAR, RADAR_REFITTED
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.detectors.made_evidence import (
    items_under_two_models,
    scored,
    tokens,
)

pytestmark = pytest.mark.usefixtures("few_trees")
N_ITEMS = 40
# Of two normal variables 4 standard deviations apart the higher one is larger with probability 0.998, if the direction
# is known exactly; it is learned from 64 rows.
PLANTED = 0.9


def test_radars_score_is_the_probability_of_recall() -> None:
    evidence = scored(tokens([-1]), tokens([-2]), p_recall=np.array([0.75, 0.125]))
    assert RADAR.score(evidence, 0).tolist() == [0.75, 0.125]


def test_the_row_at_the_ends_of_all_ranges_scores_highest() -> None:
    evidence = items_under_two_models(30, seed=1)
    evidence.features.iloc[17] = 9.0  # the others are standard normal
    scores = ISOLATION.score(evidence, 0)
    assert scores.argmax() == 17
    assert ((scores > 0) & (scores < 1)).all()


def two_rows_an_item(seed: int, shift: float = 0) -> Evidence:
    """Two rows of noise an item, one of them seen, whose first feature is `shift` standard deviations higher."""
    generator = np.random.default_rng(seed)
    seen = np.concatenate([generator.permutation([True, False]) for _ in range(N_ITEMS)])
    features = generator.normal(size=(2 * N_ITEMS, len(FEATURES)))
    features[seen, 0] += shift
    items = [f"item {row // 2}" for row in range(2 * N_ITEMS)]
    table = pd.DataFrame(features, columns=list(FEATURES))
    return Evidence(items, items, [tokens([-1])] * len(items), features=table, seen=seen)


def three_deviations(draws: int) -> float:
    """At least three standard deviations of the mean of that many AUROCs without information.

    The AUROC of m against m independent rows has the variance (2 m + 1) / (12 m^2) (Mann and Whitney). Only the 8 seen
    and 8 unseen rows of a fold are independent given their fit, which gives 17 / 768. The AUROC of all five folds
    varies no more than the AUROC of one.
    """
    return float(3 * np.sqrt(17 / 768 / draws))


def auroc(evidence: Evidence, scores: np.ndarray) -> float:
    return area_under_roc(scores[evidence.seen], scores[~evidence.seen])


def test_an_ensemble_refitted_on_noise_is_at_chance() -> None:
    areas = []
    for seed in range(4):
        evidence = two_rows_an_item(seed)
        areas.append(auroc(evidence, RADAR_REFITTED.score(evidence, seed)))
    assert abs(np.mean(areas) - 0.5) < three_deviations(4)


def test_a_planted_direction_is_found() -> None:
    evidence = two_rows_an_item(1, shift=4)
    assert auroc(evidence, RADAR_REFITTED.score(evidence, 1)) > PLANTED
