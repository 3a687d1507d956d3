"""The classifier of planted twins: which rows it is fitted on, and its scores by a minimiser.

`seeds` are the planted seeds of the rows. Each planted seed has its own items and two models.
"""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import optimize

from mechaware.instruments.radar.detectors.logistic import (
    score_transferred,
    score_within,
    standardise,
)

INVERSE_PENALTY = 0.1  # C, the weight of the losses against half the square of the coefficients
N_PER_SEED = 40  # rows: a seen and an unseen row of each of 20 items


class PlantedRows(NamedTuple):
    """Rows of each planted seed in turn, in which seen and unseen rows of an item alternate.

    With two seeds and two rows of each, `seen` is True, False, True, False; `items` is 0, 0, 1, 1;
    and `seeds` is 0, 0, 1, 1.
    """

    features: np.ndarray
    seen: np.ndarray
    items: list[str]
    seeds: np.ndarray


def planted(*, n_seeds: int) -> PlantedRows:
    """Three features of normal noise; seen rows are lower by 0.9 in the first."""
    n_rows = n_seeds * N_PER_SEED
    generator = np.random.default_rng(3)
    seen = np.tile([True, False], n_rows // 2)
    features = generator.normal(size=(n_rows, 3))
    features[:, 0] -= 0.9 * seen
    items = [str(row // 2) for row in range(n_rows)]
    return PlantedRows(features, seen, items, np.repeat(np.arange(n_seeds), N_PER_SEED))


def minimised_log_odds(training: np.ndarray, seen: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """The log odds x w + b of the tested rows, by a general minimiser.

    w and b minimise C * sum of log(1 + exp(-y (x w + b))) + ||w||^2 / 2 over the training rows,
    where y is 1 for seen and -1 for unseen rows.
    """
    sign = np.where(seen, 1.0, -1.0)

    def loss(parameters: np.ndarray) -> float:
        *weights, intercept = parameters
        margins = sign * (training @ np.array(weights) + intercept)
        return float(
            INVERSE_PENALTY * np.logaddexp(0, -margins).sum() + np.square(weights).sum() / 2
        )

    minimum = optimize.minimize(loss, np.zeros(training.shape[1] + 1), method="BFGS", tol=1e-9)
    *weights, intercept = minimum.x
    return np.asarray(tested @ np.array(weights) + intercept)


def test_a_feature_is_standardised_within_a_group_and_is_zero_where_it_is_constant() -> None:
    # Group x: 1, 2 and 6 (mean 3, deviation sqrt(14 / 3)); group y: 5 and 5.
    values = np.array([[1.0], [5.0], [2.0], [5.0], [6.0]])
    deviation = (14 / 3) ** 0.5
    expected = [-2 / deviation, 0.0, -1 / deviation, 0.0, 3 / deviation]
    assert standardise(values, list("xyxyx"))[:, 0].tolist() == pytest.approx(expected)


def test_a_seed_is_scored_by_a_fit_on_all_other_seeds() -> None:
    rows = planted(n_seeds=3)
    scores = score_transferred(rows.features, rows.seen, rows.seeds)
    for seed in range(3):
        own = rows.seeds == seed
        expected = minimised_log_odds(rows.features[~own], rows.seen[~own], rows.features[own])
        # Both minimisers stop a little before the minimum.
        assert scores[own].tolist() == pytest.approx(expected.tolist(), abs=1e-3)


def test_a_seeds_own_truth_has_no_part_in_its_transferred_scores() -> None:
    rows = planted(n_seeds=2)
    other_truth = np.where(rows.seeds == 1, ~rows.seen, rows.seen)
    before = score_transferred(rows.features, rows.seen, rows.seeds)
    after = score_transferred(rows.features, other_truth, rows.seeds)
    assert before[rows.seeds == 1].tolist() == after[rows.seeds == 1].tolist()
    assert before[rows.seeds == 0].tolist() != after[rows.seeds == 0].tolist()


def test_one_seed_transfers_nothing() -> None:
    rows = planted(n_seeds=1)
    assert np.isnan(score_transferred(rows.features, rows.seen, rows.seeds)).all()


def test_within_a_seed_an_item_is_scored_by_a_fit_without_its_rows() -> None:
    rows = planted(n_seeds=1)
    before = score_within(rows.features, rows.seen, rows.items, rows.seeds, seed=5)
    # The fit has learnt something: seen rows score higher in the mean.
    assert before[rows.seen].mean() > before[~rows.seen].mean() + 0.1

    # Exchange the truths of the first item's rows, 0 and 1: their scores do not change.
    exchanged = rows.seen.copy()
    exchanged[[0, 1]] = rows.seen[[1, 0]]
    after = score_within(rows.features, exchanged, rows.items, rows.seeds, seed=5)
    assert after[:2].tolist() == before[:2].tolist()


def test_the_truth_of_other_seeds_has_no_part_in_scores_within_a_seed() -> None:
    rows = planted(n_seeds=2)
    other_truth = np.where(rows.seeds == 1, ~rows.seen, rows.seen)
    before = score_within(rows.features, rows.seen, rows.items, rows.seeds, seed=5)
    after = score_within(rows.features, other_truth, rows.items, rows.seeds, seed=5)
    assert before[rows.seeds == 0].tolist() == after[rows.seeds == 0].tolist()
    assert before[rows.seeds == 1].tolist() != after[rows.seeds == 1].tolist()
