"""Effects of single features, and counts of redundant features, against numbers worked by hand."""

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.summaries.features import (
    _rank_correlation,
    _same_order_as,
    count_redundancy,
    summarise_features,
)
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from tests.unit.instruments.radar.tables import noise

INTERVALS = {"resamples": 200, "seed": 3, "confidence_level": 0.95}


def test_an_interval_of_an_effect_draws_pairs_whole() -> None:
    """Both prompts of a pair have the same features: drawn whole, the classes stay equal; drawn apart, they differ."""
    paired = noise(20, 2, paired=True)
    names = list(FEATURES)
    of_first_prompts = paired[names].iloc[::2].to_numpy()
    paired[names] = of_first_prompts.repeat(2, axis=0)

    rows = summarise_features(paired, **INTERVALS)

    assert rows[["cohens_d", "d_low", "d_high"]].abs().to_numpy().max() < 1e-9


def test_an_effect_lies_in_its_interval() -> None:
    rows = summarise_features(noise(20, 2), **INTERVALS)

    assert (rows["d_low"] < rows["cohens_d"]).all()
    assert (rows["cohens_d"] < rows["d_high"]).all()


def test_standard_deviations_by_class_divide_by_n_minus_1() -> None:
    """Recall 1, 2, 6: mean 3, variance (4 + 1 + 9) / 2. Reasoning 0, 4, 4, 8: mean 4, variance (16 + 16) / 3."""
    values = [1.0, 2.0, 6.0, 0.0, 4.0, 4.0, 8.0]
    table = noise(4, 1)[:7].assign(label=["recall"] * 3 + ["reasoning"] * 4, mean_confidence=values)
    row = summarise_features(table, **INTERVALS).set_index("feature").loc["mean_confidence"]
    moments = row[["recall_mean", "recall_sd", "reasoning_mean", "reasoning_sd"]].tolist()

    assert moments == pytest.approx([3, 7**0.5, 4, (32 / 3) ** 0.5])
    # Pooled: (2 * 7 + 3 * 32 / 3) / 5.
    assert row["cohens_d"] == pytest.approx(-1 / (46 / 5) ** 0.5)


def test_a_set_of_one_class_has_no_separation() -> None:
    recall = noise(20, 2).query("label == 'recall'").reset_index(drop=True)

    assert summarise_features(recall, **INTERVALS).empty


def table_of(columns: dict[str, np.ndarray], n: int) -> pd.DataFrame:
    """Features that are constant, except those given."""
    return pd.DataFrame({name: columns.get(name, np.full(n, 7.0)) for name in FEATURES})


def test_redundancy_counts_constant_distinct_and_independent_features() -> None:
    # Three varying features: x, its square on positive x (same order, yet independent), and -2x + 1 (dependent).
    x = np.random.default_rng(0).random(50) + 0.1
    varying = {"mean_confidence": x, "mean_entropy": x**2, "information_gain": 1 - 2 * x}
    counts = count_redundancy(table_of(varying, 50))

    assert (counts.features, counts.constant) == (len(FEATURES), len(FEATURES) - 3)
    assert (counts.distinct, counts.rank) == (1, 2)


def test_features_of_equal_or_reversed_order_are_named_after_the_first() -> None:
    x = np.random.default_rng(0).random(50) + 0.1
    other = np.random.default_rng(1).random(50)
    varying = {"mean_confidence": x, "mean_entropy": other, "information_gain": 1 - 2 * x}
    same = _same_order_as(table_of(varying, 50))

    assert same["information_gain"] == "mean_confidence"
    assert same["mean_entropy"] == "mean_entropy"
    assert same["causal_path_length"] == "causal_path_length"  # never varies, so orders nothing


def test_effective_rank_of_two_uncorrelated_features_is_two() -> None:
    varying = {
        "mean_confidence": np.array([1.0, 1, -1, -1]),
        "mean_entropy": np.array([1.0, -1, 1, -1]),
    }
    counts = count_redundancy(table_of(varying, 4))

    assert (counts.distinct, counts.rank) == (2, 2)
    assert counts.effective == pytest.approx(2)


def test_rank_correlation_agrees_with_pandas() -> None:
    values = np.random.default_rng(1).normal(size=(40, len(FEATURES))).round(1)
    table = pd.DataFrame(values, columns=list(FEATURES))

    pd.testing.assert_frame_equal(_rank_correlation(table), table.corr("spearman"))
