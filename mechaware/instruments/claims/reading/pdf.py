"""Reads a PDF: pypdf reads the text of its pages,
and pdfium finds prose that the pages do not show.
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

# Bytes at the end of a file that must hold the end marker: readers accept other data after it.
END_WITHIN = 16384
# Letters on a page, in the mean over the pages; about 30 words. A damaged file has fewer, and so
# has a scan with a stamp.
MIN_LETTERS = 150
# Points of font size on the page. Smaller letters count as letters of no size, which pdfium does
# not list.
MIN_SIZE = 0.05
UNSUPPORTED_ENCRYPTION = (
    "it is encrypted in a way that is not supported here; enter a copy without encryption"
)
# A hyphen that divides a word at the end of a line.
LINE_END = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010][ \t]*\n(?=[a-z])")
# TeX sets an accent and its letter as two characters, and pypdf returns the accent before the
# letter. For each accent, the combining character that follows a letter in Unicode. Accents that
# formulas also use are not in the list and stay as they are.
ACCENTS = {
    "\u00b4": "\u0301",  # acute
    "\u00a8": "\u0308",  # diaeresis
    "\u02c7": "\u030c",  # caron
    "\u02da": "\u030a",  # ring above
    "\u00b8": "\u0327",  # cedilla
}
# Ligatures have these codes in TeX's T1 encoding, and fonts may not map the codes to Unicode.
LIGATURES = str.maketrans({"\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi", "\x1f": "ffl"})
# U+0131 is an i without its dot, which TeX sets under accents.
ACCENTED = re.compile(rf"([{''.join(ACCENTS)}]) ?([A-Za-z\u0131])")


def read_pdf(document: Path, max_pages: int) -> DocumentText:
    """The text of the first `max_pages` pages and, separately, the prose that these pages hide.

    The judges of the paper on Claim Validity Scores read at most 50 pages (section 3.1).

    Ligatures and other compatibility characters are replaced (NFKC), and words that a line end cuts
    are joined. Page numbers and line numbers are left out; running heads and feet are moved to the
    end of the text, except the first head, which may be the title. A file that is encrypted by RC4
    or AES is read if it opens without a password; `cryptography` decrypts it.

    Raises `UnreadableError` of kind empty, not_pdf, truncated, encrypted (it asks for a password),
    unsupported_encryption, no_text or corrupt; `MemoryError` if the document takes more memory than
    the process has or more than pypdf allows.
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
            raise UnreadableError("unsupported_encryption", UNSUPPORTED_ENCRYPTION) from error
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
    """The text of each of the first `count` pages, and the prose that these pages hide.

    Pages after the one that brings the texts above `MAX_CHARACTERS` in total are not read. Raises
    `UnreadableError` of kind unsupported_encryption or corrupt, and `MemoryError`.
    """
    texts: list[str] = []
    hidden: list[Hidden] = []
    try:
        reader = PdfReader(io.BytesIO(data))
        for index in range(count):
            number = index + 1
            text, sizeless = _page_text(reader.pages[index])
            page = pdf[index]
            unseen = unseen_prose(page, number)
            if sizeless is not None:
                unseen.append(Hidden(number, "not visible", sizeless))
            shown, withheld = cut(text, unseen)
            page.close()
            texts.append(shown)
            hidden += withheld
            if sum(map(len, texts)) > MAX_CHARACTERS:
                break
    except DependencyError as error:
        raise UnreadableError("unsupported_encryption", UNSUPPORTED_ENCRYPTION) from error
    except (MemoryError, LimitReachedError):
        raise MemoryError from None
    except Exception as error:  # pypdf raises many kinds for a damaged file
        message = f"it cannot be read from page {len(texts) + 1} on; enter an intact copy"
        raise UnreadableError("corrupt", message, hidden) from error
    return texts, hidden


def _page_text(page: PageObject) -> tuple[str, str | None]:
    """The text of a page, and its text in letters of no size, None if that is not prose.

    pdfium does not list letters of no size.
    """
    sizeless_parts: list[str] = []

    def visit(text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        """Keep text of no size. `cm` and `tm` are the matrices [a b c d e f] of the
        page and of the text.
        """
        # The area on the page, in square points, of a square of one unit of the text.
        area = _determinant(cm) * _determinant(tm)
        drawn_size = abs(size) * abs(area) ** 0.5
        has_own_scale = (font or {}).get("/Subtype") == "/Type3"
        if drawn_size < MIN_SIZE and not has_own_scale:
            sizeless_parts.append(text)

    text = _composed(page.extract_text(visitor_text=visit))
    sizeless = _composed("".join(sizeless_parts))
    return text, sizeless if is_prose(sizeless) else None


def _determinant(matrix: Sequence[float]) -> float:
    """The factor by which a matrix [a b c d e f] of a PDF scales areas."""
    a, b, c, d = matrix[:4]
    return a * d - b * c


def _composed(text: str) -> str:
    """The text in NFKC, with ligatures as letters, and with each accent and the letter after it as
    one accented letter.

    An accent stays as it is before a letter that has no such accented form.
    """

    def compose(match: re.Match[str]) -> str:
        accent, letter = match.groups()
        dotted = letter.replace("\u0131", "i")
        composed = unicodedata.normalize("NFC", dotted + ACCENTS[accent])
        return composed if len(composed) == 1 else match[0]

    without_ligatures = text.translate(LIGATURES)
    return unicodedata.normalize("NFKC", ACCENTED.sub(compose, without_ligatures))
