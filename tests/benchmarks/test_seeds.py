"""Runs of the same seeds on two machines are compared by their means over the shared seeds."""

import pandas as pd
import pytest

from benchmarks.seeds import compare, mean_over_seeds


def models(seeds: list[int], exact_match: list[float], r1: list[float]) -> pd.DataFrame:
    """A run's trained models as `models_of` makes their table, with only the columns compared.

    All models are trained with the schema. `exact_match` and `r1`, the share of pairs that pass R1,
    are in the order of `seeds`. The column `r3`, the share that passes R1 to R3, is 0.
    """
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
    """Only `one` has seed 3, and the seeds of `other` are in another order: 0 and 1 are compared.

    Of two values a and b the half-width is t |a - b| / 2, and t(1) at 97.5% is 12.7062.

    - exact_match: one 0.91 +- 0.1271 = (0.783, 1.037), other 0.705 +- 0.0635 = (0.641, 0.769). No
      overlap.
    - r1: one 0.52 +- 0.2541 = (0.266, 0.774), other 0.83 +- 0.3812 = (0.449, 1.211). They overlap.
    """
    t = 12.7062
    one = models([0, 1, 3], exact_match=[0.90, 0.92, 0.1], r1=[0.50, 0.54, 0.9])
    other = models([1, 0], exact_match=[0.70, 0.71], r1=[0.80, 0.86])

    compared = compare(one, other).set_index("quantity")

    assert compared["seeds"].tolist() == [2, 2, 2]
    columns = ["one", "one_low", "one_high", "other", "other_low", "other_high"]
    exact_match = compared.loc["exact_match"]
    assert exact_match[columns].tolist() == pytest.approx(
        [0.91, 0.91 - t * 0.01, 0.91 + t * 0.01, 0.705, 0.705 - t * 0.005, 0.705 + t * 0.005],
        abs=1e-5,
    )
    assert not exact_match["overlap"]

    r1 = compared.loc["r1"]
    assert r1[columns].tolist() == pytest.approx(
        [0.52, 0.52 - t * 0.02, 0.52 + t * 0.02, 0.83, 0.83 - t * 0.03, 0.83 + t * 0.03],
        abs=1e-5,
    )
    assert r1["overlap"]

    # For r3 all seeds have the same value: the intervals have no width.
    assert compared.loc["r3", columns].tolist() == [0, 0, 0, 0, 0, 0]


def test_one_shared_seed_has_no_interval() -> None:
    one = models([0, 1], exact_match=[0.9, 0.8], r1=[0.5, 0.25])
    other = models([1, 2], exact_match=[0.9, 0.8], r1=[0.5, 0.25])
    with pytest.raises(ValueError, match="train two or more"):
        compare(one, other)
