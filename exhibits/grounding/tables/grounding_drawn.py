"""How well each set of rules tells drawn controls that ground from the others, held out and on all."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from exhibits.grounding.tables.grounding_rule_sets import LABELS
from exhibits.report.tables import Table, fixed, percent, percent_interval, with_interval
from mechaware.instruments.grounding.rules.registry import PREFIX

READS = {"drawn": "results/grounding/drawn.parquet"}


def fill(*, drawn: pd.DataFrame) -> Table:
    """A row per set of rules and reading: AUROC and lead held out and on all, the rest held out alone."""
    on_all = {row["rules"]: row for row in drawn[drawn["half"] == "all"].to_dict("records")}
    rows = []
    for of_rules in drawn[drawn["half"] == "held_out"].to_dict("records"):
        of_all = on_all[of_rules["rules"]]
        row = {
            "Rules": LABELS.get(of_rules["rules"], str(of_rules["rules"]).removeprefix(PREFIX)),
            "AUROC": _area(of_rules),
            "AUROC, all": _area(of_all),
            "AUROC, by share": fixed(of_rules["auroc_by_share"], 2),
            "Lead": _lead(of_rules),
            "Lead, all": _lead(of_all),
        }
        for name in ("sensitivity", "specificity"):
            interval = percent_interval(of_rules[f"{name}_low"], of_rules[f"{name}_high"])
            row[name.capitalize()] = with_interval(percent(of_rules[name]), interval)
        rows.append(row | {"Pairs right": percent(of_rules["pairs_right"])})
    return Table(drawn, pd.DataFrame(rows))


def _area(row: Mapping[Any, Any]) -> str:
    return with_interval(fixed(row["auroc"], 2), f"{row['low']:.2f} to {row['high']:.2f}")


def _lead(row: Mapping[Any, Any]) -> str:
    lead, *ends = (fixed(row[f"lead{part}"], 2, sign="+") for part in ("", "_low", "_high"))
    return with_interval(lead, " to ".join(ends))
