"""Reads a PDF: the text that its pages show, and apart from it the text that they hide."""

from pathlib import Path

import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium

from mechaware.claims.fetching.documents import PDF_MAGIC_WITHIN, begins_as_pdf
from mechaware.claims.reading.pdf.page import read_page
from mechaware.claims.reading.readings import MAX_CHARACTERS, Hidden, Reading, UnreadableError, check_not_empty

END_WITHIN = 16384  # bytes: readers accept some after the end marker


def read_pdf(document: Path, max_pages: int) -> Reading:
    """The visible text of the first pages and, apart from it, the hidden text (section 3.1: at most 50 pages).

    pdfium both draws the pages and reads their letters, so that what is read is what was drawn. An empty password is
    tried. Raises `UnreadableError` of kind empty, not_pdf, truncated, encrypted, unsupported_encryption, no_text or
    corrupt.
    """
    data = document.read_bytes()
    _check_ends(data)
    with _opened(data) as pdf:
        _prepare_fields(pdf)
        pages = len(pdf)
        if not pages:
            raise UnreadableError("corrupt", "it has no pages; enter an intact copy")
        texts, hidden = _read_pages(pdf, min(pages, max_pages))
    if not any(character.isalnum() for text in texts for character in text):
        what = "only hidden text, as scans with a text layer have" if hidden else "no text, as scans have"
        raise UnreadableError("no_text", f"it has {what}; enter a copy with real text", hidden)
    return Reading("\n\n".join(texts), hidden, pages, len(texts))


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


def _read_pages(pdf: pdfium2.PdfDocument, count: int) -> tuple[list[str], list[Hidden]]:
    """The text of each page up to `MAX_CHARACTERS` in all, and the hidden text."""
    texts: list[str] = []
    hidden: list[Hidden] = []
    left = MAX_CHARACTERS
    for index in range(count):
        if left <= 0:
            break
        try:
            page = pdf[index]
        except pdfium2.PdfiumError as error:
            raise UnreadableError("corrupt", f"its page {index + 1} cannot be read; enter an intact copy") from error
        text, more = read_page(page, index + 1, left)
        page.close()
        texts.append(text)
        hidden += [piece for piece in more if any(character.isalnum() for character in piece.text)]
        left -= len(text) + sum(len(piece.text) for piece in more)
    return texts, hidden
