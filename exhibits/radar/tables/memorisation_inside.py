"""Whether RADAR's features add to what a model's output shows of items that it was trained on."""

from collections.abc import Sequence
from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import INSIDE
from exhibits.radar.summaries.inside import CELLS, CONFIRMING, READERS
from exhibits.radar.tables.memorisation_detectors import area_with_interval
from exhibits.report.tables import Table, fixed, with_interval
from mechaware.planted.twins.items import KINDS, PARAPHRASE

READS = {"inside": "results/radar/memorisation/inside.csv"}


def fill(*, inside: Annotated[pd.DataFrame, INSIDE]) -> Table:
    """The numbers are all rows; the cells a row per reader, of the confirming seeds, recall before reasoning."""
    confirming = inside[inside["seeds"] == CONFIRMING]
    by_cell = {
        key: rows.iloc[0] for key, rows in confirming.groupby(["reader", "kind", "form", "dose"])
    }
    rows = []
    for name, reader in READERS.items():
        row = {"Reads": reader.label}
        for form, dose in CELLS:
            of_kinds = [by_cell[name, kind, form, dose] for kind in KINDS]
            if form == PARAPHRASE:
                for kind, cell in zip(KINDS, of_kinds, strict=True):
                    row[f"Paraphrases, {kind}"] = area_with_interval(cell)
                    row[f"Lead, {kind}"] = _lead_with_interval(cell)
            else:
                row[f"{dose} times"] = _areas(of_kinds)
        row["Lead over"] = READERS[reader.rival].label if reader.rival else ""
        rows.append(row)
    return Table(inside, pd.DataFrame(rows))


def _areas(cells: Sequence[pd.Series]) -> str:
    """The AUROC of each cell; empty where a run of one seed has none."""
    areas = [fixed(cell["auroc"], 2) for cell in cells]
    return " / ".join(areas) if all(areas) else ""


def _lead_with_interval(cell: pd.Series) -> str:
    """A lead with its interval over seeds, both with three decimals; empty for a reader without a rival."""
    ends = ""
    if not pd.isna(cell["lead_low"]):
        ends = f"{fixed(cell['lead_low'], 3)} to {fixed(cell['lead_high'], 3)}"
    return with_interval(fixed(cell["lead"], 3), ends)
