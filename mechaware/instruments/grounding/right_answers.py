"""How often each run answers rightly, by the place of the wanted column of the clean prompt."""

import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson


def behaviour_table(answers: pd.DataFrame, *, confidence_level: float) -> pd.DataFrame:
    """One row per run, prompt and place of the clean prompt's wanted column.

    Prompts without exactly one right answer are left out. `answers` has the answers of several runs
    (`answers.answer_table`), with a column `run`. Shares are from 0 to 1. Columns:

    - run, prompt
    - column: the place of the clean prompt's wanted column, from 1; 0 for all places together. All
      prompts but `other` want the column at this place
    - n: the number of answers
    - right: the share of answers that are the wanted column, where an answer is the schema's column
      that the model prefers; a tie is not right
    - low, high: the exact interval of `right`, of `confidence_level`, such as 0.95
    - right_db, right_other: the share answered rightly where the wanted column is a database word,
      and where it is a word that no training row has as a column; missing without such answers
    - first: the share answered with the schema's first column
    - most_likely: the share in which the first token of the wanted column is the most likely token
      of the whole vocabulary
    """
    answerable = answers[answers["wanted"] != ""]
    # The wanted columns of the prompts `third` and `other` are database words in every category;
    # those of all other prompts are, unless the category's name begins with `non_db`.
    always_database_word = answerable["prompt"].isin(["third", "other"])
    answerable = answerable.assign(
        right=answerable["answer"] == answerable["wanted"],
        wants_database_word=(
            always_database_word | ~answerable["category"].str.startswith("non_db")
        ),
    )
    rows = []
    for (run, prompt), part in answerable.groupby(["run", "prompt"], sort=False):
        names = {"run": run, "prompt": prompt}
        rows.append(names | {"column": 0} | _shares(part, confidence_level))
        for place in sorted(part["place"].unique()):
            at_place = part[part["place"] == place]
            rows.append(names | {"column": place} | _shares(at_place, confidence_level))
    return pd.DataFrame(rows)


def _shares(answers: pd.DataFrame, confidence_level: float) -> dict[str, float | int]:
    """The columns of `behaviour_table` from `n` on, over these answers (at least one)."""
    n_right = int(answers["right"].sum())
    low, high = clopper_pearson(n_right, len(answers), confidence_level)
    wants_database_word = answers["wants_database_word"]
    return {
        "n": len(answers),
        "right": n_right / len(answers),
        "low": low,
        "high": high,
        "right_db": answers.loc[wants_database_word, "right"].mean(),
        "right_other": answers.loc[~wants_database_word, "right"].mean(),
        "first": (answers["answer"] == answers["first"]).mean(),
        "most_likely": answers["most_likely"].mean(),
    }
