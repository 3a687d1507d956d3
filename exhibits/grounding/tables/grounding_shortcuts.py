"""How far a choice of column by nothing but its place or its name gets on the pairs that
each run is measured on.
"""

import pandas as pd

from exhibits.report.tables import Table, percent
from mechaware.instruments.grounding.data.pairs import PLACE_SHORTCUTS
from mechaware.instruments.grounding.names import CATEGORY_LABELS
from mechaware.planted.sql.runs import run_label

READS = {"shortcuts": "results/grounding/shortcuts.parquet"}


def fill(*, shortcuts: pd.DataFrame) -> Table:
    """A row per run and category; in the cells, runs on the same pairs share the rows
    of the first of them.
    """
    by_run = shortcuts.pivot(index="run", columns="category")
    is_repeated = by_run.loc[shortcuts["run"].unique()].duplicated()
    distinct = shortcuts[~shortcuts["run"].map(is_repeated)]
    shown = pd.DataFrame(
        {
            "Pairs of": distinct["run"].map(run_label),
            "Category": distinct["category"].map(CATEGORY_LABELS),
            "n": distinct["n"].astype(str),
            **{name.capitalize(): distinct[name].map(percent) for name in PLACE_SHORTCUTS},
        }
    )
    return Table(shortcuts, shown)
