"""The paper as PDF and as web page, from its sources and the results of the studies."""

from pathlib import Path

from mechaware.report.typesetting import typeset
from scripts.command import Output, run


def main(
    *,
    document: Path,
    page: Path,
    sources: list[Path],
    results: list[Path],
    studies: list[str],
    out: Output,
    out_page: Output,
) -> None:
    """Typeset the paper with values, tables, figures and captions."""
    typeset(document, sources, results, studies, out)
    typeset(page, sources, results, studies, out_page)


if __name__ == "__main__":
    run(main)
