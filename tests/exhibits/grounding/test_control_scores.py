"""How often sets of rules are right about the controls, chosen and drawn, from verdicts that are written by hand."""

from typing import NamedTuple

import pandas as pd
import pytest
from scipy.stats import beta

from exhibits.grounding.control_scores import score_drawn, score_rule_sets
from mechaware.core.stats import area_under_roc_interval, clopper_pearson
from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, VARIANTS
from mechaware.planted.sql.runs import policy_of

# Chosen controls


class Verdicts(NamedTuple):
    """The group of a run, and whether R1 to R3 (paper) and G1 to G5 (grounded) say that it grounds."""

    group: str
    paper: bool
    grounded: bool


def verdicts_of(runs: dict[str, Verdicts]) -> pd.DataFrame:
    """A table of verdicts; each variant and each baseline accepts one control.

    paper_signed accepts grounded_1, paper_embedding grounded_2 and paper_both grounded_3. All others accept names
    from grounded_4 on, which no run of these tests has.
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
    """Sensitivity counts the three controls that ground, specificity the four shortcuts; models count in neither."""
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

    # The number judged rightly, the number of controls, and the controls that are judged wrongly.
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
    for name in ("paper_top", "answer", "answer_and_gap", "answer_and_paper", "answers"):
        expected[name, "sensitivity"] = (0, 3, "grounded_1, grounded_2, relay")
        expected[name, "specificity"] = (4, 4, "")
    table = table.set_index(["rules", "measure"])

    assert list(table.index) == list(expected)

    for key, (right, n, wrong) in expected.items():
        row = table.loc[key]
        assert (row["right"], row["n"], row["wrong"]) == (right, n, wrong), key
        assert row["value"] == pytest.approx(right / n)
        # No two of these controls answer alike, so that each counts in the interval.
        assert (row["low"], row["high"]) == pytest.approx(
            clopper_pearson(right, n, confidence_level)
        ), key


def test_controls_that_answer_alike_count_as_one() -> None:
    """Two copiers of the first column, and two with a habit: two policies. R1 to R3 refuse one of each."""
    runs = {
        "first_column": Verdicts("shortcut", True, True),
        "late_first_column": Verdicts("shortcut", False, True),
        "schema_blind": Verdicts("shortcut", False, True),
        "habit": Verdicts("shortcut", True, True),
    }

    table = score_rule_sets(verdicts_of(runs), confidence_level=0.95).set_index(
        ["rules", "measure"]
    )

    # Half of the controls are judged rightly, which counts as one of two policies.
    paper = table.loc[("paper", "specificity")]
    assert (paper["right"], paper["n"], paper["value"]) == (2, 4, 0.5)
    assert (paper["low"], paper["high"]) == pytest.approx(clopper_pearson(1, 2, 0.95))

    # None of two: (1 - high)^2 = 0.025.
    grounded = table.loc[("grounded", "specificity")]
    assert (grounded["low"], grounded["high"]) == (0, pytest.approx(1 - 0.025**0.5))


def test_without_controls_nothing_is_known_of_a_set() -> None:
    runs = {"schema-s0": Verdicts("trained", True, True)}

    table = score_rule_sets(verdicts_of(runs), confidence_level=0.95)

    n_tests = len((*RULE_SETS, *VARIANTS, *BASELINES))
    assert n_tests == 10
    assert table["value"].isna().all()

    rows = table[["n", "low", "high", "wrong"]].to_numpy().tolist()
    assert rows == [[0, 0, 1, ""]] * (2 * n_tests)  # sensitivity and specificity of each


# Drawn controls


class DrawnControl(NamedTuple):
    """A drawn control with two pairs, a and b, each given by its letter in the texts below.

    - `half`: "developed" or "held_out"
    - `reads`: the pairs in which it reads the requested column; it grounds if it does in both
    - `passes`: the pairs in which it passes G1 to G5
    - `right_with_gap`: the share of pairs that pass `answer_and_gap`, the baseline of `lead`
    """

    half: str
    reads: str
    passes: str
    right_with_gap: float


# 03 and 04 copy the first column, 07 the last: of the three that do not ground, two have one policy.
DRAWN = {
    "drawn_01": DrawnControl("developed", reads="ab", passes="ab", right_with_gap=1),
    "drawn_02": DrawnControl("held_out", reads="ab", passes="", right_with_gap=1),
    "drawn_03": DrawnControl("developed", reads="", passes="", right_with_gap=0),
    "drawn_04": DrawnControl("held_out", reads="a", passes="a", right_with_gap=0),
    "drawn_05": DrawnControl("developed", reads="ab", passes="b", right_with_gap=1),
    "drawn_07": DrawnControl("developed", reads="a", passes="ab", right_with_gap=0),
}


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """The scores of `DRAWN` by rule and half, with a verdict from half of the pairs on.

    R1 to R3 pass in all pairs. In the table of verdicts every rule has the share of pairs of G1 to G5, but
    `answer_and_gap`.
    """
    pairs = []
    verdicts = []
    names = (*RULE_SETS, *VARIANTS, *BASELINES)
    for run, control in DRAWN.items():
        for pair in ("a", "b"):
            pairs.append(
                {
                    "run": run,
                    "pair": pair,
                    "held_out": control.half == "held_out",
                    "reads": pair in control.reads,
                    "grounded": pair in control.passes,
                    "paper": True,
                }
            )
        share = len(control.passes) / 2
        row: dict[str, object] = {"run": run}
        for name in names:
            row[name] = share
            row[f"{name}_verdict"] = share >= 0.5
        verdicts.append(row | {"answer_and_gap": control.right_with_gap})

    by_pair = pd.DataFrame(pairs)
    table = score_drawn(
        pd.DataFrame(verdicts),
        judged=by_pair[["run", "pair", "grounded", "paper"]],
        truth=by_pair[["run", "pair", "held_out", "reads"]],
        verdict_share=0.5,
        confidence_level=0.95,
        resamples=200,
        seed=0,
    )
    return table.set_index(["rules", "half"])


def test_each_half_ranks_its_own_controls(scores: pd.DataFrame) -> None:
    developed = scores.loc[("grounded", "developed")]
    held_out = scores.loc[("grounded", "held_out")]

    # 01 and 05, which pass in 1 and 1/2 of the pairs, against 03 and 07, which pass in 0 and 1: 01 is above 03 and
    # tied with 07, 05 is above 03 and below 07.
    assert (developed["grounded"], developed["others"]) == (2, 2)
    assert developed["auroc"] == (1 + 1 / 2 + 1 + 0) / 4
    # 02 passes in no pair, 04 in one.
    assert (held_out["grounded"], held_out["others"]) == (1, 1)
    assert held_out["auroc"] == 0


def test_a_control_may_ground_from_half_of_the_pairs_on(scores: pd.DataFrame) -> None:
    """Then 04 and 07, which read the column in one of two pairs, also ground, and of all six only 03 does not."""
    by_share = scores.loc["grounded", "auroc_by_share"]

    # 01, 05 and 07 are above 03.
    assert by_share["developed"] == 1
    # 02 ties with 03; 01, 04, 05 and 07 are above it.
    assert by_share["all"] == (4 + 1 / 2) / 5
    # All controls of the held-out half ground.
    assert pd.isna(by_share["held_out"])


def test_each_half_judges_its_own_controls(scores: pd.DataFrame) -> None:
    developed = scores.loc[("grounded", "developed")]
    held_out = scores.loc[("grounded", "held_out")]

    # Half of the pairs is enough: 01, 05 and 07 are found to ground, 03 is not.
    assert (developed["sensitivity"], developed["specificity"]) == (1, 0.5)
    # 02 is not found to ground, and 04 is.
    assert (held_out["sensitivity"], held_out["specificity"]) == (0, 0)


def test_intervals_of_drawn_controls_count_policies(scores: pd.DataFrame) -> None:
    assert policy_of("drawn_03") == policy_of("drawn_04") != policy_of("drawn_07")

    on_all = scores.loc[("grounded", "all")]

    # Of 03, 04 and 07 the first is refused: one of three controls, but two policies. For two thirds of two successes
    # P(X >= 2/3) = 0.025 at the lower end.
    assert (on_all["specificity"], on_all["specificity_n"]) == (pytest.approx(1 / 3), 3)

    low, high = on_all["specificity_low"], on_all["specificity_high"]
    assert (low, high) == pytest.approx(
        (beta.ppf(0.025, 2 / 3, 7 / 3), beta.ppf(0.975, 5 / 3, 4 / 3))
    )

    of_three = clopper_pearson(1, 3, 0.95)
    assert high - low > of_three.high - of_three.low
    # The area's interval also counts three controls that ground and two policies.
    assert (on_all["low"], on_all["high"]) == area_under_roc_interval(on_all["auroc"], 3, 2, 0.95)


def test_pairs_are_right_where_a_set_passes_exactly_where_the_column_is_read(
    scores: pd.DataFrame,
) -> None:
    # Both pairs of 01 and of 03, one of 05 and of 07; none of 02, and both of 04.
    assert scores.loc[("grounded", "developed"), "pairs_right"] == (2 + 2 + 1 + 1) / 8
    assert scores.loc[("grounded", "held_out"), "pairs_right"] == (0 + 2) / 4
    # R1 to R3 pass in all pairs, of which five are read: both of 01 and of 05, and one of 07.
    assert scores.loc[("paper", "developed"), "pairs_right"] == 5 / 8
    # A baseline is no set of rules.
    assert pd.isna(scores.loc[("answer", "developed"), "pairs_right"])


def test_the_lead_is_the_area_less_that_of_the_right_answer_with_a_gap(
    scores: pd.DataFrame,
) -> None:
    """The baseline passes in all pairs of the controls that ground and in none of the others: an area of 1."""
    lead = scores.loc["grounded", "lead"]

    assert lead["developed"] == 2.5 / 4 - 1
    assert lead["held_out"] == 0 - 1
    # 01 is above 03 and 04 and tied with 07, 02 is tied with 03, 05 is above 03 and tied with 04.
    assert lead["all"] == (2.5 + 0.5 + 1.5) / 9 - 1

    # One control of each kind: every resample is the half itself.
    held_out = scores.loc[("grounded", "held_out")]
    assert (held_out["lead_low"], held_out["lead_high"]) == (-1, -1)
