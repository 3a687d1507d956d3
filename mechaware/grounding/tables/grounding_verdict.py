"""The verdict of both sets of rules on every control and model, beside the truth and the behaviour."""

from typing import Annotated

import pandas as pd

from mechaware.grounding.names import GROUPS, run_label
from mechaware.grounding.rules.listed import RULE_SETS, RULES
from mechaware.grounding.schemas import VERDICT
from mechaware.grounding.tables.cells import layer_numbers
from mechaware.report.tables import Table, percent

READS = {"verdict": "results/grounding/verdict.csv"}


def fill(*, verdict: Annotated[pd.DataFrame, VERDICT]) -> Table:
    """One row per run: the share of prompts answered rightly, of pairs that pass each rule, and both verdicts."""
    shown = pd.DataFrame(
        {
            "Run": verdict["run"].map(run_label),
            "Group": verdict["group"].map(GROUPS),
            "Right, first": verdict["right_first"].map(percent),
            "Right, elsewhere": verdict["right_elsewhere"].map(percent),
            "Prefers absent": verdict["prefers_absent"].map(percent),
            **{rule.name.upper(): verdict[rule.name].map(percent) for rule in RULES},
        }
    )
    for rule_set, label in RULE_SETS.items():
        shown[f"{label}, first"] = verdict[f"{rule_set}_first"].map(percent)
        shown[f"{label}, elsewhere"] = verdict[f"{rule_set}_elsewhere"].map(percent)
        shown[f"Reads, by {label}"] = verdict[f"{rule_set}_verdict"].map({True: "yes", False: "no"})
    shown["Block, known"] = verdict["known_blocks"]
    shown["Block, found"] = layer_numbers(verdict["found_block"])
    shown["n"] = verdict["n"].astype(str)
    return Table(verdict, shown)
