"""Draw the calibration cards of all detectors, rules and judges of the run."""

from pathlib import Path

from mechaware.instruments.radar.detectors.registry import DETECTORS, all_detectors
from mechaware.verdicts.cards.instruments import detectors, judges, rules
from mechaware.verdicts.cards.page import write_cards
from scripts.command import Output


def main(
    *,
    scores: list[Path],
    verdicts: list[Path],
    statuses: list[Path],
    trials: list[Path],
    own_detectors: list[str],
    judge_labels: dict[str, str],
    verdict_share: float,
    confidence_level: float,
    seed: int,
    cards: Output,
) -> None:
    """Write all cards and their list to a folder. A study that is left out has no tables.

    `scores`: of detectors, a file per seed, in which `own_detectors`, dotted names in a user's package, have columns.
    `verdicts`: of rules, and the truth. `statuses`: of judges, three tables of the summary. `trials`: of judges, each
    named as its judge.
    """
    own = all_detectors(own_detectors)[len(DETECTORS) :]
    instruments = [*detectors(scores, own)] if scores else []
    if verdicts:
        verdict, truth = verdicts
        instruments += rules(verdict, truth, verdict_share)
    if statuses:
        criteria, levels, papers = statuses
        instruments += judges(criteria, levels, papers, trials, judge_labels)
    write_cards(instruments, cards, level=confidence_level, seed=seed)
