"""What the logit lens over layers adds to likelihoods,
and what it loses on models that it was not fitted on.
"""

from typing import Annotated

import pandas as pd

from exhibits.radar.schemas import LENS
from exhibits.radar.tables.cells import area_with_interval, difference_with_interval
from exhibits.report.tables import Table
from mechaware.instruments.radar.detectors.logit_lens import (
    FITS,
    FITTED_LIKELIHOODS,
    LOGIT_LENS,
)
from mechaware.planted.twins.items import PARAPHRASE, VERBATIM, Condition

READS = {"lens": "results/radar/memorisation/lens.csv"}

# The conditions that have a column of AUROCs, by the column's heading.
SHOWN: dict[str, Condition] = {
    "4 times": (VERBATIM, 4),
    "16 times": (VERBATIM, 16),
    "64 times": (VERBATIM, 64),
    "Reworded": (PARAPHRASE, 16),
}
# The condition of the columns "Lead" and "Loss of transfer". Every kind of items has it. At 16
# readings hardly any docstring is missed, which leaves no room for a lead.
COMPARED: Condition = (VERBATIM, 4)
# What a classifier reads, in the column "Reads": shorter than its label on the detectors' cards.
_READERS = {FITTED_LIKELIHOODS: "likelihoods", LOGIT_LENS: "with the lens"}


def fill(*, lens: Annotated[pd.DataFrame, LENS]) -> Table:
    """The numbers are all rows; the cells a row per kind of items, fit and classifier.

    A row of cells has the AUROC in each condition of `SHOWN`, and in the condition
    `COMPARED` the lead over likelihoods alone and the loss of transfer. A cell is empty if the kind
    of items lacks its condition, or if the number is missing.
    """
    # Each cell has one row.
    grouped = lens.groupby(["kind", "fit", "reader", "form", "dose"])
    by_cell = {key: cell.iloc[0] for key, cell in grouped}
    rows = []
    keys = lens[["kind", "fit", "reader"]].drop_duplicates()
    for kind, fit, reader in keys.itertuples(index=False, name=None):
        row = {"Items": kind, "Fitted on": FITS[fit], "Reads": _READERS[reader]}
        for column, condition in SHOWN.items():
            cell = by_cell.get((kind, fit, reader, *condition))
            row[column] = "" if cell is None else area_with_interval(cell)
        compared = by_cell[kind, fit, reader, *COMPARED]
        row["Lead"] = difference_with_interval(compared, "lead")
        row["Loss of transfer"] = difference_with_interval(compared, "transfer_loss")
        rows.append(row)
    return Table(lens, pd.DataFrame(rows))
