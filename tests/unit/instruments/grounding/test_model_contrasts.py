"""Models with the schema and without it contrasted over seeds, on values counted by hand."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd
import pytest

from mechaware.instruments.grounding.training_conditions import contrast_models
from tests.unit.instruments.grounding.gaps_by_hand import CONTRASTED


class Model(NamedTuple):
    """The measurements of a trained model.

    - `gaps`: the gaps of the pairs `a` and `b`.
    - `passes`: whether each of the two pairs passes; every verdict is alike.
    - `exact_match`: the share of requests that are answered exactly.
    """

    gaps: tuple[float, float]
    passes: tuple[bool, bool]
    exact_match: float


# The criterion of training was not met in this seed.
SEED_WITHOUT_CRITERION = 5
# By seed and condition.
MODELS = {
    0: {
        "schema": Model((3.0, 2.0), (True, True), 0.95),
        "no_schema": Model((1.0, 0.0), (True, False), 0.8),
    },
    SEED_WITHOUT_CRITERION: {
        "schema": Model((2.0, 1.0), (False, False), 0.7),
        "no_schema": Model((0.5, 0.5), (True, False), 0.75),
    },
    7: {
        "schema": Model((1.0, 0.6), (True, False), 0.97),
        "no_schema": Model((0.4, 0.0), (False, False), 0.81),
    },
}


def contrasts(seeds: Iterable[int] = tuple(MODELS), confidence_level: float = 0.95) -> pd.DataFrame:
    """The contrasts of MODELS in `seeds`, by set of models and quantity.

    The table of verdicts also has the control grounded_2: it was trained in no condition and must
    not count.
    """
    rules = [{"run": "grounded_2", "pair": "a", "delta": 9.0} | dict.fromkeys(CONTRASTED, True)]
    trained = []
    for seed in seeds:
        for condition, model in MODELS[seed].items():
            run = f"{condition}-s{seed}"
            for pair, gap, passed in zip("ab", model.gaps, model.passes, strict=True):
                verdicts = dict.fromkeys(CONTRASTED, passed)
                rules.append({"run": run, "pair": pair, "delta": gap} | verdicts)
            trained.append(
                {
                    "run": run,
                    "condition": condition,
                    "seed": seed,
                    "met_criterion": seed != SEED_WITHOUT_CRITERION,
                    "exact_match": model.exact_match,
                }
            )
    table = contrast_models(
        pd.DataFrame(rules), pd.DataFrame(trained), confidence_level=confidence_level
    )
    return table.set_index(["models", "quantity"])


def test_models_are_compared_within_seeds_with_an_interval_over_seeds() -> None:
    row = contrasts().loc[("all", "delta")]

    # Means over pairs, by seed: 2.5, 1.5, 0.8 with the schema, and 0.5, 0.5, 0.2 without it.
    assert row["schema"] == pytest.approx(4.8 / 3)
    assert row["no_schema"] == pytest.approx(1.2 / 3)

    # Differences 2, 1, 0.6: mean 1.2, squared deviations 0.64 + 0.04 + 0.36 = 1.04.
    # The t distribution with 2 degrees of freedom has its 97.5% point at 4.302653.
    reach = 4.302653 * (1.04 / 2 / 3) ** 0.5
    assert row["difference"] == pytest.approx(1.2)
    assert row["low"] == pytest.approx(1.2 - reach)
    assert row["high"] == pytest.approx(1.2 + reach)
    assert row["smallest"] == pytest.approx(reach)
    assert row["lowest"] == pytest.approx(0.6)
    assert row["highest"] == pytest.approx(2.0)
    assert row["seeds"] == 3


def test_the_interval_of_a_difference_of_shares_ends_at_minus_1_and_1() -> None:
    row = contrasts().loc[("all", "r3")]

    # Shares by seed: 1, 0, 0.5 with the schema, and 0.5, 0.5, 0 without it. Differences 0.5, -0.5,
    # 0.5: mean 1/6, squared deviations 1/9 + 4/9 + 1/9.
    reach = 4.302653 * (6 / 9 / 2 / 3) ** 0.5
    assert row["difference"] == pytest.approx(1 / 6)
    assert row["smallest"] == pytest.approx(reach)
    assert reach > 1
    assert row["low"] == -1
    assert row["high"] == 1


def test_exact_match_is_contrasted_as_shares_are() -> None:
    table = contrasts()

    # 0.95 - 0.8 = 0.15, 0.7 - 0.75 = -0.05 and 0.97 - 0.81 = 0.16 sum to 0.26.
    assert table.loc[("all", "exact_match"), "difference"] == pytest.approx(0.26 / 3)
    assert table.loc["all"].index.tolist() == ["exact_match", "delta", *CONTRASTED]


def test_seeds_that_met_the_criterion_are_also_contrasted_alone() -> None:
    row = contrasts().loc[("criterion", "r3")]

    # In seeds 0 and 7 the shares differ by 0.5.
    assert row["difference"] == pytest.approx(0.5)
    assert row["smallest"] == pytest.approx(0.0)
    assert row["seeds"] == 2


@pytest.mark.parametrize(("seed", "difference"), [(5, 1.0), (7, 0.6)])
def test_one_seed_has_no_interval(seed: int, difference: float) -> None:
    row = contrasts([seed]).loc[("all", "delta")]

    assert row["difference"] == pytest.approx(difference)
    assert row[["low", "high", "smallest"]].isna().all()


def test_without_a_seed_that_met_the_criterion_the_difference_is_missing() -> None:
    row = contrasts([5]).loc[("criterion", "delta")]

    assert row["seeds"] == 0
    assert pd.isna(row["difference"])


def test_one_seed_that_met_the_criterion_has_a_difference() -> None:
    row = contrasts([7]).loc[("criterion", "delta")]

    assert row["seeds"] == 1
    assert row["difference"] == pytest.approx(0.6)
