"""How well each detector tells docstrings that a model was trained on from others, by how often it read them."""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import NATURAL
from exhibits.radar.tables.memorisation_detectors import area_with_interval
from exhibits.report.tables import Table, fixed, with_interval
from mechaware.instruments.radar.detectors.gradient_deviation import GDS_LABELS
from mechaware.instruments.radar.detectors.probes import PROBE_LABELS
from mechaware.planted.natural.planting import DOSES
from mechaware.planted.twins.scoring import DETECTOR_LABELS

READS = {
    "natural": "results/radar/memorisation/natural/detectors.csv",
    "probes": "results/radar/memorisation/natural/probes.csv",
}
LABELS = DETECTOR_LABELS | PROBE_LABELS | GDS_LABELS
TESTED_DOSE = 4  # the dose of the test that was fixed beforehand


def fill(
    *,
    natural: Annotated[pd.DataFrame, NATURAL],
    probes: Annotated[pd.DataFrame, NATURAL],
) -> Table:
    """The numbers have a row per detector and dose, the cells a row per detector, probes last."""
    numbers = pd.concat([natural, probes], ignore_index=True)
    by_cell = {key: rows.iloc[0] for key, rows in numbers.groupby(["detector", "dose"])}
    rows = []
    for name in dict.fromkeys(numbers["detector"]):
        row = {"Detector": LABELS[name]}
        for dose in DOSES:
            row["Once" if dose == 1 else f"{dose} times"] = area_with_interval(by_cell[name, dose])
        tested = by_cell[name, TESTED_DOSE]
        ends = ""
        if not pd.isna(tested["lead_low"]):
            ends = f"{fixed(tested['lead_low'], 3)} to {fixed(tested['lead_high'], 3)}"
        row[f"Lead at {TESTED_DOSE}"] = with_interval(fixed(tested["lead"], 3), ends)
        rows.append(row)
    return Table(numbers, pd.DataFrame(rows))
