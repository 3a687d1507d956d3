"""How well each detector tells items that a model was trained on from items that it was not."""

from typing import Annotated

import pandas as pd

from mechaware.radar.memorisation.scoring import DETECTOR_LABELS, DETECTOR_SOURCES
from mechaware.radar.schemas import DETECTORS
from mechaware.radar.study.memorisation import ALL, KIND_MEAN
from mechaware.report.tables import Table, fixed

READS = {"detectors": "results/radar/memorisation/detectors.csv"}

SLICES = {
    "All items": (ALL, 0),
    "Once": ("verbatim", 1),
    "4 times": ("verbatim", 4),
    "16 times": ("verbatim", 16),
    "64 times": ("verbatim", 64),
    "Contradicted": ("contradicted", 64),
}


def fill(*, detectors: Annotated[pd.DataFrame, DETECTORS]) -> Table:
    """The numbers have a row per detector, kind and slice; the cells a row per detector, with the mean over kinds."""
    mean_over_kinds = detectors[detectors["kind"] == KIND_MEAN]
    by_slice = {key: rows.iloc[0] for key, rows in mean_over_kinds.groupby(["detector", "form", "dose"])}
    rows = []
    for name in dict.fromkeys(detectors["detector"]):
        cells = {column: by_slice[name, *part] for column, part in SLICES.items()}
        overall = cells["All items"]
        rows.append(
            {"Detector": DETECTOR_LABELS[name], "Source": DETECTOR_SOURCES[name]}
            | {column: fixed(row["auroc"], 2) for column, row in cells.items()}
            | {"All items": f"{fixed(overall['auroc'], 2)} ({fixed(overall['low'], 2)} to {fixed(overall['high'], 2)})"}
            | {"Kind of item": fixed(overall["auroc_kind"], 2)}
        )
    columns = ["Detector", "Source", *SLICES, "Kind of item"]
    return Table(detectors, pd.DataFrame(rows, columns=columns))
