"""Draw the calibration cards of all detectors, rules or judges of the run."""

from pathlib import Path
from typing import Literal

from mechaware.cards.detectors import detectors
from mechaware.cards.judges import judges
from mechaware.cards.page import write_cards
from mechaware.cards.rules import rules
from scripts.command import Output, run


def main(
    *,
    kind: Literal["detector", "rule", "judge"],
    tables: list[Path],
    further: list[Path],
    own_detectors: list[str],
    judge_labels: dict[str, str],
    verdict_share: float,
    confidence_level: float,
    seed: int,
    cards: Output,
) -> None:
    """Write the cards of one kind to a folder.

    `tables`: of detectors the scores of each seed, of rules the verdicts and the truth, of judges three of the summary.
    `further`: the scores of the user's own detectors, or the trials of judges, each named as its judge.
    """
    if kind == "detector":
        instruments = detectors(tables, further, own_detectors)
    elif kind == "rule":
        instruments = rules(*tables, verdict_share)
    else:
        instruments = judges(*tables, {path.stem: path for path in further}, judge_labels)
    write_cards(instruments, cards, level=confidence_level, seed=seed)


if __name__ == "__main__":
    run(main)
