"""The share of the gap that moves through keys and values of the schema word, by block and set."""

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
    """Join `reading`, the table of `cut_profile`, and `block_sets`, the table of `block_set_table`.

    The numbers have a row per run, intervention (`mode`) and block: the block's share over the n
    pairs that pass R1. To each is added what holds for the sets of blocks of the run's `pairs`, all
    its pairs. A run without a pair that passes R1 has one row, with only its sets.

    The cells have a row per run and intervention, without the drawn controls. They name the block
    with the largest share, the earliest of equals, and the commonest set with its share of all
    pairs.
    """
    sets = block_sets.set_index("run").to_dict("index")
    rows = []
    for (run, mode), part in reading.groupby(["run", "mode"], sort=False):
        if is_drawn(str(run)):
            continue
        is_interaction = part["block"] == INTERACTION
        interaction = part[is_interaction].iloc[0]
        blocks = part[~is_interaction].sort_values("share", ascending=False, kind="stable")
        largest = blocks.iloc[0]
        sets_of_run = sets[run]
        has_set = bool(sets_of_run["found_blocks"])
        interval = percent_interval(largest["low"], largest["high"])
        rows.append(
            {
                "Run": run_label(str(run)),
                "Intervention": MODE_LABELS[str(mode)],
                "Block": largest["block"],
                "Share": with_interval(percent(largest["share"]), interval),
                "Interaction": percent(interaction["share"]),
                "n": str(int(largest["n"])),
                "Set": sets_of_run["found_blocks"],
                "Pairs with the set": percent(sets_of_run["found_share"]) if has_set else "",
                "Blocks in a set": fixed(sets_of_run["size"], 1) if has_set else "",
            }
        )

    # Both tables have a column n: the number of all pairs is `pairs`, and n that of `reading`.
    numbers = block_sets.rename(columns={"n": "pairs"}).merge(reading, on="run", how="left")
    return Table(numbers, pd.DataFrame(rows, columns=COLUMNS))
