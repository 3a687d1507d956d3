"""Table 2 of the symbolic-mechanistic paper: effect and pass rates by category, reported beside ours."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_csv, write_csv
from mechaware.grounding.names import CATEGORY_LABELS
from mechaware.report.tables import p_value, percent, percent_interval, signed, signed_interval, write_shown
from scripts.command import run

PRINTED = {
    "effect": ("delta", "difference", 1),
    "pass_schema": ("r3", "schema", 100),
    "pass_no_schema": ("r3", "no_schema", 100),
}


def main(*, comparison: Path, reported: Path, out: Path, tex: Path) -> None:
    """Join the comparison of the two conditions with what the paper prints for each category."""
    table = read_csv(comparison)
    printed = pd.read_csv(reported)
    for quantity, (ours, column, scale) in PRINTED.items():
        source = printed[printed["quantity"] == quantity].set_index("category")
        table[f"reported_{column}"] = table.get(f"reported_{column}", float("nan"))
        rows = table["quantity"] == ours
        table.loc[rows, f"reported_{column}"] = table.loc[rows, "category"].map(source["value"] / scale)
        table.loc[rows, "place"] = table.loc[rows, "category"].map(source["place"])
    write_csv(table, out)
    gaps, sensitive, passes = (table[table["quantity"] == name].set_index("category") for name in ("delta", "r1", "r3"))
    shown = pd.DataFrame(
        {
            "Category": list(map(CATEGORY_LABELS.get, gaps.index)),
            "n": gaps["n"].astype(str),
            "Effect, reported": gaps["reported_difference"].map(signed),
            "Effect, ours": gaps["difference"].map(signed),
            "Interval": list(map(signed_interval, gaps["low"], gaps["high"])),
            "p": gaps["p"].map(p_value),
            "R1, schema": sensitive["schema"].map(percent),
            "R1, no schema": sensitive["no_schema"].map(percent),
            "R1, p": sensitive["p"].map(p_value),
            "Pass, schema, reported": passes["reported_schema"].map(percent),
            "Pass, schema, ours": passes["schema"].map(percent),
            "Pass, no schema, reported": passes["reported_no_schema"].map(percent),
            "Pass, no schema, ours": passes["no_schema"].map(percent),
            "Difference of ours, interval": list(map(percent_interval, passes["low"], passes["high"])),
            "Pass, p": passes["p"].map(p_value),
        }
    )
    write_shown(shown, tex)


if __name__ == "__main__":
    run(main)
