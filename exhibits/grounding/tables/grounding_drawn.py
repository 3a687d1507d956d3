"""How well each set of rules tells drawn controls that ground from the others, on the half that was held out."""

import pandas as pd

from exhibits.grounding.tables.grounding_rule_sets import LABELS
from exhibits.report.tables import Table, fixed, percent, percent_interval, with_interval
from mechaware.instruments.grounding.rules.registry import PREFIX

READS = {"drawn": "results/grounding/drawn.parquet"}


def fill(*, drawn: pd.DataFrame) -> Table:
    """A row per set of rules and reading: the held-out half in the cells, both halves in the numbers."""
    rows = []
    for of_rules in drawn[drawn["half"] == "held_out"].to_dict("records"):
        lead, *ends = (
            fixed(of_rules[f"lead{part}"], 2, sign="+") for part in ("", "_low", "_high")
        )
        row = {
            "Rules": LABELS.get(of_rules["rules"], str(of_rules["rules"]).removeprefix(PREFIX)),
            "AUROC": with_interval(
                fixed(of_rules["auroc"], 2), f"{of_rules['low']:.2f} to {of_rules['high']:.2f}"
            ),
            "AUROC, by share": fixed(of_rules["auroc_by_share"], 2),
            "Lead": with_interval(lead, " to ".join(ends)),
        }
        for name in ("sensitivity", "specificity"):
            interval = percent_interval(of_rules[f"{name}_low"], of_rules[f"{name}_high"])
            row[name.capitalize()] = with_interval(percent(of_rules[name]), interval)
        rows.append(row | {"Pairs right": percent(of_rules["pairs_right"])})
    return Table(drawn, pd.DataFrame(rows))
