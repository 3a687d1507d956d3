"""Whether RADAR's features add to what a model's output shows of items that it was trained on."""

from collections.abc import Sequence
from itertools import product
from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import INSIDE
from exhibits.radar.summaries.inside import CONFIRMING, DOSES, READERS
from exhibits.radar.tables.memorisation_detectors import area_with_interval
from exhibits.report.tables import Table, fixed, with_interval
from mechaware.planted.twins.items import PARAPHRASE, VERBATIM
from mechaware.planted.twins.world import KINDS

READS = {"inside": "results/radar/memorisation/inside.csv"}


def fill(*, inside: Annotated[pd.DataFrame, INSIDE]) -> Table:
    """The numbers are all rows; the cells a row per reader and dose, of the confirming seeds.

    A row has the paraphrased items of its dose in two columns of each kind, and the verbatim ones in one column, recall
    before reasoning.
    """
    confirming = inside[inside["seeds"] == CONFIRMING]
    by_cell = {
        key: rows.iloc[0] for key, rows in confirming.groupby(["reader", "kind", "form", "dose"])
    }
    rows = []
    for (name, reader), dose in product(READERS.items(), DOSES):
        row = {"Reads": reader.label, "Times": str(dose)}
        for kind in KINDS:
            cell = by_cell[name, kind, PARAPHRASE, dose]
            row[f"Paraphrased, {kind}"] = area_with_interval(cell)
            row[f"Lead, {kind}"] = _lead_with_interval(cell)
        row["Lead over"] = READERS[reader.rival].label if reader.rival else ""
        row["Verbatim"] = _areas([by_cell[name, kind, VERBATIM, dose] for kind in KINDS])
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
