"""How often sets of rules are right about the chosen controls, from verdicts written by hand."""

from typing import NamedTuple

import pandas as pd
import pytest

from exhibits.grounding.control_scores import score_rule_sets
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, VARIANTS


class Verdicts(NamedTuple):
    """The group of a run, and its verdict, to ground or not, by each of the two sets of rules.

    `paper` is the verdict of R1 to R3, `grounded` the verdict of G1 to G5.
    """

    group: str
    paper: bool
    grounded: bool


def verdicts_of(runs: dict[str, Verdicts]) -> pd.DataFrame:
    """The table of these verdicts, in which each variant and each baseline accepts one control.

    paper_signed accepts grounded_1, paper_embedding grounded_2 and paper_both grounded_3. The other
    variant and the baselines accept grounded_4 to grounded_8, which no run of these tests is.
    """
    table = pd.DataFrame(
        {
            "run": list(runs),
            "group": [run.group for run in runs.values()],
            "paper_verdict": [run.paper for run in runs.values()],
            "grounded_verdict": [run.grounded for run in runs.values()],
        }
    )
    for number, name in enumerate((*VARIANTS, *BASELINES), start=1):
        table[f"{name}_verdict"] = table["run"] == f"grounded_{number}"
    return table


@pytest.mark.parametrize("confidence_level", [0.95, 0.8])
def test_sets_are_scored_on_controls_that_ground_and_on_shortcuts(confidence_level: float) -> None:
    """Sensitivity is over the three controls that ground, specificity over the four shortcuts.

    Models count in neither.
    """
    runs = {
        "grounded_1": Verdicts("grounded", True, True),
        "grounded_2": Verdicts("grounded", False, True),
        "relay": Verdicts("grounded", False, True),
        "first_column": Verdicts("shortcut", True, False),
        "any_column": Verdicts("shortcut", True, False),
        "suppressor": Verdicts("shortcut", False, True),
        "schema_blind": Verdicts("shortcut", False, False),
        "schema-s0": Verdicts("trained", True, True),
        "smollm2.few-shot": Verdicts("pretrained", False, False),
    }

    table = score_rule_sets(verdicts_of(runs), confidence_level=confidence_level)

    # By set of rules and measure: the number of controls that are judged rightly, the number of
    # controls, and the controls that are judged wrongly.
    expected = {
        ("paper", "sensitivity"): (1, 3, "grounded_2, relay"),
        ("paper", "specificity"): (2, 4, "first_column, any_column"),
        ("grounded", "sensitivity"): (3, 3, ""),
        ("grounded", "specificity"): (3, 4, "suppressor"),
        ("paper_signed", "sensitivity"): (1, 3, "grounded_2, relay"),
        ("paper_signed", "specificity"): (4, 4, ""),
        ("paper_embedding", "sensitivity"): (1, 3, "grounded_1, relay"),
        ("paper_embedding", "specificity"): (4, 4, ""),
        ("paper_both", "sensitivity"): (0, 3, "grounded_1, grounded_2, relay"),
        ("paper_both", "specificity"): (4, 4, ""),
    }
    # The others accept none of these runs.
    for name in ("paper_top", "answer", "answer_and_gap", "answer_and_paper", "answers"):
        expected[name, "sensitivity"] = (0, 3, "grounded_1, grounded_2, relay")
        expected[name, "specificity"] = (4, 4, "")
    table = table.set_index(["rules", "measure"])

    assert list(table.index) == list(expected)

    for key, (right, n, wrong) in expected.items():
        row = table.loc[key]
        assert (row["right"], row["n"], row["wrong"]) == (right, n, wrong), key
        assert row["value"] == pytest.approx(right / n)
        # No two of these controls answer alike, so each counts in the interval.
        exact = clopper_pearson(right, n, confidence_level)
        assert (row["low"], row["high"]) == pytest.approx(exact), key


def test_controls_that_answer_alike_count_as_one() -> None:
    """Two controls copy the first column, and two answer by habit: two policies.

    R1 to R3 refuse one control of each policy, G1 to G5 refuse none.
    """
    runs = {
        "first_column": Verdicts("shortcut", True, True),
        "late_first_column": Verdicts("shortcut", False, True),
        "schema_blind": Verdicts("shortcut", False, True),
        "habit": Verdicts("shortcut", True, True),
    }

    table = score_rule_sets(verdicts_of(runs), confidence_level=0.95)
    table = table.set_index(["rules", "measure"])

    # Two of the four controls are judged rightly, which counts as one of two policies.
    paper = table.loc[("paper", "specificity")]
    assert (paper["right"], paper["n"], paper["value"]) == (2, 4, 0.5)
    assert (paper["low"], paper["high"]) == pytest.approx(clopper_pearson(1, 2, 0.95))

    # None of two policies: (1 - high)^2 = 0.025.
    grounded = table.loc[("grounded", "specificity")]
    assert (grounded["low"], grounded["high"]) == (0, pytest.approx(1 - 0.025**0.5))


def test_without_controls_a_share_is_missing_and_its_interval_is_0_to_1() -> None:
    runs = {"schema-s0": Verdicts("trained", True, True)}

    table = score_rule_sets(verdicts_of(runs), confidence_level=0.95)

    n_tests = len((*RULE_SETS, *VARIANTS, *BASELINES))
    assert n_tests == 10
    assert table["value"].isna().all()

    # Each test has a row of sensitivity and a row of specificity.
    rows = table[["n", "low", "high", "wrong"]].to_numpy().tolist()
    assert rows == [[0, 0, 1, ""]] * (2 * n_tests)
