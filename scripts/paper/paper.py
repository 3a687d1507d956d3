"""The paper, from its sources and the results of the studies."""

from pathlib import Path

from mechaware.report.typesetting import typeset
from scripts.command import Output, run


def main(*, document: Path, sources: list[Path], results: list[Path], studies: list[str], out: Output) -> None:
    """Typeset the paper with values, tables, figures and captions."""
    typeset(document, sources, results, studies, out)


if __name__ == "__main__":
    run(main)
