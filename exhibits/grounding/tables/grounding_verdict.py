"""The verdict of both sets of rules on every control and model,
with the truth and the behaviour.
"""

import pandas as pd

from exhibits.report.tables import Table, percent
from mechaware.instruments.grounding.rules.registry import PREFIX, RULE_SETS, further_columns
from mechaware.planted.sql.runs import is_drawn, run_label

READS = {"verdict": "results/grounding/verdict.parquet"}


def fill(*, verdict: pd.DataFrame) -> Table:
    """One row per run: shares of pairs that pass, as they are and corrected, and verdicts.

    A further rule has its share. The numbers also have each rule, the prompts answered rightly
    (`grounding_behaviour` shows them by place), and the drawn controls.
    """
    listed = verdict[~verdict["run"].map(is_drawn)]
    shown = pd.DataFrame({"Run": listed["run"].map(run_label)})
    for rule_set, label in RULE_SETS.items():
        corrected = listed[f"{rule_set}_corrected"].clip(lower=0)
        shown[f"{label}, %"] = listed[rule_set].map(percent)
        shown[f"{label}, corrected, %"] = corrected.map(percent)
        shown[f"grounds, {label}"] = listed[f"{rule_set}_verdict"].map({True: "yes", False: "no"})
    for name in further_columns(listed):
        shown[f"{name.removeprefix(PREFIX)}, %"] = listed[name].map(percent)
    shown["Blocks, known"] = listed["known_blocks"]
    shown["Blocks, found"] = listed["found_blocks"]
    return Table(verdict, shown)
