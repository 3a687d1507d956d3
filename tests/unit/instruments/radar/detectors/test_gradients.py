"""Scores from norms of gradients, against values worked out by hand."""

import numpy as np

from mechaware.instruments.radar.detectors.gradients import (
    GRADIENT_NORM,
    MIN_K_PLUS_PLUS_WITH_GRADIENT,
)
from tests.unit.instruments.radar.detectors.made_evidence import scored, tokens


def test_a_small_gradient_counts_as_seen() -> None:
    evidence = scored(tokens([-1]), tokens([-1]), gradient_norms=np.array([3.0, 0.25]))
    assert GRADIENT_NORM.score(evidence, 0).tolist() == [-3, -0.25]


def test_ranks_by_min_k_plus_plus_and_by_the_gradient_are_summed() -> None:
    # One token each, with mean -2 and deviation 1: Min-K%++ is log p + 2, hence -2, 1, 0, 1.5 and -1.
    log_probs = [-4, -1, -2, -0.5, -3]
    norms = [1.0, 7.0, 2.0, 2.0, 0.5]
    rows = [tokens([log_prob], means=[-2], deviations=[1]) for log_prob in log_probs]
    evidence = scored(*rows, gradient_norms=np.array(norms))

    # From the lowest; two equal norms share the ranks 2 and 3.
    ranks_by_likelihood = np.array([1, 4, 3, 5, 2])
    ranks_by_gradient = np.array([4, 1, 2.5, 2.5, 5])
    expected = (ranks_by_likelihood + ranks_by_gradient) / 5
    np.testing.assert_allclose(MIN_K_PLUS_PLUS_WITH_GRADIENT.score(evidence, 0), expected)
