"""The claim-validity paper's Table 1: dimensions, criteria and weights as printed,
and the rules read from its text.
"""

from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_CRITERIA
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    Dimension,
    Level,
)

READS = {"reported_criteria": "config/reported/claims_criteria.csv"}


def fill(*, reported_criteria: Annotated[pd.DataFrame, REPORTED_CRITERIA]) -> Table:
    """The rubric that scores: `numbers` has its criteria, matched with the printed ones, and
    `shown` its dimensions.

    The column `found` says whether a criterion is in `both` rubrics, only in `ours` or only in the
    `reported` one.
    """
    columns = ["dimension", "name", "weight", "focus", "criterion", "criterion_name"]
    table = _rubric().merge(
        reported_criteria, on=columns, how="outer", indicator="found", sort=False
    )
    table["found"] = table["found"].map(
        {"both": "both", "left_only": "ours", "right_only": "reported"}
    )
    place = {code: index for index, code in enumerate(CRITERIA)}
    # A criterion that only the printed rubric has comes last.
    numbers = table.sort_values("criterion", key=lambda codes: codes.map(place), kind="stable")
    return Table(numbers, pd.DataFrame([_shown(dimension) for dimension in DIMENSIONS]))


def _shown(dimension: Dimension) -> dict[str, str]:
    """The cells of a dimension, with the rule of each level from the lowest on."""
    criteria = [f"{code} {name}" for code, name in dimension.criteria.items()]
    cells = {
        "Dimension": f"{dimension.name} ({dimension.code})",
        "Criteria": ", ".join(criteria),
        "Weight": f"{dimension.weight:.1f}",
        "Focus": dimension.focus,
    }
    for level in reversed(dimension.levels):
        cells[f"Level {level.score}"] = _rule(level)
    return cells


def _rubric() -> pd.DataFrame:
    """The rubric that scores, by criterion."""
    rows = []
    for dimension in DIMENSIONS:
        for code, name in dimension.criteria.items():
            rows.append(
                {
                    "dimension": dimension.code,
                    "name": dimension.name,
                    "weight": dimension.weight,
                    "focus": dimension.focus,
                    "criterion": code,
                    "criterion_name": name,
                    "leak_prone": code in LEAK_PRONE,
                }
            )
    return pd.DataFrame(rows)


def _rule(level: Level) -> str:
    """A level's demands in words; a code without a status must be YES, and "and" binds before "or".

    "I1 or I2 at least PARTIAL": I1 is YES, or I2 is PARTIAL or YES.
    """
    ways = []
    for way in level.any_of:
        demands = []
        for code, status in way.items():
            demands.append(code if status == "YES" else f"{code} at least {status}")
        ways.append(" and ".join(demands))
    rule = " or ".join(ways)
    if level.least_sum:
        rule += f", statuses that sum to at least {level.least_sum:g}"
    return rule
