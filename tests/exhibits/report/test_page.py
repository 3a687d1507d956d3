"""The paper as a web page: a small document is typeset like the paper, and opened in a browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from exhibits.report.typesetting import typeset
from tests.browser import Visit

REPOSITORY = Path(__file__).parents[3]
# The files of the paper that make a document into a page.
PAPER_FILES = (
    "page.typ",
    "results.typ",
    "style.typ",
    "references.bib",
    "web/page.css",
    "web/page.js",
)
DOCUMENT = """
#import "results.typ": result-figure, result-table
#let title = "A paper"
#let authors = "An author"
#let imprint = [An author]
#let sections = [
  = One <one>
  See @two, @tab:t, @fig:t, @radar and $H_(l,h) = - sum_(i,j) A^((i,j))_(l,h) log A^((i,j))_(l,h)$.
  $ H_(l,h) = - sum_(i,j) A^((i,j))_(l,h) log A^((i,j))_(l,h)
    + sum_(i,j) A^((i,j))_(l,h) + sum_(i,j) A^((i,j))_(l,h). $
  #result-table("t")
  == Two <two>
  #result-figure("t")
]
#let appendix = [= Three]
"""
# A table with numbers in every form that tables have, empty cells, and a cell with markup.
TABLE = """name,share,left,words
ten,"1,000",2,a long cell that needs some room to be read at all
Two,\N{MINUS SIGN}0.5 (\N{MINUS SIGN}1.0 to +0.2),,another long cell that needs some room to be read
alpha,+3.25,10,one more long cell that needs some room to be read
beta,<0.001,,the last long cell that needs some room to be read
gamma,5 of 12,1,"<b>7</b> & more"
"""
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="100">'
    '<circle cx="50" cy="50" r="40"/></svg>'
)


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of `DOCUMENT`, in a project that has one table and one figure, both named t."""
    folder = tmp_path_factory.mktemp("page")
    caption = "What is *shown* in ``t``.\nAnd more.\n"
    files = {
        "paper/document.typ": DOCUMENT,
        "paper/sections/abstract.typ": "The abstract.",
        "paper/captions/figures/t.rst": caption,
        "paper/captions/tables/t.rst": caption,
        "results/values/radar.json": '{"lists": {}, "values": {}}',
        # Where the source paper prints the numbers of the table: nowhere.
        "results/tables/t.csv": "place\n\n",
        "results/tables/shown/t.csv": TABLE,
        "results/figures/t.svg": SVG,
        "results/figures/t.pdf": "",
    }
    for name in PAPER_FILES:
        files[f"paper/{name}"] = (REPOSITORY / "paper" / name).read_text()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    sources = [folder / name for name in files if name.startswith("paper/")]
    results = [folder / name for name in files if name.startswith("results/")]
    typeset(folder / "paper/page.typ", sources, results, ["radar"], folder / "index.html")
    return folder / "index.html"


@pytest.fixture
def visit(browser: Browser, html: Path) -> Iterator[Visit]:
    """The page, opened in a browser."""
    page = browser.new_page()
    yield Visit(page, html)
    page.close()


def column(page: Page, number: int) -> list[str]:
    """The cells of a column of the table, from top to bottom; the first column has the number 1."""
    cells = page.locator(f"tbody td:nth-child({number})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_a_picture_from_the_network_that_somebody_adds_to_the_page_is_refused(
    browser: Browser, html: Path, tmp_path: Path
) -> None:
    picture = "<img src='https://example.org/x.png'>"
    changed = tmp_path / "index.html"
    changed.write_text(html.read_text().replace("</main>", f"{picture}</main>"))

    page = browser.new_page()
    messages = Visit(page, changed).messages
    page.close()

    assert any("Content Security Policy" in message for message in messages)


def test_a_click_sorts_by_number_or_word_and_a_third_restores_the_printed_order(
    visit: Visit,
) -> None:
    page = visit.page
    share = page.get_by_role("columnheader", name="share")
    printed = column(page, 1)

    assert share.get_attribute("aria-sort") is None

    share.get_by_role("button").click()

    # Sorted by the first number in the cell: -0.5, <0.001 (as 0.001), 3.25, 5 of 12 (as 5), 1,000.
    assert column(page, 1) == ["Two", "beta", "alpha", "gamma", "ten"]
    assert share.get_attribute("aria-sort") == "ascending"

    share.get_by_role("button").press("Enter")
    assert column(page, 1) == ["ten", "gamma", "alpha", "beta", "Two"]
    assert share.get_attribute("aria-sort") == "descending"

    share.get_by_role("button").press("Space")
    assert column(page, 1) == printed
    assert share.get_attribute("aria-sort") is None


def test_empty_cells_stay_last_and_one_column_is_sorted_at_a_time(visit: Visit) -> None:
    page = visit.page
    left = page.get_by_role("button", name="left")
    name = page.get_by_role("button", name="name")
    left.click()

    assert column(page, 3) == ["1", "2", "10", "", ""]

    left.click()
    assert column(page, 3) == ["10", "2", "1", "", ""]

    name.click()
    assert column(page, 1) == ["alpha", "beta", "gamma", "ten", "Two"]
    # Only the first column, name, is sorted now.
    assert [header.get_attribute("aria-sort") for header in page.locator("th").all()] == [
        "ascending",
        None,
        None,
        None,
    ]


def test_sections_tables_figures_and_references_are_numbered(visit: Visit) -> None:
    """That every anchor resolves is tested on the paper itself."""
    page = visit.page
    assert page.locator("nav a").all_inner_texts() == [
        "1 One",
        "1.1 Two",
        "Bibliography",
        "2 Three",
    ]

    paragraph = page.get_by_text("See ").inner_text().replace("\N{NO-BREAK SPACE}", " ")
    assert paragraph.startswith("See Section 1.1, Table 1, Figure 1, [1] and")
    assert page.locator("figcaption").all_inner_texts() == [
        "Table 1. What is shown in t. And more. results/tables/t.csv · script · record",
        "Figure 1. What is shown in t. And more. results/figures/t.pdf · script · record",
    ]


def test_numbers_are_right_aligned(visit: Visit) -> None:
    """The columns are name, share, left and words; share and left are numbers."""
    cells = visit.page.locator("tbody tr:first-child td")
    aligned = cells.evaluate_all("cells => cells.map(cell => getComputedStyle(cell).textAlign)")

    assert aligned == ["left", "right", "right", "left"]


def test_pictures_tables_and_formulas_can_be_read_aloud(visit: Visit) -> None:
    page = visit.page
    assert page.title() == "A paper"
    assert page.get_by_role("main").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1

    assert page.locator("img").get_attribute("alt") == "What is shown in t."
    # The table and the figure may be wider than the window: each is in a region that scrolls.
    assert page.get_by_role("region", name="What is shown in t.").count() == 2
    assert page.locator("th[scope=col]").count() == 4
    # One formula in the text, and one of its own.
    assert page.locator("math").count() == 2
    assert page.locator("td").last.inner_text() == "<b>7</b> & more"
