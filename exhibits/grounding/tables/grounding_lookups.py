"""How many prompts of the data, and how many pairs,
tell a reader of the schema from a look-up of the request word.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from exhibits.grounding.lookups import score_lookups
from exhibits.report.tables import Table, percent, percent_interval, with_interval

READS = {"answers": "results/grounding/lookups.parquet"}
CONFIG = {"confidence_level": "confidence_level", "resamples": "bootstrap_resamples"}


def fill(*, answers: pd.DataFrame, confidence_level: float, resamples: int, seed: int) -> Table:
    """A row per control. `Schema read`, the share of request words for which it reads the schema,
    tells which it is.

    Shares are in percent. All numbers have an interval over request words, except what a control
    reads, its right answers and the prompts that are needed by score.
    """
    numbers = score_lookups(
        answers, confidence_level=confidence_level, resamples=resamples, seed=seed
    )
    rows = []
    for row in numbers.to_dict("records"):
        shown = {
            "Schema read": percent(row["read"]),
            "Right": percent(row["right"]),
            "Tell": _share(row, "differs"),
            "Needed": _count(row, "prompts_needed"),
            "Needed, by score": _whole(row["by_score"]),
            "Pairs that tell": _share(row, "moves"),
            "Pairs needed": _count(row, "pairs_needed"),
        }
        rows.append(shown)
    return Table(numbers, pd.DataFrame(rows))


def _share(row: Mapping[Any, Any], name: str) -> str:
    interval = percent_interval(row[f"{name}_low"], row[f"{name}_high"])
    return with_interval(percent(row[name]), interval)


def _count(row: Mapping[Any, Any], name: str) -> str:
    """A number of prompts or pairs with its interval.

    It is empty where no prompt or pair tells the control from the look-up. A missing upper end is
    shown as infinite: perhaps none tells.
    """
    if pd.isna(row[name]):
        return ""
    high = _whole(row[f"{name}_high"]) or "∞"
    return with_interval(_whole(row[name]), f"{_whole(row[f'{name}_low'])} to {high}")


def _whole(count: Any) -> str:
    return "" if pd.isna(count) else f"{count:,.0f}"
