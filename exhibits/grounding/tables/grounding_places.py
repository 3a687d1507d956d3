"""The blocks that each instrument names for every run, and the blocks that read in a control."""

import pandas as pd

from exhibits.grounding.localisation import INSTRUMENTS
from exhibits.report.tables import Table
from mechaware.planted.sql.runs import group_of, run_label

READS = {"places": "results/grounding/places.parquet"}

_HIDDEN = ("drawn", "matched")  # groups of many controls, which the numbers have
# Instruments that a page has no room for.
_NUMBERS_ONLY = ("top_layer_embedding", "shared_block", "attribution_set", "first_block")


def fill(*, places: pd.DataFrame) -> Table:
    """A row per run with a column for each instrument;
    the numbers have a row per run and instrument.
    """
    rows = []
    for run, named in places.groupby("run", sort=False):
        if group_of(str(run)) in _HIDDEN:
            continue
        row = {"Run": run_label(str(run)), "Known": named["known_blocks"].iloc[0]}
        shown = named[~named["instrument"].isin(_NUMBERS_ONLY)]
        for instrument, blocks in zip(shown["instrument"], shown["blocks"], strict=True):
            row[INSTRUMENTS[instrument]] = blocks
        rows.append(row)
    return Table(places, pd.DataFrame(rows))
