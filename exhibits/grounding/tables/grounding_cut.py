"""The share of the gap that leaves the schema word through the keys and values of each block, and of sets of blocks."""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any

import pandas as pd

from exhibits.report.tables import Table, fixed, percent, percent_interval, with_interval
from mechaware.instruments.grounding.summaries import INTERACTION, READING
from mechaware.planted.sql.runs import is_drawn, run_label

READS = {
    "reading": "results/grounding/reading.csv",
    "block_sets": "results/grounding/block_sets.parquet",
}

MODE_LABELS = {"denoise": "denoising", "noise": "noising"}
SHOWN_BLOCKS = 3
COLUMNS = [
    "Run",
    "Intervention",
    "Block",
    "Share",
    "Next blocks",
    "Interaction",
    "n",
    "Set (share; size)",
    "All blocks; redundant",
]


def fill(*, reading: Annotated[pd.DataFrame, READING], block_sets: pd.DataFrame) -> Table:
    """The numbers have a row per run, direction and block, with the run's sets of blocks, of all its `pairs`.

    A run without a pair that passes R1 has one row, with only its sets.
    The cells name the blocks with the largest shares, and the commonest set with its share of the pairs. They leave the
    drawn controls out.
    """
    sets = block_sets.set_index("run").to_dict("index")
    rows = []
    for (run, mode), part in reading.groupby(["run", "mode"], sort=False):
        if is_drawn(str(run)):
            continue
        is_interaction = part["block"] == INTERACTION
        interaction = part[is_interaction].iloc[0]
        blocks = part[~is_interaction].sort_values("share", ascending=False, kind="stable")
        best = blocks.iloc[0]
        next_blocks = []
        for _, block in blocks.iloc[1:SHOWN_BLOCKS].iterrows():
            next_blocks.append(f"{block['block']} ({percent(block['share'])})")

        common_set = sets[run]
        all_blocks = percent(common_set["all_blocks"])
        redundant = percent(common_set["redundant"])
        interval = percent_interval(best["low"], best["high"])
        rows.append(
            {
                "Run": run_label(str(run)),
                "Intervention": MODE_LABELS[str(mode)],
                "Block": best["block"],
                "Share": with_interval(percent(best["share"]), interval),
                "Next blocks": ", ".join(next_blocks),
                "Interaction": percent(interaction["share"]),
                "n": str(int(best["n"])),
                "Set (share; size)": _set(common_set),
                "All blocks; redundant": f"{all_blocks}; {redundant}",
            }
        )
    numbers = block_sets.rename(columns={"n": "pairs"}).merge(reading, on="run", how="left")
    return Table(numbers, pd.DataFrame(rows, columns=COLUMNS))


def _set(common_set: Mapping[Hashable, Any]) -> str:
    """The commonest set, its share of the pairs and the mean size of all; empty without a set."""
    if not common_set["found_blocks"]:
        return ""
    share = percent(common_set["found_share"])
    size = fixed(common_set["size"], 1)
    return f"{common_set['found_blocks']} ({share}; {size})"
