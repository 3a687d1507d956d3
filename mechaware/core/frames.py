"""Writes tables whole or not at all, with reproducible bytes; reads them by a schema."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write

# What a message about missing cells says to do.
_REMEDY = (
    "pandas reads the texts NA, None and null as missing: "
    "read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)
_MAX_ROWS = 5  # that a message lists


class Schema(NamedTuple):
    """The columns of a CSV that hold text or truth values; every other column holds numbers.

    Text stays text, even `7` or `NA`; an empty cell of text is the empty string. An empty cell of
    numbers is missing (NaN), an empty truth value is false. Columns of the schema that a file lacks
    are ignored, so that one schema serves the paper's printed table and our own.
    """

    text: tuple[str, ...] = ()
    boolean: tuple[str, ...] = ()


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write `table` whole or not at all, without its index.

    Floats have ten significant digits, so that equal results are equal files.
    """
    with atomic_write(path) as partial:
        table.to_csv(partial, index=False, float_format="%.10g", lineterminator="\n")


def write_parquet(table: pd.DataFrame, path: Path, *, digits: int | None = None) -> None:
    """Write `table` whole or not at all, without its index.

    `digits` is the number of significant digits that floats keep, by default all. Ten, as in a CSV,
    remove the last bits, in which machines differ: results computed from the file are then the same
    everywhere.
    """
    if digits is not None:
        rounded = {}
        for name in table.select_dtypes("float").columns:
            rounded[name] = [float(f"{number:.{digits}g}") for number in table[name]]
        table = table.assign(**rounded)
    with atomic_write(path) as partial:
        table.to_parquet(partial, index=False)


def read_csv(path: Path, schema: Schema) -> pd.DataFrame:
    """A CSV whose columns have the types of `schema`.

    Raises `ValueError` for a column of text that the schema does not name: read as numbers, it
    would lose cells.
    """
    columns = pd.read_csv(path, nrows=0).columns
    # By default pandas reads a text `NA` as missing and `7` as a number. Here a text is read as it
    # is, and in other columns only an empty cell is missing.
    types = {name: str for name in columns if name in schema.text}
    missing_cells = {name: [""] for name in columns if name not in types}
    table = pd.read_csv(path, dtype=types, keep_default_na=False, na_values=missing_cells)

    for name in table.columns:
        if name in schema.text:
            continue
        if name in schema.boolean:
            table[name] = table[name].astype(str) == "True"
        elif not pd.api.types.is_numeric_dtype(table[name]) and table[name].notna().any():
            raise ValueError(
                f"{path}: column '{name}' holds text; "
                "name it in the schema with which the file is read"
            )
    return table


def refuse_missing(
    table: pd.DataFrame, columns: Iterable[str], name: str, *, first_row: int
) -> None:
    """Raise `UserError` if one of these columns of a user's table has missing cells.

    These are NaN, None and NA. By default `pd.read_csv` turns the texts NA, None and null into
    missing cells, although they may be answers; in the files that we read they stay text. A cell
    left empty on purpose has the empty string. The message calls the table `name` and numbers its
    rows from `first_row`.
    """
    for column in columns:
        is_missing = table[column].isna()
        rows = [row for row, missing in enumerate(is_missing, start=first_row) if missing]
        if rows:
            raise UserError(f"{name}, {_list_rows(rows)}: {column} is missing; {_REMEDY}")


def _list_rows(rows: Sequence[int]) -> str:
    """`row 4`, `rows 4, 7`, or the first five rows and the number of the others."""
    listed = ", ".join(map(str, rows[:_MAX_ROWS]))
    if len(rows) == 1:
        return f"row {listed}"
    if len(rows) > _MAX_ROWS:
        return f"rows {listed} and {len(rows) - _MAX_ROWS} more"
    return f"rows {listed}"


def read_csvs(paths: Sequence[Path], schema: Schema) -> pd.DataFrame:
    """Several CSVs of the same columns as one table, in the order of `paths`."""
    return pd.concat([read_csv(path, schema) for path in paths], ignore_index=True)


def read_parquets(paths: Sequence[Path]) -> pd.DataFrame:
    """Several Parquet files of the same columns as one table, in the order of `paths`."""
    return pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
