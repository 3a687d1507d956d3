"""Detectors from activations: RADAR's score, an outlier, and learning from noise or a signal."""

import numpy as np
import pandas as pd
import pytest

from mechaware.core.stats.roc import area_under_roc
from mechaware.instruments.radar.detectors.activations import ISOLATION, RADAR, RADAR_REFITTED
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.detectors.made_evidence import (
    items_under_two_models,
    scored,
    tokens,
)

pytestmark = pytest.mark.usefixtures("few_trees")  # a small ensemble saves time
# Items of two rows each. Of five folds of 8 items, an ensemble is fitted on four, 64 rows.
N_ITEMS = 40
SEED = 0  # of a detector's own draws


def test_radars_score_is_the_probability_of_recall() -> None:
    # RADAR reads the field `p_recall` and no token scores.
    any_tokens = tokens([-1])
    evidence = scored(any_tokens, any_tokens, p_recall=np.array([0.75, 0.125]))
    assert RADAR.score(evidence, SEED).tolist() == [0.75, 0.125]


def test_the_row_at_the_ends_of_all_ranges_scores_highest() -> None:
    evidence = items_under_two_models(30, seed=1)
    # The features of the 60 rows, 30 items under two models, are standard normal. Those of row 17
    # become 9, nine standard deviations from their mean.
    evidence.features.iloc[17] = 9.0
    scores = ISOLATION.score(evidence, SEED)
    assert scores.argmax() == 17
    assert ((scores > 0) & (scores < 1)).all()


def two_rows_an_item(seed: int, shift: float = 0) -> Evidence:
    """Two rows of noise for each item; one row, drawn at random, was seen.

    The first feature of seen rows is `shift` standard deviations higher.
    """
    generator = np.random.default_rng(seed)
    seen = np.concatenate([generator.permutation([True, False]) for _ in range(N_ITEMS)])
    features = generator.normal(size=(2 * N_ITEMS, len(FEATURES)))
    features[seen, 0] += shift
    items = [f"item {row // 2}" for row in range(2 * N_ITEMS)]
    table = pd.DataFrame(features, columns=list(FEATURES))
    return Evidence(
        texts=items,
        groups=items,
        scores=[tokens([-1])] * len(items),  # not read by these detectors
        features=table,
        seen=seen,
    )


def three_deviations(draws: int) -> float:
    """An upper bound on three standard deviations of the mean of `draws` AUROCs at chance.

    The AUROC of m against m independent rows has the variance (2 m + 1) / (12 m^2) at chance (Mann
    and Whitney). Given the ensemble that scores a fold, the 8 seen and 8 unseen rows of the fold
    are independent, so the variance for a fold is 17 / 768. The scores of two folds are not
    independent, but the AUROC of all five folds varies no more than the AUROC of one fold.
    """
    variance_of_a_fold = 17 / 768
    return float(3 * np.sqrt(variance_of_a_fold / draws))


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
    # The larger of two normal variables 4 standard deviations apart is the one with the higher mean
    # with probability 0.998 (the normal distribution at 4 / sqrt 2). That is the AUROC of the first
    # feature by itself. The ensemble may reach less: it has to learn from 64 rows which of the 37
    # features was shifted.
    assert auroc(evidence, RADAR_REFITTED.score(evidence, 1)) > 0.9
