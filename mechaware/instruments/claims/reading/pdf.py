"""Reads a PDF: pypdf reads the text of its pages,
and pdfium looks for prose that they do not show.
"""

import io
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium2
import pypdfium2.raw as pdfium
from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, LimitReachedError

from mechaware.instruments.claims.fetching.papers import PDF_MAGIC_WITHIN, begins_as_pdf
from mechaware.instruments.claims.reading.margins import without_margins
from mechaware.instruments.claims.reading.readings import (
    MAX_CHARACTERS,
    DocumentText,
    Hidden,
    UnreadableError,
    check_not_empty,
    is_prose,
)
from mechaware.instruments.claims.reading.unseen_prose import unseen_prose
from mechaware.instruments.claims.reading.withholding import cut

END_WITHIN = 16384  # bytes: readers accept some after the end marker
# the mean of the pages, some 30 words: a damaged file has fewer, and so has a scan with a stamp
MIN_LETTERS = 150
MIN_SIZE = 0.05  # points; pdfium lists no letters of no size
LINE_END = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*\n(?=[a-z])")
# pypdf gives the accent that TeX sets above a letter before it. Accents that formulas also use stay
# as they are.
ACCENTS = {
    "\u00b4": "\u0301",
    "\u00a8": "\u0308",
    "\u02c7": "\u030c",
    "\u02da": "\u030a",
    "\u00b8": "\u0327",
}
# Ligatures that a font of TeX's T1 encoding has at these codes, and no map to Unicode for.
LIGATURES = str.maketrans({"\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi", "\x1f": "ffl"})
ACCENTED = re.compile(rf"([{''.join(ACCENTS)}]) ?([A-Za-z\u0131])")


def read_pdf(document: Path, max_pages: int) -> DocumentText:
    """The text of the first pages and, apart from it, prose that they hide (section 3.1: at most 50
    pages).

    Ligatures and other compatibility characters are replaced (NFKC), words that a line end cuts are
    joined, and running heads, page numbers and line numbers are left out. A file that is encrypted
    by RC4 or AES is read if it opens without a password; `cryptography` decrypts it. Raises
    `UnreadableError` of kind empty, not_pdf, truncated, encrypted (it asks for a password),
    unsupported_encryption, no_text, memory or corrupt.
    """
    data = document.read_bytes()
    _check_ends(data)
    with _opened(data) as pdf:
        # Draw form fields, as viewers do. pypdfium2's `init_forms` would leave out fields that the
        # form does not list.
        config = pdfium.FPDF_FORMFILLINFO(version=2)
        environment = pdfium.FPDFDOC_InitFormFillEnvironment(pdf, config)
        pdf.formenv = pdfium2.PdfFormEnv(environment, config)
        pages = len(pdf)
        texts, hidden = _read_pages(data, pdf, min(pages, max_pages))

    letters = sum(map(str.isalpha, "".join(texts)))
    if letters < MIN_LETTERS * len(texts):
        message = "it has hardly any text, as a scan or a damaged file; enter a copy with real text"
        raise UnreadableError("no_text", message, hidden)
    joined = [LINE_END.sub("", text) for text in without_margins(texts)]
    return DocumentText(joined, hidden, pages)


def _opened(data: bytes) -> pdfium2.PdfDocument:
    """The document. Raises `UnreadableError` of kind encrypted,
    unsupported_encryption or corrupt.
    """
    try:
        return pdfium2.PdfDocument(data)
    except pdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise UnreadableError(
                "encrypted", "it asks for a password; enter a copy without one"
            ) from error
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            message = "it is encrypted in a way that is not supported here; enter a copy without encryption"
            raise UnreadableError("unsupported_encryption", message) from error
        raise UnreadableError(
            "corrupt", "it cannot be read as a PDF; enter an intact copy"
        ) from error


def _check_ends(data: bytes) -> None:
    """Raise `UnreadableError` unless a file begins and ends as a PDF:
    kind empty, not_pdf or truncated.
    """
    check_not_empty(data)
    if not begins_as_pdf(data):
        begins_as_html = data[:PDF_MAGIC_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        what = "a web page" if begins_as_html else "something else"
        raise UnreadableError("not_pdf", f"it is named a PDF but is {what}; enter the PDF itself")
    if b"%%EOF" not in data[-END_WITHIN:]:
        raise UnreadableError(
            "truncated", "it ends before its end marker, so a part is missing; enter an intact copy"
        )


def _read_pages(
    data: bytes, pdf: pdfium2.PdfDocument, count: int
) -> tuple[list[str], list[Hidden]]:
    """The text of each page up to `MAX_CHARACTERS` in all, and the prose that the pages hide."""
    texts: list[str] = []
    hidden: list[Hidden] = []
    try:
        reader = PdfReader(io.BytesIO(data))
        for index in range(count):
            number = index + 1
            text, specks = _page_text(reader.pages[index])
            page = pdf[index]
            unseen = unseen_prose(page, number)
            unseen += [Hidden(number, "not visible", speck) for speck in specks]
            shown, withheld = cut(text, unseen)
            page.close()
            texts.append(shown)
            hidden += withheld
            if sum(map(len, texts)) > MAX_CHARACTERS:
                break
    except DependencyError as error:
        message = (
            "it is encrypted in a way that is not supported here; enter a copy without encryption"
        )
        raise UnreadableError("unsupported_encryption", message) from error
    except (MemoryError, LimitReachedError):
        raise MemoryError from None
    except Exception as error:  # pypdf raises many kinds for a damaged file
        message = f"it cannot be read from page {len(texts) + 1} on; enter an intact copy"
        raise UnreadableError("corrupt", message, hidden) from error
    return texts, hidden


def _page_text(page: PageObject) -> tuple[str, list[str]]:
    """The text of a page, and its prose in letters of no size,
    which pdfium does not list: one text or none.
    """
    specks: list[str] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        """Keep text of no size. `cm` and `tm` are the matrices [a b c d e f] of the
        page and of the text.
        """
        area = _determinant(cm) * _determinant(tm)  # of a square of one point, on the page
        drawn_size = abs(size) * abs(area) ** 0.5
        has_own_scale = (font or {}).get("/Subtype") == "/Type3"
        if drawn_size < MIN_SIZE and not has_own_scale:
            specks.append(text)

    text = _composed(page.extract_text(visitor_text=visit))
    tiny = _composed("".join(specks))
    return text, [tiny] if is_prose(tiny) else []


def _determinant(matrix: Sequence[float]) -> float:
    """The factor by which a matrix [a b c d e f] of a PDF scales areas."""
    a, b, c, d = matrix[:4]
    return a * d - b * c


def _composed(text: str) -> str:
    """The text in NFKC, with ligatures resolved, and with each accent before its letter as one
    accented letter.

    An accent stays as it is before a letter that has no such accented form.
    """

    def compose(match: re.Match[str]) -> str:
        accent, letter = match.groups()
        dotted = letter.replace("\u0131", "i")
        composed = unicodedata.normalize("NFC", dotted + ACCENTS[accent])
        return composed if len(composed) == 1 else match[0]

    with_ligatures = text.translate(LIGATURES)
    return unicodedata.normalize("NFKC", ACCENTED.sub(compose, with_ligatures))
