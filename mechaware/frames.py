"""Tables in files: whole or absent, and the same bytes for the same numbers."""

from pathlib import Path

import pandas as pd

from mechaware.files import replacing

# Columns that name something. They stay text, were they `7` or `NA`, and are empty where nothing is named.
NAMES = (
    *("id", "group", "label", "category", "model", "prompt_set", "slice", "protocol", "system", "reduction", "place"),
    *("judge", "paper", "title", "criterion", "stage", "statement", "reason"),
)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write `table` whole or not at all; ten significant digits, so that equal results are equal files."""
    with replacing(path) as partial:
        table.to_csv(partial, index=False, float_format="%.10g", lineterminator="\n")


def write_parquet(table: pd.DataFrame, path: Path) -> None:
    """Write `table` whole or not at all."""
    with replacing(path) as partial:
        table.to_parquet(partial, index=False)


def read_csv(path: Path) -> pd.DataFrame:
    """A CSV that `write_csv` wrote, with its `NAMES` as text."""
    columns = pd.read_csv(path, nrows=0).columns
    numbers = {name: [""] for name in columns if name not in NAMES}
    return pd.read_csv(path, dtype=dict.fromkeys(NAMES, str), keep_default_na=False, na_values=numbers)


def read_csvs(paths: list[Path]) -> pd.DataFrame:
    """Several CSVs of the same columns as one table."""
    return pd.concat([read_csv(path) for path in paths], ignore_index=True)


def read_parquets(paths: list[Path]) -> pd.DataFrame:
    """Several Parquet files of the same columns as one table."""
    return pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
