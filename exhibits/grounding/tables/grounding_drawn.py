"""How well each set of rules tells drawn controls that ground from the others,
held out and on all.
"""

import pandas as pd

from exhibits.grounding.tables.grounding_rule_sets import LABELS
from exhibits.report.tables import Table, fixed, percent, percent_interval, with_interval
from mechaware.instruments.grounding.rules.registry import PREFIX

HALVES = {"held_out": "held out", "all": "all"}
READS = {"drawn": "results/grounding/drawn.parquet"}


def fill(*, drawn: pd.DataFrame) -> Table:
    """Two rows per set of rules, variant, baseline and further rule: on the held-out half of the
    controls, and on all.

    Controls: how many ground, and how many do not. For "AUROC" a control grounds only if it reads
    the requested column in all of its pairs; for "AUROC, by share", if it reads that column in at
    least the share of pairs that a verdict requires. Lead: AUROC less the AUROC of the baseline
    `answer_and_gap`.
    """
    rows = []
    for rules in drawn["rules"].unique():
        of_rules = drawn[drawn["rules"] == rules].set_index("half")
        for half, label in HALVES.items():
            row = of_rules.loc[half]
            shown = {
                "Rules": LABELS.get(rules, str(rules).removeprefix(PREFIX)),
                "Controls": f"{label}: {row['grounded']}, {row['others']}",
                "AUROC": _area(row),
                "AUROC, by share": fixed(row["auroc_by_share"], 2),
                "Lead": _lead(row),
            }
            for name in ("sensitivity", "specificity"):
                interval = percent_interval(row[f"{name}_low"], row[f"{name}_high"])
                shown[name.capitalize()] = with_interval(percent(row[name]), interval)
            rows.append(shown | {"Pairs right": percent(row["pairs_right"])})
    return Table(drawn, pd.DataFrame(rows))


def _area(row: pd.Series) -> str:
    return with_interval(fixed(row["auroc"], 2), f"{row['low']:.2f} to {row['high']:.2f}")


def _lead(row: pd.Series) -> str:
    lead = fixed(row["lead"], 2, sign="+")
    low = fixed(row["lead_low"], 2, sign="+")
    high = fixed(row["lead_high"], 2, sign="+")
    return with_interval(lead, f"{low} to {high}")
