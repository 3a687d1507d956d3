"""Models trained once, outside the run: masked ones, whose read block is known, and a ladder of sizes."""

import re
from collections.abc import Hashable, Mapping
from typing import Annotated, Any

import pandas as pd

from mechaware.frames import Schema
from mechaware.grounding.rules.registry import BASELINES, RULE_SETS, VARIANTS
from mechaware.report.tables import Table, fixed, percent

READS = {"masked": "docs/measured/grounding_masked.csv", "ladder": "docs/measured/grounding_ladder.csv"}

SUBJECTS = Schema(
    text=("run", "known_blocks", "found_blocks", "shares", "subjects", "date", "device", "commit", "command"),
    boolean=tuple(f"{name}_verdict" for name in (*RULE_SETS, *VARIANTS, *BASELINES)),
)


def fill(*, masked: Annotated[pd.DataFrame, SUBJECTS], ladder: Annotated[pd.DataFrame, SUBJECTS]) -> Table:
    """One row per model, the masked ones first; the numbers have each rule and the share of every block, too."""
    subjects = pd.concat([masked.assign(subjects="masked"), ladder.assign(subjects="ladder")], ignore_index=True)
    rows = []
    for subject in subjects.to_dict("records"):
        rows.append(
            {
                "Model": _label(subject),
                "Parameters": f"{fixed(subject['parameters'] / 1e6, 2)} M",
                "Exact match, %": percent(subject["exact_match"]),
                "Right, %": f"{percent(subject['right_first'])} and {percent(subject['right_elsewhere'])}",
                **{f"{label}, %": percent(subject[rule_set]) for rule_set, label in RULE_SETS.items()},
                "Block, known": subject["known_blocks"],
                "Block (share; pairs)": _read_block(subject),
                "measured on": f"{subject['date']}, {subject['device']}",
            }
        )
    return Table(subjects, pd.DataFrame(rows))


def _label(subject: Mapping[Hashable, Any]) -> str:
    """A masked model's label, or the sizes of a rung."""
    if masked := re.fullmatch(r"masked_(\d+)-s(\d+)", str(subject["run"])):  # its block, its seed
        return f"read in block {masked[1]} alone, seed {masked[2]}"
    return (
        f"width {subject['d_model']}, {subject['n_layers']} blocks; {subject['tables']} tables, "
        f"up to {subject['max_columns']} columns"
    )


def _read_block(subject: Mapping[Hashable, Any]) -> str:
    """The block with the largest share of the gap, that share, and the number of pairs that it is a mean of."""
    if pd.isna(subject["top_block"]):
        return ""
    return f"{int(subject['top_block'])} ({percent(subject['top_share'])}; {round(subject['r1'] * subject['n'])})"
