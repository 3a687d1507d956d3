"""The main table has each paper's score, its tier and the share of YES in its main claim.

The small study, of the judges `good` and `broken`, is described at the head of filled_tables.py.
"""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.tables import claims_main
from tests.exhibits.claims.tables.filled_tables import INTERVALS, Fill, filled, write_summary


def test_claims_main_stacks_the_printed_papers_and_each_judges(table: Fill) -> None:
    rows = table(claims_main, **INTERVALS)
    assert rows["source"].tolist() == ["reported"] * 9 + ["good"] * 4 + ["broken"]

    by_paper = rows.set_index(["source", "paper"])
    printed_ioi = by_paper.loc[("reported", "ioi")]
    assert printed_ioi["cvs"] == pytest.approx(5.6)
    assert printed_ioi["title"] == "IOI Circuit"
    assert str(printed_ioi["off_by"]) == "0"

    ioi = by_paper.loc[("good", "ioi")]
    assert ioi["cvs"] == pytest.approx(10 / 1.8)
    assert ioi["title"] == "Interpretability in the Wild"
    assert str(ioi["off_by"]) == "0"

    # A paper without a label.
    assert by_paper.loc[("good", "mine"), "off_by"] == ""

    first = by_paper.loc[("good", "planted-01")]
    assert first["tier"] == "Mechanistically Supported"
    assert first["expected_tier"] == "Mechanistically Supported"
    # C1, I1, I2 and V3 of COPY.
    assert float(first["main_yes"]) == pytest.approx(4 / 27)

    second = by_paper.loc[("good", "planted-02")]
    assert second["tier"] == "Causally Suggestive"
    assert second["expected_tier"] == "Proposed"

    broken = rows[rows["source"] == "broken"].iloc[0]
    assert (broken["status"], broken["tier"]) == ("unscored", "")
    assert broken["reason"].startswith("time-out")


@pytest.mark.parametrize(
    ("is_right", "cell"),
    [
        pytest.param(True, "37.0 (12.3 to 61.8)", id="a judge that is always right"),
        pytest.param(False, "not determined", id="a judge that always gives YES"),
    ],
)
def test_the_share_of_yes_is_followed_by_its_correction(
    summary: Path, tmp_path: Path, is_right: bool, cell: str
) -> None:
    """The good judge gives 10 YES in the main claim of each paper: 10 / 27 = 0.3704. Its error
    rates are those on six planted papers with one YES and one NO.

    If the judge is right on all of them, sensitivity and specificity are 1, and the share needs no
    correction. The half-width of its interval (`corrected_share`) is made of

        h(sensitivity) = h(specificity) = (1 - 0.025^(1/6)) / 2 = 0.2296
        h(share)                        = 1.96 sqrt(0.3704 * 0.6296 / 27) = 0.1822
        h(corrected share)              = sqrt(0.1822^2 + (0.6296 * 0.2296)^2 + (0.3704 * 0.2296)^2)
                                        = 0.2476

    If the judge always gives YES, the specificity is 0, and nothing can be corrected.
    """
    papers = pd.read_parquet(summary / "papers.parquet")
    papers.loc[papers["judge"] == "good", "main_yes"] = 10 / 27
    rows = []
    for paper in "abcdef":
        for criterion, truth in (("C1", "YES"), ("I1", "NO")):
            status = truth if is_right else "YES"
            rows.append((paper, criterion, truth, status))
    criteria = pd.DataFrame(rows, columns=["paper", "criterion", "truth", "status"]).assign(
        judge="good", claim=0, stage="audited", leak=False
    )
    six_papers = write_summary(tmp_path / "six", {"papers": papers, "criteria": criteria})

    shown = filled(claims_main, six_papers, **INTERVALS).shown

    expected = [("reported", "")] * 9
    expected += [("Good judge", f"37.0 ({cell})")] * 4
    expected += [("Broken judge", "")]
    assert list(zip(shown["Source"], shown["YES (corrected), %"], strict=True)) == expected
