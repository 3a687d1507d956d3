"""Counts of redundant features, compared with counts by hand."""

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.summaries.redundancy import (
    _rank_correlation,
    count_redundancy,
    same_order_as,
)
from mechaware.instruments.radar.feature_extraction.features import FEATURES


def table_of(columns: dict[str, np.ndarray], n: int) -> pd.DataFrame:
    """A feature table of `n` prompts; the features not in `columns` are constant."""
    return pd.DataFrame({name: columns.get(name, np.full(n, 7.0)) for name in FEATURES})


def test_redundancy_counts_constant_distinct_and_independent_features() -> None:
    # For positive x, the features x, x^2 and 1 - 2x order the prompts alike or in reverse, so they
    # are 1 distinct feature. Standardised, 1 - 2x is a multiple of x and x^2 is not: rank 2.
    x = np.random.default_rng(0).random(50) + 0.1
    varying = {"mean_confidence": x, "mean_entropy": x**2, "information_gain": 1 - 2 * x}
    counts = count_redundancy(table_of(varying, 50))

    assert counts.features == len(FEATURES)
    assert counts.constant == len(FEATURES) - 3
    assert counts.distinct == 1
    assert counts.rank == 2


def test_features_of_equal_or_reversed_order_are_named_after_the_first() -> None:
    x = np.random.default_rng(0).random(50) + 0.1
    other = np.random.default_rng(1).random(50)
    varying = {
        "mean_confidence": x,
        "mean_entropy": other,
        "max_confidence": x**2,
        "information_gain": 1 - 2 * x,
    }
    first_alike = same_order_as(table_of(varying, 50))

    assert first_alike["max_confidence"] == "mean_confidence"  # equal order
    assert first_alike["information_gain"] == "mean_confidence"  # reversed order
    assert first_alike["mean_entropy"] == "mean_entropy"  # another order
    assert first_alike["causal_path_length"] == "causal_path_length"  # constant: no order


def test_effective_rank_of_two_uncorrelated_features_is_two() -> None:
    varying = {
        "mean_confidence": np.array([1.0, 1, -1, -1]),
        "mean_entropy": np.array([1.0, -1, 1, -1]),
    }
    counts = count_redundancy(table_of(varying, 4))

    assert counts.distinct == 2
    assert counts.rank == 2
    # Each of two principal components has half of the variance: exp(-2 * 1/2 log 1/2) = 2.
    assert counts.effective == pytest.approx(2)


def test_rank_correlation_agrees_with_pandas() -> None:
    values = np.random.default_rng(1).normal(size=(40, len(FEATURES))).round(1)
    table = pd.DataFrame(values, columns=list(FEATURES))

    pd.testing.assert_frame_equal(_rank_correlation(table), table.corr("spearman"))
