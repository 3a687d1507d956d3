"""Compare the detectors on a suspected benchmark, as far as its truth is known."""

from pathlib import Path

import pandas as pd

from exhibits.radar.schemas import SUSPECTED
from mechaware.core.frames import read_csv, write_csv
from mechaware.instruments.radar.benchmark import SEEN
from mechaware.instruments.radar.detectors.registry import (
    RANKING_COLUMNS,
    all_detectors,
    rank_detectors,
)
from mechaware.instruments.radar.verdicts.control import CONTROL
from scripts.command import Output


def main(
    *,
    scores: Path,
    own_detectors: list[str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    detectors: Output,
) -> None:
    """Write one row per detector, or none where it is not known which items were seen.

    `own_detectors` are names in the user's own package.
    """
    rows = read_csv(scores, SUSPECTED)
    if SEEN not in rows:
        write_csv(pd.DataFrame(columns=RANKING_COLUMNS), detectors)
        return
    table = rank_detectors(
        rows if CONTROL not in rows else rows[~rows[CONTROL]],
        all_detectors(own_detectors),
        resamples=bootstrap_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    write_csv(table, detectors)
