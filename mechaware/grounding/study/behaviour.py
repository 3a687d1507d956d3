"""Behaviour: how often a run answers the column that is asked for, by its place in the schema and by prompt."""

import pandas as pd

from mechaware.stats import clopper_pearson


def behaviour_table(answers: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """One row per run, prompt and place of the wanted column, over prompts with one right answer.

    Columns: run, prompt, column (that place, from 1; 0 for all places together), n, right (share answered with the
    wanted column, among the schema's columns) with its exact interval low and high, first (share answered with the
    schema's first column) and most_likely (share in which the wanted column is the most likely token of the whole
    vocabulary).
    """
    asked = answers[answers["wanted"] != ""]
    rows = []
    for (run, prompt), part in asked.groupby(["run", "prompt"], sort=False):
        for place in (0, *sorted(part["place"].unique())):
            at_place = part if place == 0 else part[part["place"] == place]
            right = int((at_place["answer"] == at_place["wanted"]).sum())
            shares = right / len(at_place), *clopper_pearson(right, len(at_place), level)
            first = (at_place["answer"] == at_place["first"]).mean()
            rows.append((run, prompt, place, len(at_place), *shares, first, at_place["most_likely"].mean()))
    return pd.DataFrame(rows, columns=["run", "prompt", "column", "n", "right", "low", "high", "first", "most_likely"])
