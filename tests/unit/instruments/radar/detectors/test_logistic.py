"""The classifier of planted twins on features of known truth, against a regression by a general minimiser."""

import numpy as np
import pytest
from scipy import optimize

from mechaware.instruments.radar.detectors.logistic import (
    score_transferred,
    score_within,
    standardise,
)

INVERSE_PENALTY = 0.1  # C, the weight of the losses against half the square of the coefficients


def test_a_feature_is_standardised_within_a_group_and_is_zero_where_it_is_constant() -> None:
    # Group x: 1, 2 and 6 (mean 3, deviation sqrt(14 / 3)); group y: 5 and 5.
    values = np.array([[1.0], [5.0], [2.0], [5.0], [6.0]])
    deviation = (14 / 3) ** 0.5
    expected = [-2 / deviation, 0.0, -1 / deviation, 0.0, 3 / deviation]
    assert standardise(values, list("xyxyx"))[:, 0].tolist() == pytest.approx(expected)


def planted(*, seeds: int, per_seed: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, truths and seeds of rows: seen rows are lower in the first of three features."""
    generator = np.random.default_rng(3)
    seen = np.tile([True, False], seeds * per_seed // 2)
    features = generator.normal(size=(seeds * per_seed, 3))
    features[:, 0] -= 0.9 * seen
    return features, seen, np.repeat(np.arange(seeds), per_seed)


def by_the_loss(training: np.ndarray, seen: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Log odds of the minimum of C * sum of log(1 + exp(-y (x w + b))) + ||w||^2 / 2, by a general minimiser."""
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


def test_a_seed_is_scored_by_a_fit_on_all_others() -> None:
    features, seen, seeds = planted(seeds=3)
    scores = score_transferred(features, seen, seeds)
    for seed in range(3):
        own = seeds == seed
        slow = by_the_loss(features[~own], seen[~own], features[own])
        assert scores[own].tolist() == pytest.approx(slow.tolist(), abs=1e-3)


def test_a_seeds_own_truth_has_no_part_in_its_transferred_scores() -> None:
    features, seen, seeds = planted(seeds=2)
    other_truth = np.where(seeds == 1, ~seen, seen)
    before = score_transferred(features, seen, seeds)
    after = score_transferred(features, other_truth, seeds)
    assert before[seeds == 1].tolist() == after[seeds == 1].tolist()
    assert before[seeds == 0].tolist() != after[seeds == 0].tolist()


def test_one_seed_transfers_nothing() -> None:
    features, seen, seeds = planted(seeds=1)
    assert np.isnan(score_transferred(features, seen, seeds)).all()


def test_within_a_seed_an_item_is_scored_by_a_fit_without_its_rows() -> None:
    features, seen, seeds = planted(seeds=1)
    items = [str(row // 2) for row in range(len(seen))]  # a seen and an unseen row of each item
    before = score_within(features, seen, items, seeds, seed=5)
    assert before[seen].mean() > before[~seen].mean() + 0.1

    # With the truths of the first item's rows exchanged, the scores of these rows stay.
    exchanged = seen.copy()
    exchanged[:2] = [False, True]
    after = score_within(features, exchanged, items, seeds, seed=5)
    assert after[:2].tolist() == before[:2].tolist()


def test_within_a_seed_other_seeds_have_no_part_in_its_scores() -> None:
    features, seen, seeds = planted(seeds=2)
    items = [str(row // 2) for row in range(len(seen))]
    other_truth = np.where(seeds == 1, ~seen, seen)
    before = score_within(features, seen, items, seeds, seed=5)
    after = score_within(features, other_truth, items, seeds, seed=5)
    assert before[seeds == 0].tolist() == after[seeds == 0].tolist()
    assert before[seeds == 1].tolist() != after[seeds == 1].tolist()
