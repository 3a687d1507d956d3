"""The table of planted papers compares each judge, at every stage, with the planted statuses.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.tables import claims_planted
from tests.exhibits.claims.judged_papers import YEARS, YEARS_LEVELS, judged_claim, records, tables
from tests.exhibits.claims.tables.filled_tables import (
    INTERVALS,
    Fill,
    filled,
    floats,
    write_summary,
)


def totals(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of all criteria together, by judge and stage."""
    return rows[rows["criterion"] == ""].set_index(["judge", "stage"])


def planted_numbers(rows: pd.DataFrame, stage: str, columns: Iterable[str]) -> dict[str, float]:
    """Numbers of the good judge at one stage, by column; NaN for an empty cell."""
    cells = rows.loc[("good", stage), list(columns)].astype(str)
    return {name: float(cell or "nan") for name, cell in cells.items()}


def test_claims_planted_compares_every_stage_with_the_truth(table: Fill) -> None:
    """COPY, HEAD and YEARS are matched with planted claims: 3 * 27 = 81 criteria in each of three
    runs.

        run  too high                                           sum of errors  not scored
        0    COPY E5, HEAD I2, YEARS I1, I2: +1; HEAD E5: +0.5  4.5
        1    HEAD I2, YEARS I1, I2: +1                          3.0
        2    YEARS I1: +1; HEAD I2: +0.5                        1.5            YEARS I2
    """
    rows = totals(table(claims_planted, **INTERVALS))
    single = {
        "n": 3 * 81 - 1,
        "exact": (242 - 5 - 3 - 2) / 242,
        "bias": (4.5 + 3.0 + 1.5) / 242,
        "unscored": 1 / 243,
        # I2 and E5 of HEAD in three runs: both are credited in run 0, and I2 in the others.
        "false_leak_n": 2 * 3,
        "leaked": 2 + 1 + 1,
        "found_claims": 3 * 3,
        "planted_claims": 3 * 4,
        # The tier of planted-01 is right in three runs. That of planted-02 is too high in runs 0
        # and 1; without I2 it is not known in run 2: raw 3 or 4.5.
        "tier_n": 3 + 2,
        "tier_exact": 3,
        "tier_up": 2,
        "tier_down": 0,
    }
    assert planted_numbers(rows, "single", single) == pytest.approx(single)

    voted = {
        "n": 81,
        # Too high are I2 of HEAD (PARTIAL), and I1 and I2 of YEARS.
        "exact": (81 - 3) / 81,
        "bias": (0.5 + 1 + 1) / 81,
        "unscored": 0,
        "false_leak_n": 2,
        "leaked": 1,
        "found_claims": 3,
        "planted_claims": 4,
        "tier_n": 2,
        "tier_exact": 1,
        "tier_up": 1,
        "tier_down": 0,
    }
    assert planted_numbers(rows, "voted", voted) == pytest.approx(voted)

    # The audit lowers I2 of HEAD to NO.
    audited = voted | {"exact": (81 - 2) / 81, "bias": (1 + 1) / 81, "leaked": 0}
    assert planted_numbers(rows, "audited", audited) == pytest.approx(audited)


def test_claims_planted_compares_constant_answers_with_the_truth(table: Fill) -> None:
    rows = totals(table(claims_planted, **INTERVALS))
    columns = ("n", "exact", "bias", "false_leak_n", "leaked", "found_claims", "planted_claims")
    tiers = ("tier_n", "tier_exact", "tier_up", "tier_down")

    # The four planted claims have 4 * 27 = 108 levels: 7 YES, 2 PARTIAL and 99 NO. Three of the NO
    # are leaks. The planted tiers are Mechanistically Supported and Proposed, the lowest.
    always_no = rows.loc[("always NO", "")]
    bias = -(7 * 1 + 2 * 0.5) / 108
    assert floats(always_no, *columns) == pytest.approx([108, 99 / 108, bias, 3, 0, 4, 4])
    assert floats(always_no, *tiers) == [2, 1, 0, 1]
    assert float(always_no["unscored"]) == 0

    always_yes = rows.loc[("always YES", "")]
    bias = (2 * 0.5 + 99 * 1) / 108
    assert floats(always_yes, *columns) == pytest.approx([108, 7 / 108, bias, 3, 3, 4, 4])
    assert floats(always_yes, *tiers) == [2, 0, 2, 0]
    assert float(always_yes["unscored"]) == 0


def test_claims_planted_has_what_constant_answers_get_right_of_the_same_criteria(
    table: Fill,
) -> None:
    rows = totals(table(claims_planted, **INTERVALS))

    # Of the 81 criteria of COPY, HEAD and YEARS, 6 + 2 + 1 = 9 are not planted at NO.
    assert float(rows.loc[("good", "voted"), "always_no"]) == pytest.approx((81 - 9) / 81)
    # Three runs; I2 of YEARS, planted at NO, has no status in one of them.
    right_of_runs = 3 * (81 - 9) - 1
    assert float(rows.loc[("good", "single"), "always_no"]) == pytest.approx(right_of_runs / 242)
    # Of all 108 planted levels 99 are NO and 7 are YES.
    assert float(rows.loc[("always YES", ""), "always_no"]) == pytest.approx(99 / 108)
    assert float(rows.loc[("always NO", ""), "always_yes"]) == pytest.approx(7 / 108)
    assert floats(rows.loc[("good", "audited")], "found_papers", "papers") == [2, 2]


def test_a_judge_that_finds_nothing_has_no_rates_and_all_planted_claims_against_it(
    table: Fill,
) -> None:
    """`broken` fails on planted-01, which has two claims: they count once in the vote and in the
    audit, and three times in the single runs.
    """
    broken = totals(table(claims_planted, **INTERVALS)).loc["broken"]

    rates = ["exact", "bias", "false_leak", "sensitivity"]
    assert broken.loc["audited", rates].tolist() == [""] * 4
    planted = broken["planted_claims"].astype(int)
    assert planted[["single", "voted", "audited"]].tolist() == [6, 2, 2]
    assert int(broken.loc["single", "found_claims"]) == 0


def test_claims_planted_has_the_error_rates_of_all_criteria_and_of_each(
    table: Fill, summary: Path
) -> None:
    rows = table(claims_planted, **INTERVALS)
    # The 81 matched criteria are planted at 7 YES, 2 PARTIAL and 72 NO. After the audit the judge
    # gives YES to all of the 7, and to two planted at NO: I1 and I2 of YEARS.
    good = totals(rows).loc[("good", "audited")]
    assert floats(good, "sensitivity", "specificity", "false_yes") == pytest.approx(
        [1, 72 / 74, 2 / 72]
    )
    assert floats(good, "sensitivity_n", "specificity_n", "false_yes_n") == [7, 74, 72]
    assert floats(good, "wrong", "wrong_partial", "wrong_yes_n") == [2, 0, 9]

    # "wrong of given (planted at PARTIAL, at NO)". Of 108 planted levels 2 are PARTIAL, 99 are NO.
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    wrong = shown["Wrong among YES given"]
    assert wrong[("Good judge", "audited")] == "2 of 9 (0, 2)"
    assert wrong[("always YES", "")] == "101 of 108 (2, 99)"
    assert wrong[("always NO", "")] == "no YES"

    each = rows[rows["criterion"] != ""].set_index(["judge", "stage", "criterion"])
    assert len(each) == 2 * 27
    assert each["informedness_low"].unique().tolist() == [""]
    # I1 is planted at YES in COPY and HEAD and at NO in YEARS, and is called YES in all three.
    i1 = each.loc[("good", "audited", "I1")]
    assert floats(i1, "sensitivity", "false_yes", "sensitivity_n") == [1, 1, 2]
    # C5 is planted at PARTIAL in COPY and at NO in HEAD and YEARS. Without a planted YES it has no
    # sensitivity.
    c5 = each.loc[("good", "audited", "C5")]
    assert (c5["sensitivity"], c5["specificity"], c5["exact"]) == ("", "1", "")

    known = ["sensitivity", "sensitivity_low", "false_yes", "false_yes_high", "informedness"]
    assert totals(rows).loc[("always YES", ""), known].tolist() == ["1", "", "1", "", "0"]


def test_a_rate_without_a_planted_status_is_shown_as_not_tested(tmp_path: Path) -> None:
    # No leak is planted in this claim.
    judged = [records("planted-02", [[judged_claim(YEARS, YEARS_LEVELS)]])]
    summary = write_summary(tmp_path / "no", tables(judged))
    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])
    rates = ["False YES, %", "False leaks, %"]

    assert shown.loc[("Good judge", "audited"), rates].tolist() == ["0.0", "not tested"]


def test_beside_what_a_judge_has_right_is_what_no_and_then_yes_throughout_would_have(
    tmp_path: Path,
) -> None:
    """Of 27 criteria one is planted as YES and 26 as NO; the judge has all right but two NO."""
    judged = [
        records("planted-02", [[judged_claim(YEARS, YEARS_LEVELS, {"E1": "PARTIAL", "V1": "YES"})]])
    ]
    summary = write_summary(tmp_path / "one", tables(judged))

    shown = filled(claims_planted, summary, **INTERVALS).shown.set_index(["Judge", "Stage"])

    right = shown.loc[("Good judge", "audited"), "Right (NO, YES throughout), %"]
    assert right == "92.6 (96.3, 3.7)"


def test_without_a_planted_paper_no_claim_is_planted(table: Fill, tmp_path: Path) -> None:
    listed_only = write_summary(tmp_path / "listed", tables(truth=[]))

    rows = totals(table(claims_planted, folder=listed_only, **INTERVALS))

    # Two judges at three stages, and two constant answers.
    assert rows["planted_claims"].astype(int).tolist() == [0] * (2 * 3 + 2)
