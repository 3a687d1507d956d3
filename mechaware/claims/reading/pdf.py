"""Reads a PDF: the text that its pages show, and apart from it the text that they hide."""

from pathlib import Path
from typing import Any

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

from mechaware.claims.fetching.documents import PDF_MAGIC_WITHIN, begins_as_pdf
from mechaware.claims.reading.pdf_hidden_text import PdfTextFilter
from mechaware.claims.reading.readings import Hidden, Reading, UnreadableError, check_not_empty
from mechaware.claims.rubric.text_flags import HIDDEN_REASONS

END_WITHIN = 16384  # bytes: readers accept some after the end marker


def read_pdf(document: Path, max_pages: int) -> Reading:
    """The visible text of the first pages and, apart from it, the hidden text (section 3.1: at most 50 pages).

    Raises `UnreadableError` of kind empty, not_pdf, truncated, encrypted, unsupported_encryption, no_text,
    too_large or corrupt.
    """
    _check_ends(document.read_bytes())
    try:
        reader = pypdf.PdfReader(document)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("encrypted", "it asks for a password; enter a copy without one")
        pages = len(reader.pages)
        texts, hidden = _read_pages(reader, min(pages, max_pages))
    except (UnreadableError, MemoryError):
        raise
    except DependencyError as error:  # not one of pypdf's own errors; AES without the package `cryptography`
        message = "it is encrypted in a way that is not supported here; enter a copy without encryption"
        raise UnreadableError("unsupported_encryption", message) from error
    except FileNotDecryptedError as error:
        raise UnreadableError("encrypted", "it asks for a password; enter a copy without one") from error
    except LimitReachedError as error:
        message = f"it unpacks to more than a paper can hold ({_line(error)}); enter a plain copy"
        raise UnreadableError("too_large", message) from error
    except Exception as error:  # broken files raise nearly anything
        message = f"it cannot be read as a PDF ({type(error).__name__}: {_line(error)}); enter an intact copy"
        raise UnreadableError("corrupt", message) from error
    if not any(character.isalnum() for text in texts for character in text):
        what = "only hidden text, as scans with a text layer have" if hidden else "no text, as scans have"
        raise UnreadableError("no_text", f"it has {what}; enter a copy with real text", hidden)
    return Reading("\n\n".join(texts), hidden, pages, len(texts))


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _check_ends(data: bytes) -> None:
    check_not_empty(data)
    if not begins_as_pdf(data):
        begins_as_html = data[:PDF_MAGIC_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        what = "a web page" if begins_as_html else "something else"
        raise UnreadableError("not_pdf", f"it is named a PDF but is {what}; enter the PDF itself")
    if b"%%EOF" not in data[-END_WITHIN:]:
        raise UnreadableError("truncated", "it ends before its end marker, so a part is missing; enter an intact copy")


def _read_pages(reader: Any, count: int) -> tuple[list[str], list[Hidden]]:
    """The visible text of each page, and the hidden text, for which its page is read once more for each reason."""
    if not count:
        raise UnreadableError("corrupt", "it has no pages; enter an intact copy")
    off_layers = _off_layers(reader)
    texts, hidden = [], []
    for number in range(count):
        page = reader.pages[number]
        visible = PdfTextFilter(page, off_layers)
        texts.append(_filtered_text(page, visible))
        for reason in HIDDEN_REASONS:
            if reason in visible.reasons:
                text = _filtered_text(page, PdfTextFilter(page, off_layers, keep=reason))
                if any(character.isalnum() for character in text):  # more than a bullet or a bracket
                    hidden.append(Hidden(number + 1, reason, text))
    return texts, hidden


def _filtered_text(page: Any, text_filter: PdfTextFilter) -> str:
    text: str = page.extract_text(visitor_operand_before=text_filter.before, visitor_operand_after=text_filter.after)
    return text


def _off_layers(reader: Any) -> frozenset[int]:
    """Object numbers of the layers that are off when the document is opened."""
    properties = reader.trailer["/Root"].get_object().get("/OCProperties")
    if properties is None:
        return frozenset()
    properties = properties.get_object()
    shown = properties.get("/D", {}).get_object() if "/D" in properties else {}
    off = {layer.idnum for layer in shown.get("/OFF", []) if hasattr(layer, "idnum")}
    if shown.get("/BaseState") == "/OFF":
        on = {layer.idnum for layer in shown.get("/ON", []) if hasattr(layer, "idnum")}
        off |= {layer.idnum for layer in properties.get("/OCGs", []) if hasattr(layer, "idnum")} - on
    return frozenset(off)
