"""The child process that reads one document within limits of memory and time, whatever its format."""

import json
import logging
import resource
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechaware.core import run_module
from mechaware.instruments.claims.reading.addressing import addressing_sentences
from mechaware.instruments.claims.reading.flags import paper_flags
from mechaware.instruments.claims.reading.readings import (
    MAX_CHARACTERS,
    DocumentText,
    Hidden,
    UnreadableError,
    clean,
    read_plain,
    unseen_tags,
)

Answer = dict[str, Any]  # the fields of a `PaperText` but for the paper, and `text`
PAGE_BREAK = "\n\n"


def command(document: Path, *, max_pages: int, memory_mb: int, timeout_s: float) -> list[str]:
    """The command that starts the child; its standard output is an `Answer` as JSON."""
    limits = [str(max_pages), str(memory_mb), str(timeout_s)]
    return [*run_module.command(__name__), str(document), *limits]


def fault(kind: str, message: str, hidden: Sequence[Hidden] = ()) -> Answer:
    """The answer for a document that cannot be read."""
    answer = _answer_of(DocumentText([], list(hidden)))
    answer["fault"] = {"kind": kind, "message": message}
    return answer


def out_of_memory(memory_mb: int) -> Answer:
    """The answer for a document that takes more than the limit of memory."""
    return fault("memory", f"reading it takes more than {memory_mb} MB; enter a plain copy")


def main() -> None:
    """Print the answer for the document of the command line."""
    document, max_pages, memory_mb, timeout_s = sys.argv[1:]
    _limit(int(memory_mb), float(timeout_s))
    logging.disable()
    sys.setrecursionlimit(5000)
    try:
        answer = _answer_of(_read(Path(document), int(max_pages)))
    except UnreadableError as error:
        answer = fault(error.kind, str(error), error.hidden)
    except MemoryError:
        answer = out_of_memory(int(memory_mb))
    sys.stdout.write(json.dumps(answer))


def _limit(memory_mb: int, timeout_s: float) -> None:
    """Limit this process to `memory_mb` of address space and `timeout_s` of processor time, without a core file."""
    memory_bytes = memory_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    seconds = int(timeout_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(document: Path, max_pages: int) -> DocumentText:
    """What a document holds. Imports only the libraries of its format, and only now that the limits are in force."""
    if document.suffix == ".pdf":
        from mechaware.instruments.claims.reading.pdf import read_pdf

        return read_pdf(document, max_pages)
    if document.suffix == ".html":
        from mechaware.instruments.claims.reading.web import read_html

        return read_html(document)
    return read_plain(document)


def _answer_of(content: DocumentText) -> Answer:
    """The answer: the text without what cannot be written, at most `MAX_CHARACTERS` of it, and the flags.

    A text without any letter or digit has a fault: a judge would be asked about nothing.
    """
    pages = [clean(page) for page in content.texts]
    whole = PAGE_BREAK.join(page for page in pages if page)
    text = ""
    if any(map(str.isalnum, whole[:MAX_CHARACTERS])):
        text = clean(whole[:MAX_CHARACTERS])

    hidden = _hidden_text(content)
    pieces = [piece.text for piece in hidden]
    addressing = addressing_sentences([text, *pieces, *content.elsewhere])

    left_out = []
    for element, piece in content.left_out:
        left_out.append({"element": element, "text": clean(piece)})

    no_text = {"kind": "no_text", "message": "it has no words; enter a copy with text"}
    is_paged = content.pages is not None
    lacks_pages = is_paged and len(pages) != content.pages
    return {
        "text": text,
        "pages": content.pages,
        "pages_read": len(pages) if is_paged else None,
        "page_starts": _page_starts(pages, len(text)) if is_paged else [],
        "truncated": lacks_pages or len(whole) > MAX_CHARACTERS,
        "characters": len(text),
        "flags": paper_flags(text or None, hidden, addressing),
        "hidden": [piece._asdict() for piece in hidden],
        "left_out": left_out,
        "addresses_judge": addressing,
        "fault": None if text else no_text,
    }


def _page_starts(pages: Sequence[str], characters: int) -> list[int]:
    """Where each page begins in a text of so many characters, in which pages without text are left out.

    A page without text begins where the next one does; pages after the text begin at its end. For example, with the
    two characters of `PAGE_BREAK` as dots:

        pages   ["abc", "", "de"]
        text    "abc..de"
        starts  [0, 5, 5]
    """
    starts = []
    start = 0
    for page in pages:
        starts.append(min(start, characters))
        if page:
            start += len(page) + len(PAGE_BREAK)
    return starts


def _hidden_text(content: DocumentText) -> list[Hidden]:
    """The hidden pieces that have text: pieces that the reader found, then words in letters that no font shows."""
    pieces = [Hidden(page, reason, clean(piece)) for page, reason, piece in content.hidden]
    for page, raw in enumerate(content.texts, 1):
        for words in unseen_tags(raw):
            pieces.append(Hidden(page, "not visible", words))
    return [piece for piece in pieces if piece.text]


if __name__ == "__main__":
    main()
