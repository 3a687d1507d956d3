"""The columns that identify a prompt in the study's tables."""

import pandas as pd

from mechaware.radar.prompts import pair_of

IDENTITY = ["id", "label", "category", "n_tokens"]
# The categories of the paper's test set: beside a set that has them all, its printed results are shown.
PAPER_CATEGORIES = {"clear_recall", "clear_reasoning", "challenging", "complex_reasoning"}


def pairs(table: pd.DataFrame) -> pd.Series:
    """The pair of each row, by its id and label; a prompt without a twin is a pair of its own."""
    return pd.Series([pair_of(*row) for row in zip(table["id"], table["label"], strict=True)], table.index)


def with_identity(table: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The identifying columns of `table` before the columns of `values`, row by row."""
    return pd.concat([table[IDENTITY], values], axis=1)


def from_origin(rows: pd.DataFrame, model: str, prompt_set: str) -> pd.DataFrame:
    """`rows` behind two columns that name the model and the prompt set that they come from."""
    origin = pd.DataFrame({"model": model, "prompt_set": prompt_set}, index=rows.index)
    return pd.concat([origin, rows], axis=1)


def is_of_the_papers_kind(table: pd.DataFrame) -> bool:
    """Whether a set has the categories of the paper's test set, so that the paper's results may stand beside ours."""
    return set(table["category"]) >= PAPER_CATEGORIES
