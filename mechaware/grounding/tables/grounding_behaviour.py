"""Behaviour before any rule: how often each run answers the column that is asked for, by its place in the schema."""

import pandas as pd

from mechaware.grounding.names import is_drawn, run_label
from mechaware.report.tables import Table, percent

READS = {"behaviour": "results/grounding/behaviour.parquet"}


def fill(*, behaviour: pd.DataFrame) -> Table:
    """The numbers have a row per run, prompt and place of the wanted column; the cells a row per run,
    without the drawn controls.

    Of the places, the cells show the first, the second, and the third and later ones together.
    """
    runs = [run for run in behaviour["run"].unique() if not is_drawn(run)]
    at_place = behaviour[behaviour["column"] > 0]
    groups = {"first": at_place["column"] == 1, "second": at_place["column"] == 2, "later": at_place["column"] > 2}
    overall = behaviour[behaviour["column"] == 0].set_index(["prompt", "run"])

    def shares(rows: pd.DataFrame) -> list[str]:
        right = (rows["right"] * rows["n"]).groupby(rows["run"]).sum() / rows["n"].groupby(rows["run"]).sum()
        return [percent(share) for share in right.reindex(runs)]

    clean = at_place["prompt"] == "clean"
    shown = pd.DataFrame(
        {
            "Run": list(map(run_label, runs)),
            **{f"Right, {name}": shares(at_place[clean & rows]) for name, rows in groups.items()},
            **{
                f"Right, {label}": [percent(overall[name].get(("clean", run), float("nan"))) for run in runs]
                for label, name in (("DB words", "right_db"), ("others", "right_other"))
            },
            "First column": [percent(overall["first"].get(("clean", run), float("nan"))) for run in runs],
            "Most likely token": [percent(overall["most_likely"].get(("clean", run), float("nan"))) for run in runs],
            **{
                label: [percent(overall["right"].get((prompt, run), float("nan"))) for run in runs]
                for label, prompt in (
                    ("Other column changed", "unasked"),
                    ("Corrupted", "corrupted"),
                )
            },
            "Third word; both words": [
                "; ".join(percent(overall["right"].get((prompt, run), float("nan"))) for prompt in ("third", "both"))
                for run in runs
            ],
        }
    )
    return Table(behaviour, shown)
