"""Behaviour before any rule: how often each run answers the column that is asked for,
by its place in the schema.
"""

import pandas as pd

from exhibits.report.tables import Table, percent
from mechaware.planted.sql.runs import is_drawn, run_label

READS = {"behaviour": "results/grounding/behaviour.parquet"}


def fill(*, behaviour: pd.DataFrame) -> Table:
    """A row per run in the cells, without the drawn controls; in the numbers, per run, prompt and
    place of the column.

    The cells show right answers to clean prompts where the wanted column is first, second, and
    third or later. The rest are over all places: how often the wanted token is the likeliest of all
    ("Most likely"), and right answers to prompts that ask for another column (`other`), that have
    another column exchanged which is not asked for (`unasked`), that have the corrupted word, and
    that have a third one.
    """
    runs = [run for run in behaviour["run"].unique() if not is_drawn(run)]
    # Places count from 1; the rows of all places together have 0.
    at_place = behaviour[behaviour["column"] > 0]
    groups = {
        "first": at_place["column"] == 1,
        "second": at_place["column"] == 2,
        "later": at_place["column"] > 2,
    }
    overall = behaviour[behaviour["column"] == 0].set_index(["prompt", "run"])

    def shares(rows: pd.DataFrame) -> list[str]:
        """The share of right answers by run, over the places of `rows`."""
        n_right = (rows["right"] * rows["n"]).groupby(rows["run"]).sum()
        n = rows["n"].groupby(rows["run"]).sum()
        return list((n_right / n).reindex(runs).map(percent))

    def over_all(prompt: str, name: str) -> list[str]:
        """A share over all places by run; empty for a run without such prompts."""
        return [percent(overall[name].get((prompt, run), float("nan"))) for run in runs]

    clean = at_place["prompt"] == "clean"
    shown = {"Run": [run_label(run) for run in runs]}
    for name, is_in_group in groups.items():
        shown[f"Right, {name}"] = shares(at_place[clean & is_in_group])
    shown |= {
        "Most likely": over_all("clean", "most_likely"),
        "Another request": over_all("other", "right"),
        "Other column": over_all("unasked", "right"),
        "Corrupted": over_all("corrupted", "right"),
        "Third word": over_all("third", "right"),
    }
    return Table(behaviour, pd.DataFrame(shown))
