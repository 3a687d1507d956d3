"""Reads a PDF: pypdf reads the text of its pages, and pdfium looks for prose that they do not show."""

import io
import re
import unicodedata
from pathlib import Path

import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from mechaware.claims.fetching.documents import PDF_MAGIC_WITHIN, begins_as_pdf
from mechaware.claims.reading.readings import MAX_CHARACTERS, Hidden, Reading, UnreadableError, check_not_empty
from mechaware.claims.reading.unseen_prose import cut, unseen_prose

END_WITHIN = 16384  # bytes: readers accept some after the end marker
FEWEST_WORDS = 20  # a page on average: a scan with a stamp and a damaged file have fewer
LINE_END = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*\n(?=[a-z])")


def read_pdf(document: Path, max_pages: int) -> Reading:
    """The text of the first pages and, apart from it, prose that they hide (section 3.1: at most 50 pages).

    Ligatures and other compatibility characters are replaced (NFKC), and words that a line end cuts are joined. An
    empty password is tried. Raises `UnreadableError` of kind empty, not_pdf, truncated, encrypted,
    unsupported_encryption, no_text or corrupt.
    """
    data = document.read_bytes()
    _check_ends(data)
    with _opened(data) as pdf:
        _prepare_fields(pdf)
        if not len(pdf):
            raise UnreadableError("corrupt", "it has no pages; enter an intact copy")
        texts, hidden = _read_pages(PdfReader(io.BytesIO(data)), pdf, min(len(pdf), max_pages))
        pages = len(pdf)
    if sum(len(text.split()) for text in texts) < FEWEST_WORDS * len(texts):
        raise UnreadableError("no_text", "it has hardly any text, as scans have; enter a copy with real text", hidden)
    return Reading(texts, hidden, pages)


def _opened(data: bytes) -> pdfium2.PdfDocument:
    try:
        return pdfium2.PdfDocument(data)
    except pdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadableError("encrypted", "it asks for a password; enter a copy without one") from error
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            message = "it is encrypted in a way that is not supported here; enter a copy without encryption"
            raise UnreadableError("unsupported_encryption", message) from error
        raise UnreadableError("corrupt", "it cannot be read as a PDF; enter an intact copy") from error


def _prepare_fields(pdf: pdfium2.PdfDocument) -> None:
    """Have form fields drawn, as viewers do: those too that the document's form does not list, unlike `init_forms`."""
    config = pdfium.FPDF_FORMFILLINFO(version=2)
    environment = pdfium.FPDFDOC_InitFormFillEnvironment(pdf, config)
    if not environment:
        raise UnreadableError("corrupt", "its form cannot be read; enter an intact copy")
    pdf.formenv = pdfium2.PdfFormEnv(environment, config)


def _check_ends(data: bytes) -> None:
    check_not_empty(data)
    if not begins_as_pdf(data):
        begins_as_html = data[:PDF_MAGIC_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        what = "a web page" if begins_as_html else "something else"
        raise UnreadableError("not_pdf", f"it is named a PDF but is {what}; enter the PDF itself")
    if b"%%EOF" not in data[-END_WITHIN:]:
        raise UnreadableError("truncated", "it ends before its end marker, so a part is missing; enter an intact copy")


def _read_pages(reader: PdfReader, pdf: pdfium2.PdfDocument, count: int) -> tuple[list[str], list[Hidden]]:
    """The text of each page up to `MAX_CHARACTERS` in all, and the prose that the pages hide."""
    texts: list[str] = []
    hidden: list[Hidden] = []
    left = MAX_CHARACTERS
    for index in range(count):
        if left <= 0:
            break
        try:
            text = reader.pages[index].extract_text()[:left]
            page = pdf[index]
        except DependencyError as error:
            message = "it is encrypted in a way that is not supported here; enter a copy without encryption"
            raise UnreadableError("unsupported_encryption", message) from error
        except (PyPdfError, pdfium2.PdfiumError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise UnreadableError("corrupt", f"its page {index + 1} cannot be read; enter an intact copy") from error
        shown, withheld = cut(LINE_END.sub("", unicodedata.normalize("NFKC", text)), unseen_prose(page, index + 1))
        page.close()
        texts.append(shown)
        hidden += withheld
        left -= len(text)
    return texts, hidden
