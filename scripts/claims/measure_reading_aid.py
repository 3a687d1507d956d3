"""Measure the reading aid: which share of the sentences on a criterion its passages
have, on planted papers.
"""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.instruments.claims.aid.candidates import SHOWN
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.planted.papers.passages_found import passages_found
from mechaware.planted.papers.plan import plan_papers
from scripts.command import Output


def main(
    *, prompts: list[Path], papers: int, seed: int, confidence_level: float, recall: Output
) -> None:
    """Write a row for all criteria and one for each. The papers are drawn anew:
    no setting was chosen by them.
    """
    guides = Prompts.load(prompts).criteria
    planned = plan_papers(papers, seed)
    write_csv(
        passages_found(planned, guides, shown=SHOWN, confidence_level=confidence_level), recall
    )
