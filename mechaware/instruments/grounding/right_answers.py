"""How often each run answers a prompt with the wanted column, by the column's place in the schema."""

import pandas as pd

from mechaware.core.stats import clopper_pearson


def behaviour_table(answers: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """One row per run, prompt and place of the wanted column, over prompts with one right answer.

    Columns: run, prompt, column (that place, from 1; 0 for all places together), n, right (share answered with the
    wanted column, among the schema's columns) with its exact interval low and high, right_db and right_other (right
    where the wanted column is a column of training rows and where it is none; missing without any), first (share
    answered with the schema's first column) and most_likely (share in which the wanted column is the most likely token
    of the whole vocabulary).
    """
    answerable = answers[answers["wanted"] != ""]
    # Third words are database words in every category; the others are what the category names.
    is_third = answerable["prompt"] == "third"
    answerable = answerable.assign(
        right=answerable["answer"] == answerable["wanted"],
        database=is_third | ~answerable["category"].str.startswith("non_db"),
    )
    rows = []
    for (run, prompt), part in answerable.groupby(["run", "prompt"], sort=False):
        names = {"run": run, "prompt": prompt}
        rows.append(names | {"column": 0} | _behaviour(part, confidence_level))
        for place in sorted(part["place"].unique()):
            at_place = part[part["place"] == place]
            rows.append(names | {"column": place} | _behaviour(at_place, confidence_level))
    return pd.DataFrame(rows)


def _behaviour(answers: pd.DataFrame, confidence_level: float) -> dict[str, float | int]:
    """The columns of `behaviour_table` after the names, from these answers."""
    right = int(answers["right"].sum())
    low, high = clopper_pearson(right, len(answers), confidence_level)
    return {
        "n": len(answers),
        "right": right / len(answers),
        "low": low,
        "high": high,
        "right_db": answers.loc[answers["database"], "right"].mean(),
        "right_other": answers.loc[~answers["database"], "right"].mean(),
        "first": (answers["answer"] == answers["first"]).mean(),
        "most_likely": answers["most_likely"].mean(),
    }
