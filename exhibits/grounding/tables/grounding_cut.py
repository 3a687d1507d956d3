"""The share of the gap that leaves the schema word through the keys and values of each block, and of sets of blocks."""

from typing import Annotated

import pandas as pd

from exhibits.report.tables import Table, fixed, percent, percent_interval, with_interval
from mechaware.instruments.grounding.profiles import INTERACTION, READING
from mechaware.planted.sql.runs import is_drawn, run_label

READS = {
    "reading": "results/grounding/reading.csv",
    "block_sets": "results/grounding/block_sets.parquet",
}

MODE_LABELS = {"denoise": "denoising", "noise": "noising"}
COLUMNS = [
    "Run",
    "Intervention",
    "Block",
    "Share",
    "Interaction",
    "n",
    "Set",
    "Pairs with the set",
    "Blocks in a set",
]


def fill(*, reading: Annotated[pd.DataFrame, READING], block_sets: pd.DataFrame) -> Table:
    """The numbers have a row per run, direction and block, with the run's sets of blocks, of all its `pairs`.

    A run without a pair that passes R1 has one row, with only its sets.
    The cells name the block with the largest share, and the commonest set with its share of the pairs. They leave the
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
        common_set = sets[run]
        has_set = bool(common_set["found_blocks"])
        interval = percent_interval(best["low"], best["high"])
        rows.append(
            {
                "Run": run_label(str(run)),
                "Intervention": MODE_LABELS[str(mode)],
                "Block": best["block"],
                "Share": with_interval(percent(best["share"]), interval),
                "Interaction": percent(interaction["share"]),
                "n": str(int(best["n"])),
                "Set": common_set["found_blocks"],
                "Pairs with the set": percent(common_set["found_share"]) if has_set else "",
                "Blocks in a set": fixed(common_set["size"], 1) if has_set else "",
            }
        )
    numbers = block_sets.rename(columns={"n": "pairs"}).merge(reading, on="run", how="left")
    return Table(numbers, pd.DataFrame(rows, columns=COLUMNS))
