"""How well each instrument finds the blocks that controls of equal answers read."""

import pandas as pd

from exhibits.grounding.localisation import INSTRUMENTS
from exhibits.report.tables import Table, percent, percent_interval, with_interval

READS = {"localisation": "results/grounding/localisation.parquet"}

_MEASURES = {"precision": "Precision", "recall": "Recall", "exact": "Exactly right"}


def fill(*, localisation: pd.DataFrame) -> Table:
    """A row per instrument: all matched controls in the cells;
    in the numbers also both halves and each route.
    """
    rows = []
    for scored in localisation[localisation["part"] == "all"].to_dict("records"):
        row = {"Instrument": INSTRUMENTS[scored["instrument"]], "Controls": str(scored["n"])}
        for name, label in _MEASURES.items():
            row[label] = percent(scored[name])
            # What a random block gives is known exactly.
            if scored["instrument"] != "random_block":
                interval = percent_interval(scored[f"{name}_low"], scored[f"{name}_high"])
                row[label] = with_interval(row[label], interval)
        rows.append(row)
    return Table(localisation, pd.DataFrame(rows))
