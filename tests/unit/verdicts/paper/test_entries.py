"""The entries of a judge's page, and the line on planted papers and on trust next to a judge's tier."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import PLANTED
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.verdicts.paper.entries import NOT_TESTED, judge_entries, trust_lines
from tests.unit.verdicts.paper.entries_by_hand import entries, records_of

MEASURED = Path(__file__).resolve().parents[4] / "docs/measured/claims_planted.csv"
TABLE = pd.DataFrame(
    {
        "judge": ["a", "a", "b", "c", "always NO"],
        "stage": ["voted", "audited", "audited", "audited", ""],
        "exact": [0.9, 0.414, None, 0.5, 0.3],
        "always_yes": [0.5, 0.476, None, 0.25, 0.3],
        "always_no": [0.5, 0.282, None, 0.25, 0.3],
        "tier_n": [11, 11, None, None, 12],
        "tier_exact": [4, 3, None, None, 3],
        "tier_down": [7, 8, None, None, 9],
        "tier_always_no": [3, 2, None, None, 3],
        "tier_up": [0, 0, None, None, 0],
    }
)


def test_a_judge_has_its_tiers_and_criteria_after_the_audit_and_without_them_it_is_not_tested() -> (
    None
):
    assert trust_lines(["a", "b", "c", "d"], [TABLE], []) == {
        "a": "tier right on 3 of 11 planted papers (always NO: 2), 8 too low; "
        "criteria right 41%, always YES 48%, always NO 28%: "
        "no better than one answer to all, so its scores are no verdict",
        "b": NOT_TESTED,
        "c": "criteria right 50%, always YES 25%, always NO 25%, on planted papers",
        "d": NOT_TESTED,
    }


def test_what_was_measured_later_counts() -> None:
    later = TABLE.assign(tier_exact=5, tier_up=2).iloc[[1]]
    lines = trust_lines(["a", "c"], [TABLE, later], [])
    assert lines["a"].startswith(
        "tier right on 5 of 11 planted papers (always NO: 2), 8 too low, 2 too high; "
    )
    assert lines["c"] == trust_lines(["c"], [TABLE], [])["c"]


def test_the_table_that_comes_with_the_repository_has_the_lexical_rules() -> None:
    (line,) = trust_lines(["lexical"], [read_csv(MEASURED, PLANTED)], []).values()
    assert line.startswith("tier right on ")


def test_the_criteria_to_trust_a_judge_on_are_named_and_those_on_too_few_claims_apart() -> None:
    table = pd.DataFrame(
        {"judge": "a", "criterion": ["C1", "M2", "V3"], "trusted": ["yes", "yes", "too few"]}
    )
    none = table.assign(judge="b", trusted="no")
    few = table.assign(judge="c", trusted="too few")
    assert trust_lines(["a", "b", "c"], [], [table, none, few]) == {
        "a": f"{NOT_TESTED}; criteria to trust it on, by edits of planted papers: C1, M2; "
        "on too few claims to tell: V3",
        "b": f"{NOT_TESTED}; criteria to trust it on, by edits of planted papers: none",
        "c": f"{NOT_TESTED}; trust by edits of planted papers: not tested, on too few claims to tell",
    }


def test_titles_and_expected_tiers_come_from_the_summary_and_sources_from_the_list() -> None:
    made = entries()
    summary = pd.DataFrame(
        {
            "judge": ["strict"] * 3,
            "paper": ["locked", "plain", "hostile"],
            "title": ["Locked", "Plain", None],
            "cvs": [None, 1.0, 2.0],
            "expected_tier": [None, "Validated", None],
            "label_source": [None, "Expert", None],
        }
    )
    listed = {"plain": Paper("plain", "arxiv", "2211.00590", "Plain", "Validated", "Expert")}
    records = [records_of(each) for each in made]

    found = judge_entries(records, listed, summary, rules=False, trust="tested")

    assert [(each.title, each.note, each.expected, each.label_source) for each in found] == [
        ("Plain", "plain · arxiv 2211.00590", "Validated", "Expert"),
        ("hostile", "hostile", None, ""),
        ("Locked", "locked", None, ""),
    ]
    assert [records_of(each) for each in found] == records
