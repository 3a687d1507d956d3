"""The share of the gap that leaves the schema word through the keys and values of each block."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import MODE_LABELS, run_label
from mechaware.grounding.schemas import READING
from mechaware.grounding.study.reading import INTERACTION
from mechaware.report.tables import Table, percent, percent_interval

READS = {"reading": "results/grounding/reading.csv"}

SHOWN_BLOCKS = 3


def fill(*, reading: Annotated[pd.DataFrame, READING]) -> Table:
    """The numbers have a row per run, direction and block; the cells name the blocks with the largest shares."""
    rows = []
    for (run, mode), part in reading.groupby(["run", "mode"], sort=False):
        blocks = part[part["block"] != INTERACTION].sort_values("share", ascending=False, kind="stable")
        best, rest = blocks.iloc[0], part[part["block"] == INTERACTION].iloc[0]
        rows.append(
            {
                "Run": run_label(str(run)),
                "Intervention": MODE_LABELS[str(mode)],
                "Block": best["block"],
                "Share": percent(best["share"]),
                "Interval": percent_interval(best["low"], best["high"]),
                "Next blocks": ", ".join(
                    f"{block} ({percent(share)})"
                    for block, share in list(zip(blocks["block"], blocks["share"], strict=True))[1:SHOWN_BLOCKS]
                ),
                "Interaction": percent(rest["share"]),
                "n": str(int(best["n"])),
            }
        )
    columns = ["Run", "Intervention", "Block", "Share", "Interval", "Next blocks", "Interaction", "n"]
    return Table(reading, pd.DataFrame(rows, columns=columns))
