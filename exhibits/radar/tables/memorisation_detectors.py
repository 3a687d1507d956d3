"""How well each detector tells items that a model was trained on from items that it was not."""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import DETECTORS
from exhibits.radar.summaries.memorisation import ALL
from exhibits.radar.summaries.over_seeds import ALL_DOSES
from exhibits.radar.tables.cells import area_with_interval
from exhibits.report.tables import Table, fixed
from mechaware.planted.twins.scoring import DETECTOR_LABELS, DETECTOR_SOURCES
from mechaware.planted.twins.world import KINDS

READS = {"detectors": "results/radar/memorisation/detectors.csv"}

# The form in which the model read the items, and how often it read them.
SLICES = {
    "Once": ("verbatim", 1),
    "16 times": ("verbatim", 16),
    "64 times": ("verbatim", 64),
    # The number of readings that was fixed beforehand for paraphrases; memorisation_inside has
    # 4 and 64 as well.
    "Reworded": ("paraphrase", 16),
    "Contradicted": ("contradicted", 64),
}


def fill(*, detectors: Annotated[pd.DataFrame, DETECTORS]) -> Table:
    """The numbers have a row per detector, kind and slice; the cells have a row per detector.

    A slice's cell has two AUROCs: of recall items / of reasoning items.
    """
    by_slice = detectors.groupby(["detector", "kind", "form", "dose"])
    numbers_of = {key: rows.iloc[0] for key, rows in by_slice}
    rows = []
    for name in dict.fromkeys(detectors["detector"]):
        row = {
            "Detector": DETECTOR_LABELS.get(name, name),
            "Source": DETECTOR_SOURCES.get(name, "your own"),
        }
        for kind in KINDS:
            row[f"All {kind} items"] = area_with_interval(numbers_of[name, kind, ALL, ALL_DOSES])
        for column, (form, dose) in SLICES.items():
            areas = [numbers_of[name, kind, form, dose]["auroc"] for kind in KINDS]
            row[column] = " / ".join(fixed(area, 2) for area in areas)
        rows.append(row)
    return Table(detectors, pd.DataFrame(rows))
