"""The PDF of a planted paper has its sentences, and nothing that differs by the day."""

import io
import re

import pytest
from pypdf import PdfReader

from mechaware.planted.papers.manuscript import Manuscript, compose
from mechaware.planted.papers.typesetting import _print_pdf, _typeset
from tests.unit.planted.papers.made_papers import claim, paper_of


@pytest.fixture(scope="module")
def manuscript() -> Manuscript:
    """A paper with a table and with leaks."""
    claims = (
        claim("YES", system=True),
        claim("PARTIAL", system=False),
        claim("NO", system=False, leaks=("I2", "E2")),
    )
    return compose(paper_of(*claims, seed=7, tabled=True))


@pytest.fixture(scope="module")
def reader(manuscript: Manuscript) -> PdfReader:
    return PdfReader(io.BytesIO(_print_pdf(_typeset(manuscript))))


def without_spaces(text: str) -> str:
    """Text without white space, which a PDF does not keep."""
    return re.sub(r"\s+", "", text)


def test_every_sentence_can_be_extracted_from_the_pdf_as_it_was_written(
    manuscript: Manuscript, reader: PdfReader
) -> None:
    extracted = ""
    for page in reader.pages:
        page_number = r"\n\d+$"
        extracted += re.sub(page_number, "", page.extract_text().rstrip())
    for sentence in manuscript.sentences():
        assert without_spaces(sentence.text) in without_spaces(extracted)


def test_the_pdf_has_neither_ligatures_nor_hyphenated_words(reader: PdfReader) -> None:
    extracted = "".join(page.extract_text() for page in reader.pages)
    soft_hyphen = "\u00ad"
    assert not set(f"ﬀﬁﬂﬃﬄ{soft_hyphen}") & set(extracted)
    assert not re.search(r"\w-\n", extracted)


def test_the_pdf_has_no_date(reader: PdfReader) -> None:
    assert set(reader.metadata or {}) == {"/Title", "/Creator"}


def test_the_pages_are_a4(reader: PdfReader) -> None:
    width = 595.28  # 210 mm in points of 1/72 inch
    assert all(page.mediabox.width == pytest.approx(width, abs=0.1) for page in reader.pages)
