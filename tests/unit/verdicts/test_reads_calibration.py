"""The error rates of the verdict on a task: the committed ones, and those of a finished run."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.verdicts.cases.hand_pairs import THRESHOLDS
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.reads import with_procedures

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "config/calibration/rules.csv"
FRESH = REPOSITORY / "results/grounding/calibration.csv"  # of a finished run, as in the gate


def test_a_calibration_has_the_procedure_of_each_set_and_the_medians_of_its_half() -> None:
    """Medians are over pairs. Held out are the widths 200, 300, 300 and the lengths 90, 90, 120."""
    truth = pd.DataFrame(
        [
            ("narrow", True, 4, 200, 90),
            ("wide", True, 4, 300, 90),
            ("wide", True, 4, 300, 120),
            ("developed", False, 4, 100, 70),
        ],
        columns=["run", "held_out", "n_layers", "d_model", "text_length"],
    )
    drawn = pd.DataFrame(
        {"rules": ["grounded", "answers", "paper"], "half": ["held_out", "held_out", "developed"]}
    )

    calibration = with_procedures(drawn, truth, THRESHOLDS, 0.5)

    assert calibration[["d_model", "text_length"]].to_numpy().tolist() == [
        [300, 90],
        [300, 90],
        [100, 70],
    ]

    committed = read_calibration(COMMITTED).set_index(["rules", "half"])["procedure"]
    # `answers` is G5 alone, on which no verdict rests.
    assert calibration["procedure"].tolist() == [
        committed["grounded", "held_out"],
        "",
        committed["paper", "developed"],
    ]


def outside_of_committed_intervals(fresh: pd.DataFrame) -> list[tuple[str, str, str]]:
    """The fresh error rates that lie outside of the committed intervals.

    Each is a set of rules, a half of the controls, and a measure.
    """
    known = read_calibration(COMMITTED)
    both = known.merge(fresh, on=["rules", "half"], suffixes=("", "_fresh"), validate="one_to_one")
    assert len(both) > 0
    ends = {
        "auroc": ("low", "high"),
        "sensitivity": ("sensitivity_low", "sensitivity_high"),
        "specificity": ("specificity_low", "specificity_high"),
    }
    outside = []
    for row in both.to_dict("records"):
        for measure, (low, high) in ends.items():
            if not row[low] <= row[f"{measure}_fresh"] <= row[high]:
                outside.append((row["rules"], row["half"], measure))
    return outside


@pytest.mark.skipif(not FRESH.exists(), reason="needs the error rates of a finished run")
def test_error_rates_of_a_run_lie_within_the_committed_intervals() -> None:
    assert outside_of_committed_intervals(read_calibration(FRESH)) == []


def test_error_rates_that_lie_outside_are_found() -> None:
    """The paper's rules have a specificity of 1 / 9 in place of 5 / 9, G1 to G5 an AUROC of 0.4."""
    fresh = read_calibration(COMMITTED).set_index(["rules", "half"])
    fresh.loc[("paper", "held_out"), "specificity"] = 1 / 9
    fresh.loc[("grounded", "all"), "auroc"] = 0.4

    assert outside_of_committed_intervals(fresh.reset_index()) == [
        ("paper", "held_out", "specificity"),
        ("grounded", "all", "auroc"),
    ]


class Policies(NamedTuple):
    """The numbers of policies among the controls that ground, and among the others."""

    grounded: int
    others: int


# Intervals are over policies, since controls of one policy differ in little. Of the other controls
# several share a policy: nine held-out controls are five policies.
POLICIES = {
    "developed": Policies(grounded=12, others=4),
    "held_out": Policies(grounded=11, others=5),
    "all": Policies(grounded=23, others=9),
}


def assert_clopper_pearson(rate: float, n: int, low: float, high: float) -> None:
    """Assert that `low` and `high` are the ends of the exact 95% interval of `rate` = k / n."""
    k = rate * n
    if k == 0:
        assert low == 0
    else:
        assert betainc(k, n - k + 1, low) == pytest.approx(0.025)
    if k == n:
        assert high == 1
    else:
        assert betainc(k + 1, n - k, high) == pytest.approx(0.975)


def newcombe_variance(auroc: float, policies: Policies) -> float:
    """The variance of an AUROC A of m and n policies (Newcombe 2006, method 5).

    With N = (m + n) / 2 - 1, it is A (1 - A) (1 + N ((1 - A) / (2 - A) + A / (1 + A))) / (m n).
    """
    m, n = policies
    mean_size = (m + n) / 2 - 1
    spread = 1 + mean_size * ((1 - auroc) / (2 - auroc) + auroc / (1 + auroc))
    return auroc * (1 - auroc) * spread / (m * n)


@pytest.mark.parametrize(
    ("measure", "truth"), [("sensitivity", "grounded"), ("specificity", "others")]
)
def test_the_committed_intervals_of_rates_are_exact_over_policies(measure: str, truth: str) -> None:
    for row in read_calibration(COMMITTED).to_dict("records"):
        n = getattr(POLICIES[row["half"]], truth)
        assert_clopper_pearson(row[measure], n, row[f"{measure}_low"], row[f"{measure}_high"])


def test_the_committed_ends_of_an_auroc_lie_1_96_deviations_from_it() -> None:
    """In Newcombe's interval the deviation is that of an AUROC at the end, not of the estimate."""
    for row in read_calibration(COMMITTED).to_dict("records"):
        for end in (row["low"], row["high"]):
            if end in (0, 1):
                assert row["auroc"] == end
            else:
                deviation = newcombe_variance(end, POLICIES[row["half"]]) ** 0.5
                assert abs(row["auroc"] - end) == pytest.approx(1.959964 * deviation, rel=1e-4)
