"""Behaviour before any rule: how often each run answers the column that is asked for, by its place in the schema."""

import pandas as pd

from exhibits.report.tables import Table, percent
from mechaware.planted.sql.runs import is_drawn, run_label

READS = {"behaviour": "results/grounding/behaviour.parquet"}


def fill(*, behaviour: pd.DataFrame) -> Table:
    """The numbers have a row per run, prompt and place of the wanted column; the cells a row per run,
    without the drawn controls.

    The cells show the first place, the second, and the third and later ones together.
    """
    runs = [run for run in behaviour["run"].unique() if not is_drawn(run)]
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

    def over_all(*cells: tuple[str, str]) -> list[str]:
        """Shares over all places, by prompt and name, those of a run in one cell."""
        texts = []
        for run in runs:
            of_run = []
            for prompt, name in cells:
                of_run.append(percent(overall[name].get((prompt, run), float("nan"))))
            texts.append("; ".join(of_run))
        return texts

    clean = at_place["prompt"] == "clean"
    shown = {"Run": [run_label(run) for run in runs]}
    for name, is_in_group in groups.items():
        shown[f"Right, {name}"] = shares(at_place[clean & is_in_group])
    shown |= {
        "Right, DB words; others": over_all(("clean", "right_db"), ("clean", "right_other")),
        "First column; most likely": over_all(("clean", "first"), ("clean", "most_likely")),
        "Another request": over_all(("other", "right")),
        "Other column; corrupted": over_all(("unasked", "right"), ("corrupted", "right")),
        "Third word; both words": over_all(("third", "right"), ("both", "right")),
    }
    return Table(behaviour, pd.DataFrame(shown))
