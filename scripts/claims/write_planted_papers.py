"""Write the planted papers, one folder each, and the truth about each."""

from mechaware.claims.planting.plan import plan_papers
from mechaware.claims.planting.typesetting import write_paper
from scripts.command import Output, run


def main(*, seed: int, out: list[Output], truths: list[Output]) -> None:
    """Write the papers `planted-01` on to the folders `out`, and what each was written from to the files `truths`."""
    for paper, folder, truth in zip(plan_papers(len(out), seed), out, truths, strict=True):
        write_paper(paper, folder, truth)


if __name__ == "__main__":
    run(main)
