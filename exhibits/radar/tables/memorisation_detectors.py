"""How well each detector tells items that a model was trained on from items that it was not."""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import DETECTORS
from exhibits.radar.summaries.memorisation import ALL
from exhibits.report.tables import Table, fixed, with_interval
from mechaware.planted.twins.scoring import DETECTOR_LABELS, DETECTOR_SOURCES
from mechaware.planted.twins.world import KINDS

READS = {"detectors": "results/radar/memorisation/detectors.csv"}

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

    A cell of both kinds has recall before reasoning.
    """
    by_slice = detectors.groupby(["detector", "kind", "form", "dose"])
    areas = {key: rows.iloc[0] for key, rows in by_slice}
    rows = []
    for name in dict.fromkeys(detectors["detector"]):
        row = {
            "Detector": DETECTOR_LABELS.get(name, name),
            "Source": DETECTOR_SOURCES.get(name, "your own"),
        }
        for kind in KINDS:
            row[f"All {kind} items"] = area_with_interval(areas[name, kind, ALL, 0])
        for column, (form, dose) in SLICES.items():
            by_kind = [areas[name, kind, form, dose]["auroc"] for kind in KINDS]
            row[column] = " / ".join(fixed(area, 2) for area in by_kind)
        rows.append(row)
    return Table(detectors, pd.DataFrame(rows))


def area_with_interval(row: pd.Series) -> str:
    """An AUROC with its interval over seeds, which one seed does not have; two decimals."""
    ends = "" if pd.isna(row["low"]) else f"{fixed(row['low'], 2)} to {fixed(row['high'], 2)}"
    return with_interval(fixed(row["auroc"], 2), ends)


def lead_with_interval(row: pd.Series) -> str:
    """A lead in AUROC with its interval over seeds, if any; three decimals.

    Empty where the lead is missing, as for a reader without a rival.
    """
    ends = ""
    if not pd.isna(row["lead_low"]):
        ends = f"{fixed(row['lead_low'], 3)} to {fixed(row['lead_high'], 3)}"
    return with_interval(fixed(row["lead"], 3), ends)
