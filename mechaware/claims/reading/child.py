"""The child process that reads one document within limits of memory and time, whatever its format."""

import json
import logging
import resource
import sys
from pathlib import Path
from typing import Any

from mechaware.claims.reading.readings import Reading, UnreadableError

Answer = dict[str, Any]  # the fields of a `Reading`, or kind, message and hidden of a fault


def command(document: Path, *, max_pages: int, memory_mb: int, timeout_s: float) -> list[str]:
    """The command that starts the child; its standard output is an `Answer` as JSON."""
    limits = map(str, (max_pages, memory_mb, timeout_s))
    return [sys.executable, "-m", __name__, str(document), *limits]


def fault(kind: str, message: str) -> Answer:
    """The answer for a document that cannot be read."""
    return {"kind": kind, "message": message, "hidden": []}


def out_of_memory(memory_mb: int) -> Answer:
    """The answer for a document that takes more than the limit of memory."""
    return fault("memory", f"reading it takes more than {memory_mb} MB; enter a plain copy")


def main() -> None:
    """Print the answer for the document of the command line."""
    document, max_pages, memory_mb, timeout_s = sys.argv[1:]
    _limit(int(memory_mb), float(timeout_s))
    logging.disable()
    sys.setrecursionlimit(5000)
    answer: Answer
    try:
        answer = _read(Path(document), int(max_pages))._asdict()
    except UnreadableError as error:
        answer = {"kind": error.kind, "message": str(error), "hidden": error.hidden}
    except MemoryError:
        answer = out_of_memory(int(memory_mb))
    sys.stdout.write(json.dumps(answer))


def _limit(memory_mb: int, timeout_s: float) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    seconds = int(timeout_s) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(document: Path, max_pages: int) -> Reading:
    """Imports the libraries of the document's format only, and only now that the limits are in force."""
    if document.suffix == ".pdf":
        from mechaware.claims.reading.pdf import read_pdf

        return read_pdf(document, max_pages)
    if document.suffix == ".html":
        from mechaware.claims.reading.html import read_html

        return read_html(document)
    from mechaware.claims.reading.plain import read_plain

    return read_plain(document)


if __name__ == "__main__":
    main()
