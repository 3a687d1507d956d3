"""How well each detector tells docstrings that a model was trained on from others, by dose.

A docstring's dose is how often the model read it in training.
"""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import NATURAL
from exhibits.radar.tables.cells import area_with_interval, difference_with_interval
from exhibits.report.tables import Table
from mechaware.instruments.radar.detectors.gradient_deviation import GDS_LABELS
from mechaware.instruments.radar.detectors.probes import PROBE_LABELS
from mechaware.planted.natural.planting import DOSES
from mechaware.planted.twins.scoring import DETECTOR_LABELS

READS = {
    "natural": "results/radar/memorisation/natural/detectors.csv",
    "probes": "results/radar/memorisation/natural/probes.csv",
}
LABELS = DETECTOR_LABELS | PROBE_LABELS | GDS_LABELS
TESTED_DOSE = 4  # the dose at which the lead is tested; fixed beforehand


def fill(
    *,
    natural: Annotated[pd.DataFrame, NATURAL],
    probes: Annotated[pd.DataFrame, NATURAL],
) -> Table:
    """The numbers have a row per detector and dose, the cells a row per detector, probes last.

    A cell of a dose is an AUROC with its interval over seeds. The lead is the AUROC minus the AUROC
    of Min-K%++; with one seed neither has an interval.
    """
    numbers = pd.concat([natural, probes], ignore_index=True)
    # Each detector has one row for each dose.
    grouped = numbers.groupby(["detector", "dose"])
    by_cell = {key: cell.iloc[0] for key, cell in grouped}
    rows = []
    for name in dict.fromkeys(numbers["detector"]):
        row = {"Detector": LABELS[name]}
        for dose in DOSES:
            title = "Once" if dose == 1 else f"{dose} times"
            row[title] = area_with_interval(by_cell[name, dose])
        row[f"Lead at {TESTED_DOSE}"] = difference_with_interval(by_cell[name, TESTED_DOSE])
        rows.append(row)
    return Table(numbers, pd.DataFrame(rows))
