"""The columns that identify a prompt, and the small moves between the study's tables."""

from pathlib import Path

import pandas as pd

from mechaware.files import replacing
from mechaware.radar.prompts import pair_of

TEXT = ("id", "group", "label", "category", "model", "prompt_set", "slice", "protocol", "system", "reduction", "place")
# The categories of the paper's test set: beside a set that has them all, its printed results are shown.
PAPER_CATEGORIES = {"clear_recall", "clear_reasoning", "challenging", "complex_reasoning"}
IDENTITY = ["id", "label", "category", "n_tokens"]


def pairs(table: pd.DataFrame) -> pd.Series:
    """The pair of each row, by its id and label; a prompt without a twin is a pair of its own."""
    return pd.Series([pair_of(*row) for row in zip(table["id"], table["label"], strict=True)], table.index)


def with_identity(table: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The identifying columns of `table` before the columns of `values`, row by row."""
    return pd.concat([table[IDENTITY], values], axis=1)


def is_of_the_papers_kind(table: pd.DataFrame) -> bool:
    """Whether a set has the categories of the paper's test set, so that the paper's results may stand beside ours."""
    return set(table["category"]) >= PAPER_CATEGORIES


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write `table` whole or not at all; ten significant digits, so that equal results are equal files."""
    with replacing(path) as partial:
        table.to_csv(partial, index=False, float_format="%.10g", lineterminator="\n")


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write `table` whole or not at all."""
    with replacing(path) as partial:
        table.to_parquet(partial, index=False)


def read_csv(path: Path) -> pd.DataFrame:
    """A CSV of the study; what names something stays text, were it `7` or `NA`, and is empty where it is missing."""
    columns = pd.read_csv(path, nrows=0).columns
    numbers = {name: [""] for name in columns if name not in TEXT}
    return pd.read_csv(path, dtype=dict.fromkeys(TEXT, str), keep_default_na=False, na_values=numbers)


def read_csvs(paths: list[Path]) -> pd.DataFrame:
    """Several CSVs of the same columns as one table."""
    return pd.concat([read_csv(path) for path in paths], ignore_index=True)


def read_parquets(paths: list[Path]) -> pd.DataFrame:
    """Several Parquet files of the same columns as one table."""
    return pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
