"""Draw the calibration cards of all detectors, rules and judges of the run."""

from pathlib import Path

from exhibits.author.prose_judges import prose_sentences
from exhibits.claims.schemas import PROSE_JUDGES
from mechaware.core.frames import read_csv
from mechaware.instruments.radar.detectors.registry import load_detectors
from mechaware.verdicts.cards.card import Instrument
from mechaware.verdicts.cards.detectors import detectors
from mechaware.verdicts.cards.judges import judges
from mechaware.verdicts.cards.page import write_cards
from mechaware.verdicts.cards.rules import rules
from scripts.command import Output


def main(
    *,
    scores: list[Path],
    own_scores: list[Path],
    text_scores: list[Path],
    lens_scores: list[Path],
    verdicts: list[Path],
    statuses: list[Path],
    trials: list[Path],
    prose: Path,
    own_detectors: list[str],
    judge_labels: dict[str, str],
    verdict_share: float,
    confidence_level: float,
    seed: int,
    cards: Output,
) -> None:
    """Write all cards and their list to a folder. The lists of a study that is left out are empty.

    - `scores`: of our detectors on planted questions, a file per seed.
    - `own_scores`: of `own_detectors`, dotted names in a user's package; no file without them.
    - `text_scores`: of our detectors on docstrings, a file per seed.
    - `lens_scores`: of detectors that are fitted on planted names, one file for names and one for
      docstrings.
    - `verdicts`: two tables: the verdicts of rules, and the truth.
    - `statuses`: three tables of the summary of judges: judged statuses, planted statuses, papers.
    - `trials`: the trials of judges, one file each, named after the judge.
    - `prose`: the table of judges measured on real prose.
    """
    own = load_detectors(own_detectors)
    instruments: list[Instrument] = []
    if scores:
        instruments += detectors(scores, own_scores, own, text_scores, lens_scores)
    if verdicts:
        verdict, truth = verdicts
        instruments += rules(verdict, truth, verdict_share)
    if statuses:
        criteria, levels, papers = statuses
        on_prose = prose_sentences(read_csv(prose, PROSE_JUDGES))
        instruments += judges(criteria, levels, papers, trials, judge_labels, on_prose)
    write_cards(instruments, cards, confidence_level=confidence_level, seed=seed)
