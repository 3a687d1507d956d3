"""The report on a single paper: its page, its scores, and its text with the quotes."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import tests.browser
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import (
    Judgement,
    Scores,
)
from mechaware.planted.papers.plan import plan_papers
from mechaware.verdicts.paper.entries import paper_entries
from mechaware.verdicts.paper.html_page import write_report
from tests.unit.verdicts.paper.entries_by_hand import (
    CIRCUIT,
    GUIDES,
    HEADS,
    HOSTILE,
    entry,
    records_of,
)


def test_a_papers_report_has_the_scores_of_each_judge(tmp_path: Path) -> None:
    by_b = entry("plain", "", [HEADS], judge="b")
    by_a = entry("plain", "", [CIRCUIT, HEADS], judge="a")
    trust = {"a": "not tested", "b": "right"}
    labels = {"b": "Judge B", "a": "Judge A"}
    content = "A text. " * 300

    made = paper_entries(
        [records_of(by_b), records_of(by_a)],
        content=content,
        planted=None,
        least_similarity=0.5,
        judge_labels=labels,
        rule_judges=["b"],
        trust=trust,
        verdicts={},
    )
    write_report("A plain paper", made, GUIDES, tmp_path / "report")

    assert [(each.rules, each.trust, each.truth) for each in made] == [
        (True, "right", {}),
        (False, "not tested", {}),
    ]
    scores = json.loads((tmp_path / "report/scores.json").read_text())
    assert Scores.model_validate(scores["a"]) == by_a.scores
    assert "Judge B" in (tmp_path / "report/index.html").read_text()


def test_the_report_of_a_planted_paper_shows_what_was_planted(tmp_path: Path) -> None:
    planted = plan_papers(1, 3)[0]
    same = CIRCUIT.model_copy(update={"statement": planted.claims[0].statement})
    judged_entry = entry("planted-01", "", [HEADS, same], judge="a")

    (made,) = paper_entries(
        [records_of(judged_entry)],
        content="A text. " * 300,
        planted=planted,
        least_similarity=0.5,
        judge_labels={"a": "Judge A"},
        rule_judges=[],
        trust={"a": "right"},
        verdicts={},
    )
    write_report(planted.title, [made], GUIDES, tmp_path / "report")

    # Judged claim 1 has the statement of planted claim 0; judged claim 0 was not planted.
    assert made.truth == {1: planted.claims[0].levels}
    assert made.expected == planted.tier
    assert made.label_source == "as planted"
    page = (tmp_path / "report/index.html").read_text()
    assert "(as planted)" in page
    assert page.count('<small class="truth') == 27


def test_the_score_by_both_votes_and_the_vote_that_suits_the_judge_are_shown(
    tmp_path: Path,
) -> None:
    judgements = dict.fromkeys(CRITERIA, Judgement(status="NO", votes=["NO", "NO", "NO"]))
    judgements["C1"] = Judgement(status="NO", votes=["YES", "NO", "YES"])
    claim = CIRCUIT.model_copy(update={"criteria": judgements, "runs": [0, 0, 0]})
    model = entry("plain", "Model", [claim])._replace(vote_advice="use the median: it errs")
    rules = model._replace(rules=True, title="Rules", vote_advice="")

    write_report("A paper", [model, rules], GUIDES, tmp_path / "report")

    # By the median C1 alone is YES, so Construct is 1: 1.5 / 18 * 10 = 0.8.
    expected = "minimum 0.0 (counts), median 0.8"
    page = (tmp_path / "report/index.html").read_text()
    assert page.count(expected) == 1
    assert page.count("Which vote: use the median: it errs.") == 1
    lines = (tmp_path / "report/summary.txt").read_text().splitlines()
    assert [line for line in lines if "vote" in line] == [
        f"  after the vote: {expected}",
        "  which vote: use the median: it errs",
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Single runs",
        "Votes: run",
        "After the vote",
        "tokens in",
        "Described as",
        "Kinds of evidence",
    ],
)
def test_only_the_page_with_a_model_has_runs(
    report: Path, report_by_both: Path, words: str
) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report_by_both / "index.html").read_text()

    assert words not in rules_page
    assert words in both_page


def test_a_report_counts_its_judges(report: Path, report_by_both: Path) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report_by_both / "index.html").read_text()

    assert "What 1 judge says about the evidence in this paper." in rules_page
    assert "What 2 judges say about the evidence in this paper." in both_page


def test_a_rule_judge_is_a_floor_and_gives_no_verdict(report: Path, report_by_both: Path) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report_by_both / "index.html").read_text()

    # In the overview of the judges, and under the paper's score.
    assert rules_page.count("tier right on 3 of 11 planted papers") == 2
    assert "Rules: a floor, no verdict." in rules_page
    assert "Judge A: a floor" not in both_page
    assert "Expected" not in rules_page


def test_a_quote_opens_at_its_place_in_the_text(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    visit = tests.browser.Visit(page, report / "index.html")

    page.get_by_role("link", name="page 2").first.click()
    assert page.url.endswith("text.html#c1204-1226")
    assert page.locator(".at:target + mark").inner_text() == "the heads copy the nam"
    assert page.evaluate("window.owned") is None
    assert page.locator("script, img").count() == 0

    page.get_by_role("link", name="C1").click()
    assert page.url.endswith("index.html#entry-1-claim-1-C1")
    assert page.locator(":target").inner_text().startswith("C1 Falsifiability")

    page.go_back()
    assert HOSTILE.replace("\u202e\x00", "\ufffd\ufffd") in page.locator("main").inner_text()
    assert all(request.startswith("file:") for request in visit.requests)
    assert visit.messages == []
    page.close()
