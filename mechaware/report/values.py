"""The numbers that the paper's text prints, each with its interval, n, unit and the file that it came from."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from mechaware.files import replacing
from mechaware.frames import Schema, read_csv

Value = dict[str, Any]


class Quantity(NamedTuple):
    """A number of each row of a table, by the columns that hold it, its interval, n, and what the source paper prints.

    `reported` is a column of the source paper's numbers, in the same unit; the row's `place` is where that paper has
    them.
    """

    column: str
    unit: str
    low: str | None = None
    high: str | None = None
    n: str | None = None
    reported: str | None = None


class TableValues(NamedTuple):
    """What to take from a table: the columns whose cells name a row, a quantity for each name, and how it is read."""

    keys: tuple[str, ...]
    quantities: Mapping[str, Quantity]
    schema: Schema


# The tables of what printed numbers imply, one in each study.
IMPLIED = TableValues(
    ("quantity",),
    {"printed": Quantity("printed", "text"), "implied": Quantity("implied", "text")},
    schema=Schema(text=("quantity", "printed", "implied", "how", "place")),
)


def table_values(table: pd.DataFrame, taken: TableValues, file: Path) -> dict[str, Value]:
    """The values of every row, by `{name of the file}/{cell of each key}/{name of the quantity}`.

    An empty cell of a key adds no part to the name, and a missing number is null. Raises `ValueError` if two rows have
    the same name.
    """
    values: dict[str, Value] = {}
    for row in table.to_dict("records"):
        cells = [str(row[key]) for key in taken.keys if not _missing(row[key])]
        for name, quantity in taken.quantities.items():
            key = "/".join([file.stem, *cells, name])
            if key in values:
                raise ValueError(f"{file}: two rows are named {key}")
            values[key] = value(
                row[quantity.column],
                unit=quantity.unit,
                file=file,
                low=row[quantity.low] if quantity.low else None,
                high=row[quantity.high] if quantity.high else None,
                n=row[quantity.n] if quantity.n else None,
            )
            if quantity.reported and not _missing(row[quantity.reported]):
                values[key] |= {"reported": _plain(row[quantity.reported]), "place": row["place"]}
    return values


def tables_values(paths: Iterable[Path], taken: Mapping[str, TableValues]) -> dict[str, Value]:
    """The values of several tables, each by what is taken from a table of its name."""
    values: dict[str, Value] = {}
    for path in paths:
        values |= table_values(read_csv(path, taken[path.stem].schema), taken[path.stem], path)
    return values


def value(number: Any, *, unit: str, file: Path | str, low: Any = None, high: Any = None, n: Any = None) -> Value:
    """One value; `file` is the result, or the part of the config, that it came from."""
    parts = {"value": number, "low": low, "high": high, "n": n}
    return {name: _plain(part) for name, part in parts.items()} | {"unit": unit, "file": str(file)}


def setting_values(settings: Mapping[str, str]) -> dict[str, Value]:
    """The config leaves that the text states, by their paths."""
    return {path: value(yaml.safe_load(text), unit="setting", file="config") for path, text in settings.items()}


def write_values(values: Mapping[str, Value], lists: Mapping[str, Any], path: Path) -> None:
    """Write a study's values, and the lists (of models, sets, judges) by whose names they are called."""
    record = {"lists": lists, "values": dict(sorted(values.items()))}
    with replacing(path) as partial:
        partial.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n")


def _missing(cell: Any) -> bool:
    return cell == "" or (not isinstance(cell, list) and bool(pd.isna(cell)))  # a setting may be a list


def _plain(cell: Any) -> Any:
    """A cell as JSON has it: no NaN, no NumPy scalar, ten significant digits."""
    if _missing(cell):
        return None
    cell = cell.item() if hasattr(cell, "item") else cell
    return float(f"{cell:.10g}") if isinstance(cell, float) else cell
