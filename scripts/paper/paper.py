"""The paper as PDF and as web page, from its sources and the results of the studies;
and the guide to the results.
"""

from pathlib import Path

from exhibits.report.typesetting import typeset
from mechaware.core.files import atomic_write
from scripts.command import Output


def main(
    *,
    document: Path,
    page: Path,
    guide: Path,
    sources: list[Path],
    results: list[Path],
    studies: list[str],
    out: Output,
    out_page: Output,
    out_guide: Output,
) -> None:
    """Typeset the paper with values, tables, figures and captions,
    and put the guide next to all results.
    """
    typeset(document, sources, results, studies, out)
    typeset(page, sources, results, studies, out_page)
    with atomic_write(out_guide) as partial:
        partial.write_bytes(guide.read_bytes())
