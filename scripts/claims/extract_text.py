"""Extract a paper's visible text, and record its hidden text and flags."""

from pathlib import Path

from mechaware.claims.fetching.documents import find_document
from mechaware.claims.reading.text import extract_text
from mechaware.claims.rubric.records import write_record
from mechaware.files import replacing
from scripts.command import Output, run


def main(
    *, source: Path, paper: str, max_pages: int, memory_mb: int, timeout_s: float, out: tuple[Output, Output]
) -> None:
    """Read the document in the folder `source`; write text and flags to the two paths of `out`."""
    document = find_document(source)
    text, about = extract_text(document, paper=paper, max_pages=max_pages, memory_mb=memory_mb, timeout_s=timeout_s)
    with replacing(out[0]) as partial:
        partial.write_text(text, encoding="utf-8")
    write_record(about, out[1])


if __name__ == "__main__":
    run(main)
