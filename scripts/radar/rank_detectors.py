"""Compare the detectors on a suspected benchmark, if it is known which items were seen."""

from pathlib import Path

import pandas as pd

from exhibits.radar.schemas import SUSPECTED
from mechaware.core.frames import read_csv, write_csv
from mechaware.instruments.radar.benchmark import SEEN
from mechaware.instruments.radar.detectors.ranking import RANKING_COLUMNS, rank_detectors
from mechaware.instruments.radar.detectors.registry import all_detectors, join_own_scores
from mechaware.instruments.radar.verdicts.control import CONTROL
from scripts.command import Output


def main(
    *,
    scores: Path,
    own_scores: list[Path],
    own_detectors: list[str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    detectors: Output,
) -> None:
    """Write one row per detector to `detectors`; no row if it is not known which items were seen.

    - `scores`: our detectors' scores of each item.
    - `own_detectors`: the dotted names of detectors in the user's own package; may be empty.
    - `own_scores`: the file of their scores; empty without own detectors.
    """
    own = [read_csv(path, SUSPECTED) for path in own_scores]
    rows = join_own_scores(read_csv(scores, SUSPECTED), own)
    if SEEN not in rows:
        write_csv(pd.DataFrame(columns=RANKING_COLUMNS), detectors)
        return

    # The truth is about the benchmark's items alone; a control has none.
    if CONTROL in rows:
        rows = rows[~rows[CONTROL]]
    table = rank_detectors(
        rows,
        all_detectors(own_detectors),
        resamples=bootstrap_resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    write_csv(table, detectors)
