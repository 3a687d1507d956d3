"""Gaps and verdicts of a few pairs in trained runs, written by hand,
and their conditions compared.
"""

from typing import Any

import pandas as pd

from mechaware.instruments.grounding.training_conditions import compare_conditions

# The verdicts whose shares are compared between conditions, and those that are contrasted by
# models.
VERDICTS = (
    "r1",
    "r1_signed",
    "r2",
    "r3",
    "r3_top",
    "r3_signed",
    "r3_embedding",
    "r3_both",
    "grounded",
)
CONTRASTED = (*VERDICTS, "g4", "g5")
DRAWS: dict[str, Any] = {"resamples": 2000, "seed": 7}

RUNS = ("schema-s0", "schema-s1", "no_schema-s0", "no_schema-s1")
# The gaps of two pairs per category, each in the four RUNS. Beside them by hand, for each pair: the
# mean with the schema, minus the mean without it.
GAPS = {
    # 1.5 - 0.5 = 1.0;  1.0 - 0.5 = 0.5
    "db_synonyms": ((2.0, 1.0, 0.5, 0.5), (1.0, 1.0, 0.0, 1.0)),
    # 0 - 2 = -2;  0 - 0.5 = -0.5
    "db_scramble": ((0.0, 0.0, 1.0, 3.0), (1.0, -1.0, 0.5, 0.5)),
    # 2 - 2 = 0;  0.5 - 0.5 = 0
    "non_db_synonyms": ((1.0, 3.0, 2.0, 2.0), (0.5, 0.5, 0.0, 1.0)),
    # 3 - 1 = 2;  0.5 - 1.5 = -1
    "non_db_scramble": ((4.0, 2.0, 1.0, 1.0), (0.0, 1.0, 1.0, 2.0)),
    # 5 - 1 = 4;  3 - 2 = 1
    "super_scramble": ((5.0, 5.0, 1.0, 1.0), (2.0, 4.0, 1.0, 3.0)),
}


def judged(
    run: str, pair: str, category: str, gap: float = 1.0, passes: str = ""
) -> dict[str, object]:
    """A row of the table of verdicts; `passes` names the verdicts that are true, between spaces."""
    verdicts = {verdict: verdict in passes.split() for verdict in CONTRASTED}
    return {"run": run, "pair": pair, "category": category, "delta": gap, **verdicts}


def compared(confidence_level: float = 0.95) -> pd.DataFrame:
    """The comparison of conditions over GAPS, by category and quantity.

    The second and the fourth run have the categories in reverse order. The table also has the
    control grounded_2, with gaps of 100: it was trained in no condition and must not count.
    """
    rows = []
    for category in GAPS:
        for number in range(2):
            rows.append(judged("grounded_2", f"{category} {number}", category, gap=100.0))
    for index, run in enumerate(RUNS):
        categories = list(GAPS)
        if index % 2 == 1:
            categories.reverse()
        for category in categories:
            for number, gap_by_run in enumerate(GAPS[category]):
                rows.append(judged(run, f"{category} {number}", category, gap=gap_by_run[index]))
    table = compare_conditions(pd.DataFrame(rows), confidence_level=confidence_level, **DRAWS)
    return table.set_index(["category", "quantity"])
