"""Choose the detector on which a verdict on a benchmark rests, on twins of development seeds."""

from pathlib import Path

from mechaware.core.frames import write_csv
from mechaware.core.levels import significance_at
from mechaware.verdicts.choosing import choose, power_and_false_alarms
from mechaware.verdicts.planted_texts import read_planted_models
from mechaware.verdicts.seen_calibration import PLANTED_TEXT
from scripts.command import Output


def main(
    *,
    seeds: list[int],
    names_scores: list[Path],
    names_evidence: list[Path],
    docstrings: str,
    docstrings_scores: list[Path],
    docstrings_evidence: list[Path],
    draws: int,
    confidence_level: float,
    seed: int,
    candidates: Output,
) -> None:
    """Write the rows of `power_and_false_alarms`, with the column `chosen`.

    `docstrings` is their name in a calibration. Files are given seed by seed, for each seed twin A's evidence before
    twin B's.
    """
    planted = {
        PLANTED_TEXT: read_planted_models(seeds, names_scores, names_evidence),
        docstrings: read_planted_models(seeds, docstrings_scores, docstrings_evidence),
    }
    significance = significance_at(confidence_level)
    table = power_and_false_alarms(planted, draws=draws, significance=significance, seed=seed)
    chosen = choose(table, significance)
    write_csv(table.assign(chosen=table["detector"] == chosen), candidates)
