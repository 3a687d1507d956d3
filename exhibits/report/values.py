"""The numbers that the paper's text prints: cells of tables, each with its interval, n and source file."""

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.provenance import relative_name

Value = dict[str, Any]
# The columns whose cells name a row, in the tables of all studies.
_KEYS = {
    *("model", "prompt_set", "slice", "protocol", "system", "reduction", "score", "label"),
    *("detector", "kind", "form", "dose", "term", "proxy"),
    *(
        "variant",
        "run",
        "mode",
        "block",
        "trained_with",
        "evaluated_with",
        "metric",
        "category",
        "quantity",
    ),
    *(
        "rules",
        "half",
        "measure",
        "judge",
        "source",
        "stage",
        "criterion",
        "labels",
        "boundary",
        "moved_to",
    ),
}
# Columns that are parts of the quantities before them: ends of intervals, counts, what the source paper prints.
_PARTS = re.compile(r"(.*_)?(low|high|lowest|highest|min|max|n)|seeds|place|reported.*")
# Parts of quantities in columns that `_columns` does not find by their names.
_ELSEWHERE = {
    "radar_controls/accuracy": {
        "low": "bootstrap_low",
        "high": "bootstrap_high",
    },  # draws matched pairs whole
    "radar_controls/seed_mean": {"n": "seeds"},
    "radar_answers/recall_if_right": {"n": "right"},
    "radar_answers/recall_if_not": {"n": "wrong"},
    "claims_planted/found_claims": {"n": "planted_claims"},
    "claims_planted/found_papers": {"n": "papers"},
    "claims_planted/leaked": {"n": "false_leak_n"},
    "claims_planted/wrong": {"n": "wrong_yes_n"},
    "claims_planted/wrong_partial": {"n": "wrong_yes_n"},
    "claims_trust/trusted": {"n": "tested"},
}


def _table_values(file: Path) -> dict[str, Value]:
    """The values of every row of a CSV or Parquet table, by `{name of the file}/{cell of each key}/{column}`.

    Every column is a quantity, unless it is a key or a part of another. Parts of a quantity `c` are found by name:

    - its interval in `c_low` and `c_high`, `c_lowest` and `c_highest`, or two columns after it that end so;
    - its n in `c_n`, or for `a_b` in `a_n`, or in the row's `n` or `seeds`;
    - what the source paper prints in `reported_c`, or in `reported` if the interval is in the columns after `c`; the
      row's `place` is where that paper has it.

    An empty key adds no part to the name, and a missing number is null. Raises `ValueError` if two rows have the same
    name.
    """
    table, shown = _read(file), relative_name(file)
    names = list(map(str, table))
    keys = [name for name in names if name in _KEYS]
    quantities = [name for name in names if name not in _KEYS and not _PARTS.fullmatch(name)]
    columns = {
        name: _columns(name, names) | _ELSEWHERE.get(f"{file.stem}/{name}", {})
        for name in quantities
    }
    values: dict[str, Value] = {}
    for row in table.to_dict("records"):
        cells = [row[key] for key in keys if not _missing(row[key])]
        for name in quantities:
            key = "/".join([file.stem, *cells, name])
            if key in values:
                raise ValueError(f"{file}: two rows are named {key}")
            parts = {part: row[column] for part, column in columns[name].items() if column}
            reported = parts.pop("reported", None)
            values[key] = value(row[name], file=shown, **parts)
            if not _missing(reported):
                values[key] |= {"reported": _json_cell(reported), "place": row["place"]}
    return values


def _read(file: Path) -> pd.DataFrame:
    """A table with its keys as text."""
    if file.suffix == ".csv":
        return pd.read_csv(
            file, dtype=dict.fromkeys(_KEYS, str), keep_default_na=False, na_values=[""]
        )
    table = pd.read_parquet(file)
    return table.astype({name: str for name in table if name in _KEYS})


def _columns(name: str, columns: Sequence[str]) -> dict[str, str]:
    """The columns of a quantity's low, high, n and reported, of those that the table has."""
    after = columns.index(name) + 1
    follows = [column.rpartition("_")[2] for column in columns[after : after + 2]] in (
        ["low", "high"],
        ["min", "max"],
    )
    main = columns[after : after + 2] if follows else ("", "")
    # A share of the pairs that have the column there.
    of_some = name.endswith(("_first", "_elsewhere"))
    places = {
        "low": (f"{name}_low", f"{name}_lowest", main[0]),
        "high": (f"{name}_high", f"{name}_highest", main[1]),
        "n": (f"{name}_n", f"{name.partition('_')[0]}_n", *(() if of_some else ("n", "seeds"))),
        "reported": (f"reported_{name}", "reported" if follows else ""),
    }
    return {
        part: next((place for place in listed if place in columns), "")
        for part, listed in places.items()
    }


def value(
    number: Any, *, file: Path | str, low: Any = None, high: Any = None, n: Any = None
) -> Value:
    """One value; `file` is the result, or the part of the config, that it came from."""
    parts = {
        name: _json_cell(part)
        for name, part in (("value", number), ("low", low), ("high", high), ("n", n))
    }
    if isinstance(parts["n"], float) and parts["n"].is_integer():  # a column with empty cells
        parts["n"] = int(parts["n"])
    return parts | {"file": relative_name(file) if isinstance(file, Path) else file}


def write_values(
    tables: Iterable[Path],
    settings: Mapping[str, str],
    computed: Mapping[str, Value],
    lists: Mapping[str, Any],
    out: Path,
) -> None:
    """Write a study's values: those of tables, leaves of the config by their paths, and what is `computed`.

    `lists` are the models, prompt sets, runs or judges by whose names the values are called.
    """
    values = {
        path: value(_read_setting(text), file="config") for path, text in settings.items()
    } | dict(computed)
    for table in tables:
        values |= _table_values(table)
    record = {"lists": lists, "values": dict(sorted(values.items()))}
    with atomic_write(out) as partial:
        partial.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _read_setting(text: str) -> Any:
    """A leaf of the config from the text that Python prints for it (0.4, 1e-05, True, [0, 1]); other text is text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _missing(cell: Any) -> bool:
    # A setting may be a list.
    return cell == "" or (not isinstance(cell, list) and bool(pd.isna(cell)))


def _json_cell(cell: Any) -> Any:
    """A cell for JSON: no NaN, no NumPy scalar, ten significant digits as in a CSV."""
    if _missing(cell):
        return None
    cell = cell.item() if hasattr(cell, "item") else cell
    return float(f"{cell:.10g}") if isinstance(cell, float) else cell
