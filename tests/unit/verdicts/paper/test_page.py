"""The page of scores: what it shows, that its filter is right, and that hostile text stays text."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser

import tests.browser
from mechaware.instruments.claims.fetching.papers import Paper
from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.rubric.criteria import CRITERIA, TIERS
from mechaware.instruments.claims.rubric.records import (
    Audited,
    Claim,
    Downgrade,
    Dropped,
    Fault,
    Judgement,
    PaperText,
    Scores,
    Usage,
    Voted,
    _HiddenText,
    _LeftOutText,
)
from mechaware.instruments.claims.rubric.scoring import _score_claim
from mechaware.planted.papers.plan import plan_papers
from mechaware.verdicts.paper.entries import Entry, Records, judge_entries, paper_entries
from mechaware.verdicts.paper.entry_texts import next_steps, summary_line, trust_text
from mechaware.verdicts.paper.evidence import Piece, Use, marked_text, split_notes, split_quotes
from mechaware.verdicts.paper.html_page import _render_review, render_page, write_report
from mechaware.verdicts.paper.tiers import MEANINGS, tier_rank_text

HOSTILE = (
    '<script>window.owned = 1</script></script></style><img src="https://example.org/x" onerror="window.owned = 2">'
    '"\'><a href="javascript:window.owned = 3">paper</a> {{ 7 * 7 }} & \u202e\x00 end'
)
LEAK = Downgrade(
    claim=1,
    criterion="E2",
    before="PARTIAL",
    after="NO",
    reason="the curve is [the circuit's], no head's",
)


GUIDES = {}
for code in CRITERIA:
    GUIDES[code] = Guide(f"Asks {code}?", f"Met {code}.", "Partly.", "Unmet.", "", [])


def judged(**changed: Judgement) -> dict[str, Judgement]:
    """27 criteria: NO but for those named."""
    return dict.fromkeys(CRITERIA, Judgement(status="NO", votes=["NO", "NO"])) | changed


# By hand: the circuit's claim has YES on C1, I1, M3 and V3, PARTIAL on C5, an unscored E6 and 21 NO.
CIRCUIT = Claim(
    statement="A circuit of five heads finds the name.",
    description_mode="algorithmic",
    evidence_families=["causal"],
    components=["9.9", "9.6"],
    criteria=judged(
        C1=Judgement(
            status="YES", evidence="Says “the heads copy the name” and “a line that nobody wrote”.",
            quotes=[(1204, 1226), None], votes=["YES", "YES"],
        ),
        C5=Judgement(
            status="PARTIAL",
            evidence="[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] Two families.",
            votes=["PARTIAL", "YES"],
        ),
        I1=Judgement(status="YES", evidence="Ablation.", votes=["YES", "YES"]),
        M3=Judgement(status="YES", votes=["YES", "YES"]),
        V3=Judgement(status="YES", votes=["YES", "YES"]),
        E6=Judgement(status=None, evidence="cut", votes=[None, None]),
    ),
    system=True,
    runs=[0, None, 1],
)  # fmt: skip
# The heads' claim has 26 NO and one YES.
HEADS = Claim(
    statement=HOSTILE,
    description_mode="representational",
    evidence_families=[],
    components=["<b>9.9</b>"],
    criteria=judged(
        V3=Judgement(status="YES", evidence=HOSTILE, votes=["YES", "YES"]),
        E2=Judgement(
            status="NO",
            evidence=f"[LEAK-AUDIT: PARTIAL→NO, {LEAK.reason}] [MIN-VOTE: YES→PARTIAL across 3 runs] The effect grows.",
            votes=["PARTIAL", "YES"],
        ),
    ),
    system=False,
    runs=[1, None, 0],
)


HEADS_SCORED = _score_claim(HEADS)


def entry(
    paper: str,
    title: str,
    claims: list[Claim],
    *,
    judge: str = "strict",
    fault: Fault | None = None,
    content: str = "",
    notes: Sequence[str] = (),
) -> Entry:
    scored = [_score_claim(claim) for claim in claims]
    usage = Usage(calls=3, prompt_tokens=12345, completion_tokens=678, cost=None)
    downgrades = [LEAK] if len(claims) > 1 else []
    return Entry(
        title=title,
        note=paper,
        expected="Mechanistically Supported" if paper == "plain" else None,
        label_source="Registry",
        rules=False,
        trust="not tested on planted papers",
        content=content,
        truth={},
        scores=Scores(
            judge=judge, paper=paper, claims=claims, scored=scored, main=0 if claims else None,
            cvs=scored[0].cvs if claims else None, tier=scored[0].tier if claims else None,
            single_runs=[3.9, None, 4.2] if claims else [], voted=scored[0].cvs if claims else None,
            usage=usage, fault=fault,
        ),
        voted=Voted(
            judge=judge, paper=paper, runs=3, scored_runs=[0, 1, 2] if claims else [], claims=claims, fault=fault,
            dropped=[Dropped(run=1, statement="Head 3.0 <i>does</i> all.")] if claims else [], notes=list(notes),
        ),
        audited=Audited(judge=judge, paper=paper, claims=claims, downgrades=downgrades, usage=usage, fault=fault),
        text=PaperText(
            paper=paper, pages=4, pages_read=4, truncated=False, characters=20480,
            flags=["NO_VARIANCE_REPORTED", "HIDDEN_TEXT"] if claims else [],
            hidden=[_HiddenText(page=2, reason="not visible", text=HOSTILE)] if claims else [], fault=fault,
            page_starts=[0, 900],
        ),
    )  # fmt: skip


def entries() -> list[Entry]:
    fault = Fault(kind="encrypted", message="the file asks for a password")
    return [
        entry("plain", "A plain paper", [CIRCUIT, HEADS]),
        entry("hostile", HOSTILE, [CIRCUIT]),
        entry("locked", "A locked paper", [], fault=fault),
    ]


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "lexical.html"
    page = render_page(
        "Lexical rules", "Three papers.", entries(), entry_name="paper", guides=GUIDES
    )
    path.write_text(page, encoding="utf-8")
    return path


class Visit(tests.browser.Visit):
    """The page opened, and its filter."""

    def visible_rows(self) -> int:
        return self.page.locator("tr.criterion:visible").count()

    def only(self, name: str, *values: str) -> None:
        for box in self.page.locator(f"input[name={name}]").all():
            box.set_checked(box.get_attribute("value") in values)


@pytest.fixture
def visit(browser: Browser, html: Path) -> Iterator[Visit]:
    page = browser.new_page()
    yield Visit(page, html)
    page.close()


def test_hostile_text_neither_runs_nor_becomes_markup_and_nothing_is_fetched(
    visit: Visit, html: Path
) -> None:
    page = visit.page

    assert page.evaluate("window.owned") is None
    made_of_text = "img, iframe, object, embed, base, link, i, article b:has-text('9.9')"
    assert page.locator(made_of_text).count() == 0
    assert page.locator("script").count() == 1
    title = page.locator("article:nth-of-type(2) h2").inner_text()
    assert title == HOSTILE.replace("\u202e\x00", "\ufffd\ufffd")

    links = page.locator("a").evaluate_all("links => links.map(link => link.getAttribute('href'))")
    assert links
    assert all(link.startswith("#") for link in links)
    assert visit.requests == [html.as_uri()]
    assert visit.messages == []


def test_a_script_that_got_into_the_page_would_not_run(
    browser: Browser, html: Path, tmp_path: Path
) -> None:
    """The second wall: the policy allows the page's own script and style by their hashes, and nothing else."""
    broken = tmp_path / "broken.html"
    planted = "<script>window.owned = 1</script><img src='https://example.org/x' onerror='window.owned = 2'></main>"
    broken.write_text(html.read_text().replace("</main>", planted))
    page = browser.new_page()

    visit = Visit(page, broken)

    assert visit.visible_rows() == 81
    assert page.evaluate("window.owned") is None
    assert any("Content Security Policy" in message for message in visit.messages)
    page.close()


def test_the_filters_show_the_rows_that_they_name(visit: Visit) -> None:
    output = visit.page.locator("output")

    assert visit.visible_rows() == 3 * 27  # CIRCUIT twice, HEADS once

    visit.only("status", "YES")
    assert visit.visible_rows() == 4 + 1 + 4
    assert output.inner_text() == "9 of 81 criteria shown"

    visit.only("dimension", "C")
    assert visit.visible_rows() == 1 + 0 + 1  # C1
    assert visit.page.locator(".none:visible").count() == 1  # of HEADS nothing is left
    assert visit.page.locator("tr.dimension:visible").count() == 2

    visit.only("status", "PARTIAL", "unscored")
    assert visit.visible_rows() == 1 + 0 + 1  # C5

    visit.only("dimension", "C", "E")
    assert visit.visible_rows() == 2 + 0 + 2  # and E6

    visit.only("status")
    assert visit.visible_rows() == 0

    visit.page.get_by_role("button", name="Show all").click()
    assert visit.visible_rows() == 81
    assert visit.page.locator(".none:visible").count() == 0


def test_a_claim_has_its_score_votes_notes_and_quotes(visit: Visit) -> None:
    claim = visit.page.locator("article").first.locator("details.claim").first.inner_text()

    # By hand: Construct 2, Internal 1, Measurement 1, External open between 0 and 2 (E6), Interpretive 1.
    # (1.5 * 2 + 1.5 + 1 + 1) / 18 * 10 = 3.6 without External, and 20 / 18 = 1.1 more with E6.
    assert "CVS open, 3.6 to 4.7" in claim
    assert "run 0 PARTIAL · run 1 lacks the claim · run 2 YES" in claim
    assert "Minimum vote: from YES down to PARTIAL across 2 of 3 runs." in claim
    assert "“the heads copy the name” [found: characters 1,204 to 1,226 of text.txt]" in claim
    assert "“a line that nobody wrote” [not found in the text]" in claim


def test_a_claim_has_what_the_audit_lowered_and_what_is_missing(visit: Visit) -> None:
    heads = visit.page.locator("article").first.locator("details.claim").nth(1)

    text = heads.inner_text()
    # V3 alone: 1 / 18 * 10.
    assert "CVS 0.6" in text
    assert f"Leak audit: lowered from PARTIAL to NO. {LEAK.reason}" in text
    for step in next_steps(HEADS_SCORED):
        assert step in heads.locator(".next").inner_text()


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("expected: Mechanistically Supported (Registry)", id="expected tier"),
        pytest.param("run 0: 3.9, run 1: unscored, run 2: 4.2", id="single runs"),
        pytest.param("NO_VARIANCE_REPORTED", id="flag"),
        pytest.param("page 2, not visible", id="hidden text"),
        pytest.param("run 1 Head 3.0 <i>does</i> all.", id="dropped claim"),
        pytest.param("12,345 tokens in, 678 out; no price known", id="usage"),
    ],
)
def test_a_paper_has_what_is_known_of_it(visit: Visit, words: str) -> None:
    assert words in visit.page.locator("article").first.inner_text()


def test_a_paper_with_a_fault_is_unscored_and_says_why_once(visit: Visit) -> None:
    locked = visit.page.locator("article").nth(2).inner_text()

    assert locked.count("the file asks for a password") == 1
    assert "unscored" in locked


def test_tiers_are_explained_on_the_page(visit: Visit) -> None:
    ladder = visit.page.locator(".ladder li").all_inner_texts()

    assert [line.split("\n")[0].strip() for line in ladder] == [tier.name for tier in TIERS]
    assert "0 to 1.9" in ladder[0]
    assert MEANINGS["Proposed"] in ladder[0]


def test_the_criteria_of_a_claim_are_explained_on_the_page(visit: Visit) -> None:
    claims = visit.page.locator("article").first.locator("details.claim")
    circuit = claims.first.inner_text()
    heads = claims.nth(1).inner_text()

    # By hand: the heads' claim has 0.6, so the next tier begins at 2.0.
    assert "A shortest way to Causally Suggestive (2.0 or more); there may be others" in heads
    assert "Asks E2? Often borrowed from the whole circuit (leak-prone)." in heads
    assert "leak-prone" not in circuit
    assert "Met E2." in visit.page.locator(".guides").text_content()


def test_a_tier_has_a_place_among_the_five() -> None:
    assert list(map(tier_rank_text, MEANINGS)) == [
        "lowest of 5 tiers, 0 to 1.9",
        "second lowest of 5 tiers, 2.0 to 3.9",
        "middle of 5 tiers, 4.0 to 5.9",
        "second highest of 5 tiers, 6.0 to 7.9",
        "highest of 5 tiers, 8.0 to 10",
    ]


def test_the_summary_of_a_rule_judge_says_what_its_score_is_worth() -> None:
    rules = entry("mine", "Rules", [HEADS])._replace(
        rules=True, trust="tier right on 3 of 11 planted papers"
    )

    # By hand: V3 alone, 1 / 18 * 10 = 0.6.
    assert summary_line(rules) == "CVS 0.6, Proposed (lowest of 5 tiers, 0 to 1.9)"
    assert trust_text(rules) == (
        "keyword rules: use them to see the page, never to judge a paper; tier right on 3 of 11 planted papers"
    )


def test_the_summary_gives_bounds_of_an_open_score() -> None:
    # As on the page: the circuit's tier is open between 3.6 and 4.7.
    assert summary_line(entry("mine", "A", [CIRCUIT])) == "CVS 3.6 to 4.7, tier open"


def test_the_summary_of_a_paper_without_a_claim_says_so() -> None:
    assert summary_line(entry("mine", "A", [])) == "no claim found"


def test_the_score_by_both_votes_and_the_vote_that_suits_the_judge_are_shown(
    tmp_path: Path,
) -> None:
    unlike = dict.fromkeys(CRITERIA, Judgement(status="NO", votes=["NO", "NO", "NO"]))
    unlike["C1"] = Judgement(status="NO", votes=["YES", "NO", "YES"])
    claim = CIRCUIT.model_copy(update={"criteria": unlike, "runs": [0, 0, 0]})
    model = entry("plain", "Model", [claim])._replace(vote_advice="use the median: it errs")
    rules = model._replace(rules=True, title="Rules", vote_advice="")

    write_report("A paper", [model, rules], GUIDES, tmp_path / "report")

    # C1 alone gives construct 1: 1.5 of 18.
    expected = "minimum 0.0 (counts), median 0.8"
    page = (tmp_path / "report/index.html").read_text()
    assert page.count(expected) == 1
    assert page.count("Which vote: use the median: it errs.") == 1
    lines = (tmp_path / "report/summary.txt").read_text().splitlines()
    assert [line for line in lines if "vote" in line] == [
        f"  after the vote: {expected}",
        "  which vote: use the median: it errs",
    ]


def test_a_note_of_the_median_vote_names_the_farthest_vote() -> None:
    evidence = "[MEDIAN-VOTE: NO→PARTIAL across 3 runs] Text."

    notes, left = split_notes(evidence, [])

    assert notes == ["Median vote: PARTIAL, with votes as far as NO, across 3 runs."]
    assert left == "Text."


def test_notes_of_audit_and_devils_advocate_are_taken_off_in_the_order_in_which_they_were_put() -> (
    None
):
    first = LEAK.model_copy(update={"before": "YES", "after": "PARTIAL", "reason": "weak"})
    evidence = f"[DEVIL'S-ADVOCATE: PARTIAL→NO, {LEAK.reason}] [LEAK-AUDIT: YES→PARTIAL, weak] [MIN-VOTE: of old] Text."

    notes, left = split_notes(evidence, [first, LEAK])

    assert notes == [
        f"Devil's advocate: lowered from PARTIAL to NO. {LEAK.reason}",
        "Leak audit: lowered from YES to PARTIAL. weak",
    ]
    assert left == "[MIN-VOTE: of old] Text."


def test_a_short_quote_is_none() -> None:
    pieces, note = split_quotes("“9.9” is “a head of the model”", [(0, 19)])

    assert pieces == [Piece("“9.9” is "), Piece("“a head of the model”", found=True, span=(0, 19))]
    assert note == ""


def test_quotes_that_cannot_be_told_apart_are_counted() -> None:
    pieces, note = split_quotes("no quote here", [(0, 9), None])

    assert pieces == [
        Piece("no quote here"),
        Piece("", found=True, span=(0, 9)),
    ]  # a link to the place
    assert note == "1 of 2 quotes found in the text"


def records_of(shown: Entry) -> Records:
    """The records that a page's entry shows."""
    return Records(scores=shown.scores, voted=shown.voted, audited=shown.audited, text=shown.text)


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


def test_the_report_of_a_planted_paper_shows_what_was_planted(tmp_path: Path) -> None:
    planted = plan_papers(1, 3)[0]
    same = CIRCUIT.model_copy(update={"statement": planted.claims[0].statement})
    judged_entry = entry("planted-01", "", [HEADS, same], judge="a")
    records = [records_of(judged_entry)]

    (made,) = paper_entries(
        records,
        content="A text. " * 300,
        planted=planted,
        least_similarity=0.5,
        judge_labels={"a": "Judge A"},
        rule_judges=[],
        trust={"a": "right"},
        verdicts={},
    )
    write_report(planted.title, [made], GUIDES, tmp_path / "report")

    # The first claim is another one.
    assert made.truth == {1: planted.claims[0].levels}
    assert made.expected == planted.tier
    assert made.label_source == "as planted"
    page = (tmp_path / "report/index.html").read_text()
    assert "(as planted)" in page
    assert page.count('<small class="truth') == 27


def test_a_papers_report_has_the_scores_of_each_judge(tmp_path: Path) -> None:
    by_b = entry("plain", "", [HEADS], judge="b")
    by_a = entry("plain", "", [CIRCUIT, HEADS], judge="a")
    records = [records_of(by_b), records_of(by_a)]
    trust = {"a": "not tested", "b": "right"}
    labels = {"b": "Judge B", "a": "Judge A"}
    content = "A text. " * 300

    made = paper_entries(
        records,
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


# The page of one's own paper


TEXT = f"Abstract\n{'x' * 900}\n# Method\n{'y' * 285}the heads copy the name, and {HOSTILE}"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report") / "mine"
    strict = entry("mine", "Judge A", [CIRCUIT, HEADS], judge="a", content=TEXT)
    rules = strict._replace(title="Rules", rules=True, trust="tier right on 3 of 11 planted papers")
    write_report("mine.pdf", [rules], GUIDES, folder)
    write_report("mine.pdf", [strict, rules], GUIDES, folder.with_name("both"))
    return folder


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
def test_a_rule_judge_has_no_runs(report: Path, words: str) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report.with_name("both") / "index.html").read_text()

    assert words not in rules_page
    assert words in both_page


def test_a_report_counts_its_judges(report: Path) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report.with_name("both") / "index.html").read_text()

    assert "What 1 judge says about the evidence in this paper." in rules_page
    assert "What 2 judges say about the evidence in this paper." in both_page


def test_a_rule_judge_is_a_floor_and_gives_no_verdict(report: Path) -> None:
    rules_page = (report / "index.html").read_text()
    both_page = (report.with_name("both") / "index.html").read_text()

    # Next to the tier, above and below.
    assert rules_page.count("tier right on 3 of 11 planted papers") == 2
    assert "Rules: a floor, no verdict." in rules_page
    assert "Judge A: a floor" not in both_page
    assert "Expected" not in rules_page


def test_the_page_of_a_rule_judge_says_once_that_it_is_a_floor() -> None:
    papers = [each._replace(rules=True) for each in entries()]

    page = render_page("Lexical rules", "Papers.", papers, entry_name="paper", guides=GUIDES)

    assert page.count("Lexical rules: a floor, no verdict.") == 1


def test_a_quote_opens_at_its_place_in_the_text(browser: Browser, report: Path) -> None:
    page = browser.new_page()
    visit = Visit(page, report / "index.html")

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


def test_quotes_that_overlap_have_an_anchor_and_their_uses_each() -> None:
    first = (
        Use("claim 1", "C1", "i#1", "page 3, 2 <Method>"),
        Use("claim 1", "M2", "i#2", "page 3, 2 <Method>"),
    )
    other = (Use("<b>, claim 2", "C1", "i#3", ""),)

    assert marked_text("abc<d>", {(2, 4): other, (1, 3): first}) == (
        'a<a class="at" id="c1-3"></a><mark>b</mark><a class="at" id="c2-4"></a><mark>c</mark>'
        ' <small class="uses">claim 1: <a href="i#1">C1</a>, <a href="i#2">M2</a> (page 3, 2 &lt;Method&gt;)</small>'
        "<mark>&lt;</mark>"
        ' <small class="uses">&lt;b&gt;, claim 2: <a href="i#3">C1</a></small>d&gt;'
    )


def test_a_planted_status_stands_beside_the_judged_one() -> None:
    strict = entry("mine", "Judge A", [CIRCUIT])._replace(truth={0: {"C1": "YES", "C5": "NO"}})

    page = render_page("x", "y", [strict], entry_name="judge", guides=GUIDES)

    assert '<small class="truth">planted: YES</small>' in page
    assert '<small class="truth differs">planted: NO</small>' in page
    assert page.count("planted: ") == 2


def with_left_out(made: Entry, *passages: tuple[str, str]) -> Entry:
    left_out = [_LeftOutText(element=element, text=text) for element, text in passages]
    return made._replace(text=made.text.model_copy(update={"left_out": left_out}))


def test_passages_that_extraction_left_out_are_counted_and_listed_apart_from_hidden_text() -> None:
    made = with_left_out(
        entry("mine", "A judge", [HEADS]),
        ("aside", "The random control restores 88 percent."),
        ("p", "Fewer <b>than</b> five seeds."),
        ("p", "More of it."),
    )

    page = render_page("x", "y", [made], entry_name="judge", guides=GUIDES)
    review = _render_review("Mine", [made], GUIDES)

    counted = "3 passages of the page were left out by text extraction: 1 aside, 2 p; no judge got this text"
    (hidden,) = re.findall(r'<details open class="hidden-text">.*?</details>', page, re.S)
    (listed,) = re.findall(r'<details class="left-out">.*?</details>', page, re.S)
    assert f"<summary>{counted}</summary>" in listed
    assert re.findall(r"<small>(.*?)</small> <q dir=\"auto\">(.*?)</q>", listed) == [
        ("aside", "The random control restores 88 percent."),
        ("p", "Fewer &lt;b&gt;than&lt;/b&gt; five seeds."),
        ("p", "More of it."),
    ]
    assert "88 percent" not in hidden
    assert f"- {counted}, which the page of scores lists\n" in review


def test_one_passage_that_was_left_out_is_one() -> None:
    made = with_left_out(entry("mine", "A judge", [HEADS]), ("footer", "It did not replicate."))

    page = render_page("x", "y", [made], entry_name="judge", guides=GUIDES)

    message = (
        "1 passage of the page was left out by text extraction: 1 footer; no judge got this text"
    )
    assert message in page


def test_passages_are_not_mentioned_if_none_was_left_out() -> None:
    made = entry("mine", "A judge", [HEADS])

    assert "left out" not in render_page("x", "y", [made], entry_name="judge", guides=GUIDES)
    assert "left out" not in _render_review("Mine", [made], GUIDES)


def test_a_paper_without_a_claim_says_why_with_the_notes_of_its_runs() -> None:
    empty = entry("plain", "None", [], notes=['The nearest: "<b>": names no component'])

    page = render_page("Judge", "One paper.", [empty], entry_name="paper", guides=GUIDES)
    review = _render_review("None", [empty], GUIDES)

    assert "No claim found. The judge saw no claim about a mechanism" in page
    assert "The nearest: &#34;&lt;b&gt;&#34;: names no component" in page
    assert "## None: no claim found\n" in review
    assert "- No claim found. The judge saw no claim about a mechanism" in review


def test_a_paper_of_which_all_claims_were_dropped_says_so() -> None:
    empty = entry("plain", "None", [])
    dropped = [Dropped(run=0, statement="It does.")]
    made = empty._replace(voted=empty.voted.model_copy(update={"dropped": dropped}))

    page = render_page("Judge", "One paper.", [made], entry_name="paper", guides=GUIDES)

    message = (
        "No claim found: each of those that a run found was found by fewer than half of the runs."
    )
    assert message in page


# The Markdown for a review form


def review_lines(folder: Path) -> list[str]:
    return (folder / "review.md").read_text().splitlines()


def review_of_claims(folder: Path) -> list[list[str]]:
    """The lines of each claim's part of the review, from its heading on."""
    parts: list[list[str]] = []
    for line in review_lines(folder):
        if line.startswith("### "):
            parts.append([])
        if parts:
            parts[-1].append(line)
    return parts


def test_the_review_begins_with_the_paper_and_the_judge(report: Path) -> None:
    lines = review_lines(report)

    assert lines[:3] == [
        "# Evidence for the claims of “mine.pdf”",
        "",
        "The judge read the text alone. Figures were not seen; a table only as the words and numbers of its cells.",
    ]
    # By hand, as on the page: 3.6 without E6 and 4.7 with it.
    assert lines[4] == "## Rules: CVS 3.6 to 4.7, tier open"


def test_the_review_has_a_part_for_each_claim(report: Path) -> None:
    circuit, heads = review_of_claims(report)

    assert circuit[0] == (
        "### Claim 1, about the whole circuit, taken for the paper's score: CVS 3.6 to 4.7, tier open"
    )
    # V3 alone is 1 / 18 * 10 = 0.6.
    assert heads[0] == (
        "### Claim 2, about a part: CVS 0.6, Proposed (lowest of 5 tiers, 0 to 1.9)"
    )


def test_the_review_lists_the_criteria_of_a_claim_by_status_with_their_quotes(
    report: Path,
) -> None:
    circuit, _ = review_of_claims(report)

    assert "> A circuit of five heads finds the name." in circuit
    assert "**Not met** (21 of 27)" in circuit
    convergent = "- C5 Convergent validity: Asks C5? Minimum vote: from YES down to PARTIAL across 2 of 3 runs."
    assert convergent in circuit
    after_c1 = circuit[circuit.index("- C1 Falsifiability") + 1]
    assert after_c1 == "  - “the heads copy the nam” (page 2, “Method”)"
    unscored = circuit[circuit.index("**Unscored** (1 of 27)") :]
    assert "- E6 Cross-architecture: Asks E6?" in unscored


def test_the_review_names_what_the_audit_lowered(report: Path) -> None:
    _, heads = review_of_claims(report)

    lowered = "Leak audit: lowered from PARTIAL to NO. the curve is \\[the circuit's\\]"
    assert any(lowered in line for line in heads)


def test_the_review_by_a_model_has_a_way_to_the_next_tier(report: Path) -> None:
    lines = review_lines(report.with_name("both"))

    assert "A shortest way to Causally Suggestive (2.0 or more); there may be others:" in lines
    steps = [f"- {step}. Met {step[:2]}." for step in next_steps(HEADS_SCORED)]
    assert [line for line in lines if "→ YES." in line][-len(steps) :] == steps


def test_the_review_by_rules_has_no_advice(report: Path) -> None:
    assert not any("shortest way" in line for line in review_lines(report))


def test_hostile_text_stays_text_in_the_review(report: Path) -> None:
    """markdown-it with HTML allowed: what a form would show has no element but ours."""
    html = MarkdownIt("commonmark", {"html": True}).render((report / "review.md").read_text())

    elements = set(re.findall(r"<(\w+)", html))
    assert elements == {"h1", "h2", "h3", "p", "ul", "li", "blockquote", "strong"}
    assert "window.owned = 1" in html
