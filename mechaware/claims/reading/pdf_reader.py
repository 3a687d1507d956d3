"""The child process that reads one document: it holds limits of its own, and what it meets stays in it."""

import json
import logging
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

MAGIC_WITHIN = 1024  # bytes
END_WITHIN = 16384  # bytes; readers accept some after the end marker


class Hidden(NamedTuple):
    """A piece of hidden text with its page, counted from 1, and the reason."""

    page: int
    reason: str
    text: str


class Reading(NamedTuple):
    """What came out of a document; `pages` is None where it has none."""

    text: str
    hidden: list[Hidden]
    pages: int | None = None
    pages_read: int | None = None


class UnreadableError(Exception):
    """The document cannot be used: a kind for tables, a message, and what hidden text was found nevertheless."""

    def __init__(self, kind: str, message: str, hidden: Sequence[Hidden] = ()) -> None:
        super().__init__(message)
        self.kind, self.hidden = kind, hidden


def read_pdf(document: Path, max_pages: int) -> Reading:
    """The visible text of the first pages and, apart from it, the hidden text (section 3.1: at most 50 pages).

    Raises `UnreadableError` of kind not_pdf, truncated, encrypted, unsupported_encryption, no_text, too_large or
    corrupt.
    """
    import pypdf
    from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

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
    if not data:
        raise UnreadableError("empty", "the file is empty; enter an intact copy")
    if b"%PDF-" not in data[:MAGIC_WITHIN]:
        what = "a web page" if data[:MAGIC_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else "something else"
        raise UnreadableError("not_pdf", f"it is named a PDF but is {what}; enter the PDF itself")
    if b"%%EOF" not in data[-END_WITHIN:]:
        raise UnreadableError("truncated", "it ends before its end marker, so a part is missing; enter an intact copy")


def _read_pages(reader: Any, count: int) -> tuple[list[str], list[Hidden]]:
    """Each page is read as it is seen; one with hidden text once more for each reason, with that text alone."""
    from mechaware.claims.reading.hidden_text import REASONS, TextFilter

    if not count:
        raise UnreadableError("corrupt", "it has no pages; enter an intact copy")
    off_layers = _off_layers(reader)
    texts, hidden = [], []
    for number in range(count):
        page = reader.pages[number]
        seen = TextFilter(page, off_layers)
        texts.append(page.extract_text(visitor_operand_before=seen.before, visitor_operand_after=seen.after))
        for reason in REASONS:
            if reason in seen.found:
                one = TextFilter(page, off_layers, keep=reason)
                text = page.extract_text(visitor_operand_before=one.before, visitor_operand_after=one.after)
                if any(character.isalnum() for character in text):  # not a mere bullet or an overfull line's bracket
                    hidden.append(Hidden(number + 1, reason, text))
    return texts, hidden


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


def read_plain(document: Path) -> Reading:
    """The text of a UTF-8 file. Raises `UnreadableError` of kind encoding or empty."""
    try:
        text = document.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("encoding", f"it is not UTF-8 from byte {error.start} on; save it as UTF-8") from error
    if not text.strip():
        raise UnreadableError("empty", "the file is empty; enter an intact copy")
    return Reading(text, [])


def main() -> None:
    """Print the reading of a document, or why there is none, as JSON: `document max_pages memory_mb timeout_s`."""
    document, max_pages, memory_mb, timeout_s = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    seconds = int(float(timeout_s)) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.disable()
    sys.setrecursionlimit(5000)
    try:
        if document.suffix == ".pdf":
            reading = read_pdf(document, max_pages)
        elif document.suffix == ".html":
            from mechaware.claims.reading.html_reader import read_html

            reading = read_html(document)
        else:
            reading = read_plain(document)
        answer: dict[str, Any] = reading._asdict()
    except UnreadableError as error:
        answer = {"kind": error.kind, "message": str(error), "hidden": error.hidden}
    except MemoryError:
        answer = {
            "kind": "memory",
            "message": f"reading it takes more than {memory_mb} MB; enter a plain copy",
            "hidden": [],
        }
    sys.stdout.write(json.dumps(answer))
