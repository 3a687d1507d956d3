"""Extract a paper's visible text, and record its hidden text,
what was left out of it, and flags.
"""

from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.instruments.claims.fetching.papers import find_document
from mechaware.instruments.claims.reading import text as reading
from mechaware.instruments.claims.rubric.records import write_record
from scripts.command import Output


def main(
    *,
    source: Path,
    paper: str,
    max_pages: int,
    memory_mb: int,
    timeout_s: float,
    text: Output,
    flags: Output,
) -> None:
    """Read the document in the folder `source`; write its text and flags."""
    document = find_document(source)
    content, about = reading.extract_text(
        document, paper=paper, max_pages=max_pages, memory_mb=memory_mb, timeout_s=timeout_s
    )
    with atomic_write(text) as partial:
        partial.write_text(content, encoding="utf-8")
    write_record(about, flags)
