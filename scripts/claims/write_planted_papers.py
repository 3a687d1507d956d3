"""Write the planted papers, one folder each, and the truth about each beside its folder."""

from pathlib import Path

from mechaware.claims.planting.planting import plan_papers, write_papers
from scripts.command import run


def main(*, seed: int, out: list[Path]) -> None:
    """Write as many papers as `out` names folders, `planted-01` on, all in one place."""
    write_papers(plan_papers(len(out), seed), out[0].parent)


if __name__ == "__main__":
    run(main)
