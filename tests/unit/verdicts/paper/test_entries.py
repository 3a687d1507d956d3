"""The entries of a judge's page, and the line on trust that a page shows next to a judge's tier."""

import math
from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import PLANTED
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.verdicts.paper.entries import NOT_TESTED, judge_entries, trust_lines
from tests.unit.verdicts.paper.entries_by_hand import entries, records_of

MEASURED = Path(__file__).resolve().parents[4] / "docs/measured/claims_planted.csv"
# A row of a table claims_planted: the judge is right on fewer criteria than a constant YES.
AUDITED = {
    "judge": "weak",
    "stage": "audited",
    "exact": 0.414,
    "always_yes": 0.476,
    "always_no": 0.282,
    "tier_n": 11,
    "tier_exact": 3,
    "tier_down": 8,
    "tier_always_no": 2,
    "tier_up": 0,
}
# Scored on criteria, but on the tier of no paper.
WITHOUT_TIERS = AUDITED | {
    "judge": "without tiers",
    "exact": 0.5,
    "always_yes": 0.25,
    "always_no": 0.25,
    "tier_n": math.nan,
    "tier_exact": math.nan,
    "tier_down": math.nan,
    "tier_always_no": math.nan,
}
WITHOUT_CLAIMS = WITHOUT_TIERS | {
    "judge": "without claims",
    "exact": math.nan,
    "always_yes": math.nan,
    "always_no": math.nan,
}


def test_the_line_on_a_judge_has_its_tiers_and_criteria_after_the_audit() -> None:
    voted = AUDITED | {"stage": "voted", "exact": 0.9, "tier_exact": 4, "tier_down": 7}
    always_no = AUDITED | {"judge": "always NO", "stage": ""}
    table = pd.DataFrame([voted, AUDITED, always_no])

    assert trust_lines(["weak"], [table], []) == {
        "weak": "tier right on 3 of 11 planted papers (always NO: 2), 8 too low; "
        "criteria right 41%, always YES 48%, always NO 28%: "
        "no better than one answer to all, so its scores are no verdict",
    }


def test_the_line_on_a_judge_without_tiers_has_its_criteria() -> None:
    line = trust_lines(["without tiers"], [pd.DataFrame([WITHOUT_TIERS])], [])["without tiers"]

    assert line == "criteria right 50%, always YES 25%, always NO 25%, on planted papers"


def test_a_judge_that_found_no_planted_claim_or_has_no_row_is_not_tested() -> None:
    table = pd.DataFrame([AUDITED, WITHOUT_CLAIMS])

    assert trust_lines(["without claims", "absent"], [table], []) == {
        "without claims": NOT_TESTED,
        "absent": NOT_TESTED,
    }


def test_of_several_tables_the_last_row_of_a_judge_counts() -> None:
    first = pd.DataFrame([AUDITED, WITHOUT_TIERS])
    second = pd.DataFrame([AUDITED | {"tier_exact": 5, "tier_up": 2}])

    lines = trust_lines(["weak", "without tiers"], [first, second], [])

    assert lines["weak"].startswith(
        "tier right on 5 of 11 planted papers (always NO: 2), 8 too low, 2 too high; "
    )
    alone = trust_lines(["without tiers"], [first], [])
    assert lines["without tiers"] == alone["without tiers"]
    assert lines["without tiers"].startswith("criteria right 50%, ")


def test_the_measured_table_of_the_repository_has_the_lexical_rules() -> None:
    (line,) = trust_lines(["lexical"], [read_csv(MEASURED, PLANTED)], []).values()

    assert line.startswith("tier right on ")


def test_the_line_names_trusted_criteria_and_apart_those_tested_on_too_few_claims() -> None:
    table = pd.DataFrame(
        {"judge": "mixed", "criterion": ["C1", "M2", "V3"], "trusted": ["yes", "yes", "too few"]}
    )
    never = table.assign(judge="never", trusted="no")
    too_few = table.assign(judge="too few", trusted="too few")

    assert trust_lines(["mixed", "never", "too few"], [], [table, never, too_few]) == {
        "mixed": f"{NOT_TESTED}; criteria to trust it on, by edits of planted papers: C1, M2; "
        "on too few claims to tell: V3",
        "never": f"{NOT_TESTED}; criteria to trust it on, by edits of planted papers: none",
        "too few": f"{NOT_TESTED}; trust by edits of planted papers: "
        "not tested, on too few claims to tell",
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
