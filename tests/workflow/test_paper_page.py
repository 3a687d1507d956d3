"""The paper of one small real run as a web page: it has what the PDF has,
and its numbers are those of the PDF.
"""

import re
import shutil
from collections import Counter
from html import unescape
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from playwright.sync_api import Browser
from pypdfium2 import PdfDocument

from exhibits.report.typesetting import typeset
from tests.browser import Visit
from tests.checkout import Checkout
from tests.one_page import on_one_page
from tests.outputs import FIGURES, TABLES

STUDIES = ["radar", "grounding", "claims"]


def without_markup(html: str) -> str:
    """The text of a page without its table of contents, which repeats the headings.

    Pictures have no text here.
    """
    body = html[html.index("<body") :]
    text_and_tags = re.sub(r"<(nav|script|style)\b.*?</\1>", " ", body, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", text_and_tags))


def numbers(text: str) -> Counter[str]:
    """The numbers of a text, however it is broken into lines; digits within a word count, too."""
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.fixture(scope="module")
def html(finished: Checkout) -> str:
    """The page of the small run's paper."""
    return (finished.folder / "results/paper/index.html").read_text()


def text_of_the_pdf(finished: Checkout, folder: Path) -> str:
    """The text of the PDF, set without page numbers and with blank pictures.

    `without_markup` gives no text of pictures, either.
    """
    main = on_one_page(finished.folder, folder, width="60cm") / "paper/main.typ"
    shutil.copytree(finished.folder / "results/tables", folder / "results/tables")
    shutil.copytree(finished.folder / "results/values", folder / "results/values")
    (folder / "results/grounding").mkdir()
    shutil.copy(finished.folder / "results/grounding/pairs.jsonl", folder / "results/grounding")
    (folder / "results/figures").mkdir()
    Figure(figsize=(1, 1)).savefig(folder / "blank.pdf")
    for name in FIGURES:
        shutil.copy(folder / "blank.pdf", folder / f"results/figures/{name}.pdf")
    files = [path for path in folder.rglob("*.*") if path.is_file()]
    results = [path for path in files if path.is_relative_to(folder / "results")]
    sources = [path for path in files if path not in results and path.name != "blank.pdf"]
    typeset(main, sources, results, STUDIES, folder / "paper.pdf")
    pages = PdfDocument(folder / "paper.pdf")
    return " ".join(page.get_textpage().get_text_range() for page in pages)


def test_pdf_and_page_show_the_same_numbers(finished: Checkout, html: str, tmp_path: Path) -> None:
    shown = numbers(without_markup(html))
    printed = numbers(text_of_the_pdf(finished, tmp_path))

    assert shown.total() > 1000
    assert shown - printed == Counter()
    assert printed - shown == Counter()


def test_every_table_and_figure_is_in_it_and_every_anchor_resolves(
    finished: Checkout, html: str
) -> None:
    ids = re.findall(r'\bid="([^"]*)"', html)
    assert len(ids) == len(set(ids))
    assert {f"tab:{name}" for name in TABLES} | {f"fig:{name}" for name in FIGURES} <= set(ids)

    anchors = {f"#{name}" for name in ids}
    links = re.findall(r'<a [^>]*href="([^"]*)"', html)
    assert len(links) > len(ids) / 2  # the pattern finds links: most anchors are referred to

    for link in links:
        if link.startswith("../"):
            assert (finished.folder / "results/paper" / link).exists(), link
        elif not link.startswith("https://"):
            assert link in anchors, link
    assert html.count("<img ") == html.count('<img src="data:image/svg+xml;base64,') == len(FIGURES)
    assert len(re.findall(r'<img [^>]*alt="[^"]{20,}"', html)) == len(FIGURES)


def test_a_browser_fetches_nothing_for_it_and_finds_no_fault_and_it_fits_a_phone(
    browser: Browser, finished: Checkout
) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 800})
    file = finished.folder / "results/paper/index.html"
    visit = Visit(page, file)

    assert (visit.requests, visit.messages) == ([file.as_uri()], [])
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    pictures = page.locator("img").evaluate_all("images => images.map(image => image.naturalWidth)")
    assert len(pictures) == len(FIGURES)
    assert min(pictures) > 0

    page.close()
