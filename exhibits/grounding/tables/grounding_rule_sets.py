"""How often each set of rules is right about the controls, whose mechanism is known."""

import pandas as pd

from exhibits.report.tables import Table, percent, percent_interval
from mechaware.instruments.grounding.rules.registry import BASELINES, PREFIX, RULE_SETS, VARIANTS
from mechaware.planted.sql.runs import run_label

LABELS = RULE_SETS | {name: variant.label for name, variant in (VARIANTS | BASELINES).items()}
READS = {"rule_sets": "results/grounding/rule_sets.parquet"}


def fill(*, rule_sets: pd.DataFrame) -> Table:
    """Sensitivity over the controls that ground and specificity over the shortcuts,
    with exact intervals.
    """
    right = [f"{k} of {n}" for k, n in zip(rule_sets["right"], rule_sets["n"], strict=True)]
    wrong = []
    for names in rule_sets["wrong"]:
        runs = names.split(", ") if names else []
        wrong.append("; ".join(map(run_label, runs)))
    shown = pd.DataFrame(
        {
            "Rules": [LABELS.get(name, name.removeprefix(PREFIX)) for name in rule_sets["rules"]],
            "Measure": rule_sets["measure"],
            "Right": right,
            "Share": rule_sets["value"].map(percent),
            "Interval": list(map(percent_interval, rule_sets["low"], rule_sets["high"])),
            "Judged wrongly": wrong,
        }
    )
    return Table(rule_sets, shown)
