"""Table 1 of the claims study: dimensions, criteria and weights as printed, and the rules read from the text."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.criteria import DIMENSIONS, LEAK_PRONE, Dimension, Level
from mechaware.frames import write_csv
from mechaware.report.tables import write_shown
from scripts.command import run


def main(*, reported: Path, out: Path, tex: Path) -> None:
    """Put the rubric that scores beside the printed one; a criterion's levels are those whose rule names it."""
    rows = [
        {
            "dimension": dimension.code,
            "name": dimension.name,
            "weight": dimension.weight,
            "focus": dimension.focus,
            "criterion": code,
            "criterion_name": name,
            "levels": _levels(dimension, code),
            "leak_prone": code in LEAK_PRONE,
        }
        for dimension in DIMENSIONS
        for code, name in dimension.criteria.items()
    ]
    printed = pd.read_csv(reported)
    columns = ["dimension", "name", "weight", "focus", "criterion", "criterion_name"]
    table = pd.DataFrame(rows).merge(printed, on=columns, how="outer", indicator="found", sort=False)
    table["found"] = table["found"].map({"both": "both", "left_only": "ours", "right_only": "reported"})
    table["order"] = table["criterion"].map([row["criterion"] for row in rows].index)
    write_csv(table.sort_values("order").drop(columns="order"), out)
    shown = pd.DataFrame(
        {
            "Dimension": f"{dimension.name} ({dimension.code})",
            "Criteria": ", ".join(f"{code} {name}" for code, name in dimension.criteria.items()),
            "Weight": f"{dimension.weight:.1f}",
            "Focus": dimension.focus,
            **{f"Level {level.score}": _rule(level) for level in reversed(dimension.levels)},
        }
        for dimension in DIMENSIONS
    )
    write_shown(shown, tex)


def _rule(level: Level) -> str:
    """What a level asks for: `I1 and I2` are both YES."""
    ways = [
        " and ".join(code if status == "YES" else f"{code} at least {status}" for code, status in way.items())
        for way in level.any_of
    ]
    return " or ".join(ways) + (f", statuses that sum to at least {level.least_sum:g}" if level.least_sum else "")


def _levels(dimension: Dimension, code: str) -> str:
    named = [f"{level.score}" for level in reversed(dimension.levels) if any(code in way for way in level.any_of)]
    summed = [f"{level.score} (sum)" for level in dimension.levels if level.least_sum and str(level.score) not in named]
    return "; ".join([*named, *summed])


if __name__ == "__main__":
    run(main)
