"""The child process that reads one document of any format within limits of memory and time.

`command` makes the child's command line, `main` runs in the child, and `document_answer` makes the
answer that `main` prints.
"""

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

# The fields of a `PaperText` except `paper`, and the text itself as `text`.
Answer = dict[str, Any]
# Between the texts of two pages.
PAGE_BREAK = "\n\n"


def command(document: Path, *, max_pages: int, memory_mb: int, timeout_s: float) -> list[str]:
    """The command that starts the child; its standard output is an `Answer` as JSON."""
    limits = [str(max_pages), str(memory_mb), str(timeout_s)]
    return [*run_module.command(__name__), str(document), *limits]


def fault(kind: str, message: str, hidden: Sequence[Hidden] = ()) -> Answer:
    """The answer for a document that cannot be read."""
    answer = document_answer(DocumentText([], list(hidden)))
    answer["fault"] = {"kind": kind, "message": message}
    return answer


def out_of_memory(memory_mb: int) -> Answer:
    """The answer for a document that takes more than the limit of memory."""
    return fault("memory", f"reading it takes more than {memory_mb} MB; enter a plain copy")


def main() -> None:
    """Print the answer for the document of the command line."""
    document, max_pages, memory_mb, timeout_s = sys.argv[1:]
    _limit(int(memory_mb), float(timeout_s))
    # The libraries that read documents log mistakes in a document that they can read nevertheless.
    logging.disable()
    # Documents may be nested deeper than Python's default limit of 1,000 calls.
    sys.setrecursionlimit(5000)
    try:
        answer = document_answer(_read(Path(document), int(max_pages)))
    except UnreadableError as error:
        answer = fault(error.kind, str(error), error.hidden)
    except MemoryError:
        answer = out_of_memory(int(memory_mb))
    sys.stdout.write(json.dumps(answer))


def _limit(memory_mb: int, timeout_s: float) -> None:
    """Limit this process to `memory_mb` MB of address space and `timeout_s` of processor time.

    It also leaves no core file.
    """
    memory_bytes = memory_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    # A signal that a program may catch comes at the first limit, one that kills it at the second.
    seconds = int(timeout_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(document: Path, max_pages: int) -> DocumentText:
    """The text of a document. Raises `UnreadableError`.

    The libraries of its format, and no others, are imported here, after the limits are set.
    """
    if document.suffix == ".pdf":
        from mechaware.instruments.claims.reading.pdf import read_pdf

        return read_pdf(document, max_pages)
    if document.suffix == ".html":
        from mechaware.instruments.claims.reading.web import read_html

        return read_html(document)
    return read_plain(document)


def document_answer(content: DocumentText) -> Answer:
    """The answer about a document: its text, the flags, and what is hidden or left out.

    The text is cleaned (`clean`) and cut to `MAX_CHARACTERS`. If it has no letter and no digit, the
    answer has a fault and an empty text: a judge would be asked about nothing.
    """
    pages = [clean(page) for page in content.texts]
    whole = PAGE_BREAK.join(page for page in pages if page)
    beginning = whole[:MAX_CHARACTERS]
    has_words = any(character.isalnum() for character in beginning)
    # Cleaned again: the cut may leave white space at the end.
    text = clean(beginning) if has_words else ""

    hidden = _hidden_text(content)
    hidden_texts = [piece.text for piece in hidden]
    addressing = addressing_sentences([text, *hidden_texts, *content.elsewhere])

    left_out = []
    for element, passage in content.left_out:
        left_out.append({"element": element, "text": clean(passage)})

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
    """Where each page begins in a text of `characters` characters that leaves out empty pages.

    A page without text begins where the next one does; pages after the text begin at its end. For
    example, with the two characters of `PAGE_BREAK` as dots:

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
    """The hidden pieces that are not empty.

    The pieces that the format's reader found come first, then words in letters that no font shows.
    """
    pieces = [Hidden(page, reason, clean(raw)) for page, reason, raw in content.hidden]
    for page, raw in enumerate(content.texts, 1):
        for words in unseen_tags(raw):
            pieces.append(Hidden(page, "not visible", words))
    return [piece for piece in pieces if piece.text]


if __name__ == "__main__":
    main()
