"""Whether RADAR's features add to what a model's output shows of its training on an item."""

from collections.abc import Sequence
from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import INSIDE
from exhibits.radar.summaries.inside import CONFIRMING, DOSES, READERS
from exhibits.radar.tables.cells import area_with_interval, difference_with_interval
from exhibits.report.tables import Table, fixed
from mechaware.planted.twins.items import PARAPHRASE, VERBATIM
from mechaware.planted.twins.world import KINDS

READS = {"inside": "results/radar/memorisation/inside.csv"}


def fill(*, inside: Annotated[pd.DataFrame, INSIDE]) -> Table:
    """The numbers are all rows; the cells have a row per reader and dose, of the confirming seeds.

    These are the seeds that had not been looked at before (`summaries.inside.LOOKED_AT`), or all if
    there are none. In a row, the items of its dose that were read in other words have an AUROC and
    a lead over the reader's rival for each kind. The items that were read verbatim have one cell,
    "recall / reasoning".
    """
    confirming = inside[inside["seeds"] == CONFIRMING]
    # Each combination of reader, kind, form and dose has one row.
    grouped = confirming.groupby(["reader", "kind", "form", "dose"])
    by_cell = {key: cell.iloc[0] for key, cell in grouped}
    rows = []
    for name, reader in READERS.items():
        for dose in DOSES:
            row = {"Reads": reader.label, "Times": str(dose)}
            for kind in KINDS:
                paraphrased = by_cell[name, kind, PARAPHRASE, dose]
                row[f"Paraphrased, {kind}"] = area_with_interval(paraphrased)
                row[f"Lead, {kind}"] = difference_with_interval(paraphrased)
            row["Lead over"] = READERS[reader.rival].label if reader.rival else ""
            verbatim = [by_cell[name, kind, VERBATIM, dose] for kind in KINDS]
            row["Verbatim"] = _areas(verbatim)
            rows.append(row)
    return Table(inside, pd.DataFrame(rows))


def _areas(cells: Sequence[pd.Series]) -> str:
    """The AUROC of each cell, "0.61 / 0.58"; empty if they are missing, as in a run of one seed."""
    areas = [fixed(cell["auroc"], 2) for cell in cells]
    return " / ".join(areas) if all(areas) else ""
