"""What stands beside a judge's tier about planted papers."""

from pathlib import Path

import pandas as pd

from mechaware.claims.page.trust import NOT_TESTED, merge_notes, responses_to_edits, responses_to_removal, trust_lines
from mechaware.claims.schemas import PLANTED
from mechaware.frames import read_csv

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


def test_a_judge_has_its_tiers_and_criteria_after_the_audit_and_without_them_it_is_not_tested() -> None:
    assert trust_lines([TABLE], ["a", "b", "c", "d"]) == {
        "a": "tier right on 3 of 11 planted papers (always NO: 2), 8 too low; "
        "criteria right 41%, always YES 48%, always NO 28%",
        "b": NOT_TESTED,
        "c": "criteria right 50%, always YES 25%, always NO 25%, on planted papers",
        "d": NOT_TESTED,
    }


def test_what_was_measured_later_counts() -> None:
    later = TABLE.assign(tier_exact=5, tier_up=2).iloc[[1]]
    lines = trust_lines([TABLE, later], ["a", "c"])
    assert lines["a"].startswith("tier right on 5 of 11 planted papers (always NO: 2), 8 too low, 2 too high; ")
    assert lines["c"] == trust_lines([TABLE], ["c"])["c"]


def test_the_table_that_comes_with_the_repository_has_the_lexical_rules() -> None:
    (line,) = trust_lines([read_csv(MEASURED, PLANTED)], ["lexical"]).values()
    assert line.startswith("tier right on ")


def test_the_criteria_to_trust_a_judge_on_are_those_after_the_chosen_vote_or_of_its_one_run() -> None:
    runs = pd.DataFrame({"judge": "a", "criterion": ["C1", "M2", "V3"], "stage": "single", "chosen": False})
    runs["trusted"] = ["yes", "no", "too few"]
    votes = runs.assign(stage="minimum", trusted=["no", "yes", "too few"])
    median = runs.assign(stage="median", trusted=["yes", "yes", "too few"], chosen=True)
    once = runs.assign(judge="b", trusted="no", chosen=True)
    few = runs.assign(judge="c", trusted="too few", chosen=True)
    lowest = [runs.assign(judge="d"), votes.assign(judge="d", chosen=True), median.assign(judge="d", chosen=False)]
    assert responses_to_edits([pd.concat([runs, votes, median]), once, few, pd.concat(lowest)]) == {
        "a": "criteria to trust it on, by edits of planted papers, after the median vote, the better one: C1, M2 "
        "(after the minimum vote, which gives the tier: M2); on too few claims to tell: V3",
        "b": "criteria to trust it on, by edits of planted papers: none",
        "c": "trust by edits of planted papers: not tested, on too few claims to tell",
        "d": "criteria to trust it on, by edits of planted papers, after the minimum vote: M2; on too few claims to "
        "tell: V3",
    }


def test_a_paper_without_its_quotes_shows_whether_its_judge_reads() -> None:
    removed = pd.DataFrame(
        {"judge": "a", "before": "YES", "quoted": ["NO", "PARTIAL", "YES"], "other": ["YES", "YES", "NO"]}
    )
    lines = responses_to_removal([removed, removed.iloc[:0]])
    assert lines == {"a": "of 3 YES in this paper 2 fell when its quotes were taken out, 1 when other sentences were"}
    assert merge_notes(["a", "b"], {"a": "x", "b": "y"}, lines) == {"a": f"x; {lines['a']}", "b": "y"}
