"""The values that the paper's text can print: cells of tables, settings and computed values.

Each has the file, or the part of the config, that it comes from and, where there are any, its
interval and n.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.levels import significance_at
from mechaware.core.provenance import relative_name

Value = dict[str, Any]


class Quantity(NamedTuple):
    """A column whose cells are values, and the columns of its other parts;
    None for a part that it lacks.
    """

    name: str
    # The ends of its interval, or of its range over seeds.
    low: str | None = None
    high: str | None = None
    # How many items it is computed from.
    n: str | None = "n"
    # What the source paper prints.
    reported: str | None = None

    @property
    def parts(self) -> dict[str, str]:
        """The columns of its interval and n, by the names that the parts have in a value."""
        named = {"low": self.low, "high": self.high, "n": self.n}
        return {part: column for part, column in named.items() if column is not None}


def estimate(name: str, *, n: str | None = "n") -> Quantity:
    """A quantity with its interval in the columns `{name}_low` and `{name}_high`."""
    return Quantity(name, low=f"{name}_low", high=f"{name}_high", n=n)


def without_interval(*names: str, n: str | None = "n") -> tuple[Quantity, ...]:
    """Quantities that have no interval, all with one n."""
    return tuple(Quantity(name, n=n) for name in names)


class ValueTable(NamedTuple):
    """The roles of a table's columns.

    - `keys`: the columns whose cells name a row, in this order.
    - `quantities`: the columns that hold values.
    - `place`: the column with the place of the row's reported numbers in the source paper.
    - `left_out`: the columns that give no value.
    - `prefix`: the prefix of the columns that a config's own rules add. Each is a quantity without
      interval, whose n is in the column `n`.
    """

    keys: tuple[str, ...]
    quantities: tuple[Quantity, ...]
    place: str | None = None
    left_out: tuple[str, ...] = ()
    prefix: str | None = None

    @property
    def columns(self) -> list[str]:
        """Every column that the table must have."""
        names = [*self.keys, *self.left_out]
        for quantity in self.quantities:
            names += [quantity.name, *quantity.parts.values()]
            if quantity.reported is not None:
                names.append(quantity.reported)
        if self.place is not None:
            names.append(self.place)
        return list(dict.fromkeys(names))

    def added(self, columns: Iterable[str]) -> list[str]:
        """Those of `columns` that begin with the prefix."""
        prefix = self.prefix
        return [] if prefix is None else [name for name in columns if name.startswith(prefix)]


def value(
    number: Any, *, file: Path | str, low: Any = None, high: Any = None, n: Any = None
) -> Value:
    """One value; `file` is the result, or the part of the config, that it came from."""
    parts = {
        "value": _json_cell(number),
        "low": _json_cell(low),
        "high": _json_cell(high),
        "n": _json_cell(n),
    }
    # pandas reads whole numbers as floats in a column with empty cells.
    if isinstance(parts["n"], float) and parts["n"].is_integer():
        parts["n"] = int(parts["n"])
    return parts | {"file": relative_name(file) if isinstance(file, Path) else file}


def significance_level(settings: Mapping[str, str]) -> dict[str, Value]:
    """The level of the tests, `significance_level`,
    which follows from the setting `confidence_level`.
    """
    significance = significance_at(float(settings["confidence_level"]))
    return {"significance_level": value(significance, file="config")}


def write_values(
    tables: Iterable[Path],
    declarations: Mapping[str, ValueTable],
    settings: Mapping[str, str],
    computed: Mapping[str, Value],
    lists: Mapping[str, Any],
    out: Path,
) -> None:
    """Write a study's values: those of tables, leaves of the config by their paths, and what is
    `computed`.

    Args:
        tables: CSV or Parquet files.
        declarations: The columns of each table, by the name of its file without suffix.
        settings: Leaves of the config by their paths, as the texts that Python prints for them.
        computed: Values that are in no table, by name.
        lists: What else the paper's text needs, by name: above all the models, prompt sets, runs or
            judges whose names are parts of the values' names.
        out: The file.

    Raises:
        UserError: A table is not declared or does not fit its declaration (`table_values`), or one
            of its values has the name of a setting, a computed value or a value of another table.
    """
    values = {}
    for path, text in settings.items():
        values[path] = value(_read_setting(text), file="config")
    values |= computed

    for table in tables:
        name = table.stem
        if name not in declarations:
            raise UserError(
                f"{relative_name(table)}: its columns are not declared; add '{name}' to value_tables.py of the study"
            )
        added = table_values(table, declarations[name])
        shared = values.keys() & added.keys()
        if shared:
            first = min(shared)
            raise UserError(
                f"{relative_name(table)}: {first} is also in {values[first]['file']}; rename the table"
            )
        values |= added
    record = {"lists": lists, "values": dict(sorted(values.items()))}
    with atomic_write(out) as partial:
        partial.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def read_values(paths: Iterable[Path]) -> dict[str, Value]:
    """The values of all studies, by key, from the files that `write_values` wrote."""
    values: dict[str, Value] = {}
    for path in paths:
        values |= json.loads(path.read_text(encoding="utf-8"))["values"]
    return values


def table_values(file: Path, declared: ValueTable) -> dict[str, Value]:
    """The values of every row of a CSV or Parquet table, by `{name of the file}/{cell of each
    key}/{quantity}`.

    An empty key adds no part to the name, and a missing number is null. Raises `UserError` if the
    table has a column that is not declared, lacks one that is, or has two rows of the same name.
    """
    table = _read(file, declared.keys)
    shown = relative_name(file)
    columns = list(map(str, table))
    _check_columns(columns, declared, shown)
    quantities = (*declared.quantities, *without_interval(*declared.added(columns)))

    values: dict[str, Value] = {}
    for row in table.to_dict("records"):
        cells = [row[key] for key in declared.keys if not _missing(row[key])]
        for quantity in quantities:
            name = "/".join([file.stem, *cells, quantity.name])
            if name in values:
                raise UserError(
                    f"{shown}: two rows are named {name}; declare in value_tables.py of the study the key that differs"
                )
            parts = {part: row[column] for part, column in quantity.parts.items()}
            values[name] = value(row[quantity.name], file=shown, **parts)
            reported = row[quantity.reported] if quantity.reported else None
            if not _missing(reported):
                values[name] |= {"reported": _json_cell(reported), "place": row[declared.place]}
    return values


def _read(file: Path, keys: Iterable[str]) -> pd.DataFrame:
    """A table with its keys as text."""
    if file.suffix == ".csv":
        return pd.read_csv(
            file, dtype=dict.fromkeys(keys, str), keep_default_na=False, na_values=[""]
        )
    table = pd.read_parquet(file)
    return table.astype({key: str for key in keys if key in table})


def _check_columns(columns: Iterable[str], declared: ValueTable, shown: str) -> None:
    """Raise `UserError` unless the columns are those that are declared, in any order."""
    columns = list(columns)
    known = {*declared.columns, *declared.added(columns)}
    undeclared = [name for name in columns if name not in known]
    if undeclared:
        raise UserError(
            f"{shown}: column '{undeclared[0]}' is not declared; declare it in value_tables.py of the study"
        )
    lacking = [name for name in declared.columns if name not in columns]
    if lacking:
        raise UserError(
            f"{shown}: no column '{lacking[0]}', which value_tables.py of the study declares; correct one of them"
        )


def _read_setting(text: str) -> Any:
    """A leaf of the config from the text that Python prints for it (0.4, 1e-05, True, [0,
    1]); other text is text.
    """
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _missing(cell: Any) -> bool:
    """Whether a cell is empty, None, NaN or NA; a list,
    which a setting may be, is never missing.
    """
    return cell == "" or (not isinstance(cell, list) and bool(pd.isna(cell)))


def _json_cell(cell: Any) -> Any:
    """A cell for JSON: no NaN, no NumPy scalar, ten significant digits as in a CSV."""
    if _missing(cell):
        return None
    cell = cell.item() if hasattr(cell, "item") else cell
    return float(f"{cell:.10g}") if isinstance(cell, float) else cell
