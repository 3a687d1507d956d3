"""Runs of the same seeds on two machines, compared by hand."""

import pandas as pd
import pytest

from benchmarks.seeds import compare, mean_over_seeds


def models(seeds: list[int], exact_match: list[float]) -> pd.DataFrame:
    """Models with the schema; all pass R1 in a quarter of the pairs, but for the first in a half."""
    r1 = [0.5] + [0.25] * (len(seeds) - 1)
    return pd.DataFrame(
        {
            "condition": "schema",
            "seed": seeds,
            "exact_match": exact_match,
            "r1": r1,
            "r3": 0.0,
        }
    )


def test_a_mean_over_three_seeds_has_a_t_interval() -> None:
    # Mean 0.9, squared deviations 0.01 + 0.0004 + 0.0064 = 0.0168; t(2) at 97.5% is 4.302653.
    mean = mean_over_seeds(pd.Series([0.8, 0.92, 0.98]))
    assert mean.mean == pytest.approx(0.9)
    assert mean.high - mean.mean == pytest.approx(4.302653 * (0.0168 / 2 / 3) ** 0.5)
    assert mean.low + mean.high == pytest.approx(1.8)


def test_seeds_that_both_runs_have_are_compared() -> None:
    """Seed 3 is in one run alone, and seeds stand in another order in the other."""
    one = models([0, 1, 3], [0.90, 0.92, 0.1])
    other = models([1, 0], [0.70, 0.71])

    compared = compare(one, other).set_index("quantity")

    assert compared["seeds"].tolist() == [2, 2, 2]
    # Of 0.90 and 0.92 half the difference is 0.01, and t(1) is 12.7062: 0.7829 to 1.0371, above 0.705 + 0.0635.
    exact_match = compared.loc["exact_match"]
    assert exact_match["one_low"] == pytest.approx(0.91 - 12.7062 * 0.01, abs=1e-5)
    assert exact_match["other_high"] == pytest.approx(0.705 + 12.7062 * 0.005, abs=1e-5)
    assert not exact_match["overlap"]
    assert compared.loc["r1", "overlap"]
    assert compared.loc["r3", ["one", "one_low", "other_high"]].tolist() == [0, 0, 0]


def test_one_shared_seed_has_no_interval() -> None:
    with pytest.raises(ValueError, match="train two or more"):
        compare(models([0, 1], [0.9, 0.8]), models([1, 2], [0.9, 0.8]))
