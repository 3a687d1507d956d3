"""Draw the calibration cards of all detectors, rules and judges of the run."""

from itertools import chain
from pathlib import Path

from mechaware.cards.instruments import detectors, judges, rules
from mechaware.cards.page import write_cards
from scripts.command import Output, run


def main(
    *,
    scores: list[Path],
    verdicts: list[Path],
    statuses: list[Path],
    trials: list[Path],
    judge_labels: dict[str, str],
    verdict_share: float,
    confidence_level: float,
    seed: int,
    cards: Output,
) -> None:
    """Write all cards and their list to a folder. A study that is left out has no tables.

    `scores`: of detectors, a file per seed. `verdicts`: of rules, and the truth. `statuses`: of judges, three tables of
    the summary. `trials`: of judges, each named as its judge.
    """
    instruments = chain(
        detectors(scores) if scores else (),
        rules(*verdicts, verdict_share) if verdicts else (),
        judges(*statuses, trials, judge_labels) if statuses else (),
    )
    write_cards(instruments, cards, level=confidence_level, seed=seed)


if __name__ == "__main__":
    run(main)
