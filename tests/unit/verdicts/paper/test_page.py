"""The page of scores: what it shows, that its filter is right, and that hostile text stays text."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import tests.browser
from mechaware.instruments.claims.rubric.criteria import TIERS
from mechaware.instruments.claims.rubric.records import (
    Dropped,
    LeftOutText,
)
from mechaware.verdicts.paper.entries import Entry
from mechaware.verdicts.paper.entry_texts import next_steps
from mechaware.verdicts.paper.html_page import _render_review, render_page
from mechaware.verdicts.paper.tiers import MEANINGS
from tests.unit.verdicts.paper.entries_by_hand import (
    CIRCUIT,
    GUIDES,
    HEADS,
    HEADS_SCORED,
    HOSTILE,
    LEAK,
    entries,
    entry,
)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "lexical.html"
    page = render_page(
        "Lexical rules", "Three papers.", entries(), entry_name="paper", guides=GUIDES
    )
    path.write_text(page, encoding="utf-8")
    return path


class Visit(tests.browser.Visit):
    """An open page of scores, and its filter."""

    def visible_rows(self) -> int:
        return self.page.locator("tr.criterion:visible").count()

    def only(self, name: str, *values: str) -> None:
        """Check the boxes of the filter `name` with these values, and uncheck its other boxes."""
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
    elements_in_texts = "img, iframe, object, embed, base, link, i, article b:has-text('9.9')"
    assert page.locator(elements_in_texts).count() == 0
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
    """The policy allows the page's own script and style by their hashes, and nothing else."""
    broken = tmp_path / "broken.html"
    planted = (
        "<script>window.owned = 1</script>"
        "<img src='https://example.org/x' onerror='window.owned = 2'></main>"
    )
    broken.write_text(html.read_text().replace("</main>", planted))
    page = browser.new_page()

    visit = Visit(page, broken)

    assert visit.visible_rows() == 81
    assert page.evaluate("window.owned") is None
    assert any("Content Security Policy" in message for message in visit.messages)
    page.close()


def test_the_filters_show_the_rows_that_they_name(visit: Visit) -> None:
    output = visit.page.locator("output")

    # The claims on the page are CIRCUIT, HEADS and CIRCUIT.
    assert visit.visible_rows() == 3 * 27

    visit.only("status", "YES")
    assert visit.visible_rows() == 4 + 1 + 4
    assert output.inner_text() == "9 of 81 criteria shown"

    visit.only("dimension", "C")
    assert visit.visible_rows() == 1 + 0 + 1  # C1
    assert visit.page.locator(".none:visible").count() == 1  # HEADS has no row left
    assert visit.page.locator("tr.dimension:visible").count() == 2

    visit.only("status", "PARTIAL", "unscored")
    assert visit.visible_rows() == 1 + 0 + 1  # C5

    visit.only("dimension", "C", "E")
    assert visit.visible_rows() == 2 + 0 + 2  # C5 and E6

    visit.only("status")
    assert visit.visible_rows() == 0

    visit.page.get_by_role("button", name="Show all").click()
    assert visit.visible_rows() == 81
    assert visit.page.locator(".none:visible").count() == 0


def test_a_claim_has_its_score_votes_notes_and_quotes(visit: Visit) -> None:
    claim = visit.page.locator("article").first.locator("details.claim").first.inner_text()

    # By hand: Construct 2, Internal 1, Measurement 1, Interpretive 1; External is 0, or 2 with E6.
    # (1.5 * 2 + 1.5 + 1 + 1) / 18 * 10 = 3.6 without E6, and 20 / 18 = 1.1 more with it.
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


def test_the_page_of_a_rule_judge_says_once_that_it_is_a_floor() -> None:
    papers = [each._replace(rules=True) for each in entries()]

    page = render_page("Lexical rules", "Papers.", papers, entry_name="paper", guides=GUIDES)

    assert page.count("Lexical rules: a floor, no verdict.") == 1


def test_planted_statuses_are_shown_and_marked_where_the_judged_ones_differ() -> None:
    """The judge has YES on C1 and PARTIAL on C5."""
    strict = entry("mine", "Judge A", [CIRCUIT])._replace(truth={0: {"C1": "YES", "C5": "NO"}})

    page = render_page("x", "y", [strict], entry_name="judge", guides=GUIDES)

    assert '<small class="truth">planted: YES</small>' in page
    assert '<small class="truth differs">planted: NO</small>' in page
    assert page.count("planted: ") == 2


def with_left_out(made: Entry, *passages: tuple[str, str]) -> Entry:
    left_out = [LeftOutText(element=element, text=text) for element, text in passages]
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

    counted = (
        "3 passages of the page were left out by text extraction: 1 aside, 2 p; "
        "no judge got this text"
    )
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


def test_a_single_passage_that_was_left_out_is_named_in_the_singular() -> None:
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
