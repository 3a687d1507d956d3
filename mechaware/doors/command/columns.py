"""Copies a user's table with our names of its columns.

Rows keep their numbers, so that a message about a row of the copy holds for the user's table.
"""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.files import atomic_write
from mechaware.core.rows import delimiter_of
from mechaware.doors.command.headers import check_encoding


def rename_columns(path: Path, columns: Mapping[str, str], folder: Path) -> Path:
    """Write the table to `folder`, under its own name, and return the copy's path.

    With `columns` {"answer": "gold"} the columns id, gold, answer become id, answer, answer_before.

    Args:
        path: A CSV, JSON lines or Parquet file.
        columns: For each new name, the column's name in the file.
        folder: The folder of the copy.

    Raises:
        UserError: The file is an evaluation log, or is in none of these formats; a column is not in
            the file, or is given two new names; or a text is not UTF-8 (`check_encoding`).
    """
    if is_log(path):
        raise UserError(
            f"{path}: an evaluation log, whose fields have no other names; "
            f"leave --{min(columns)} out"
        )

    new_names: dict[str, str] = {}
    for new, old in columns.items():
        if old in new_names:
            raise UserError(
                f"{path}: column '{old}' is given for --{new_names[old]} and for --{new}; "
                "give another for one of them"
            )
        new_names[old] = new

    suffix = path.suffix.lower()
    if suffix not in _COPIES:
        raise UserError(f"{path}: {suffix} is not read; save it as .csv, .jsonl or .parquet")
    check_encoding(path)

    copy = folder / path.name
    try:
        with atomic_write(copy) as partial:
            _COPIES[suffix](path, new_names, partial)
    # JSON may escape half of a surrogate pair, such as \ud83d, which UTF-8 cannot encode.
    except (UnicodeEncodeError, csv.Error) as error:
        raise UserError(
            f"{path}: not read as text ({error}); "
            "save it as UTF-8, which spreadsheets call CSV UTF-8"
        ) from error
    return copy


def _renamed(columns: Iterable[str], new_names: Mapping[str, str], path: Path) -> list[str]:
    """The names of a table's columns after renaming, in the order of `columns`.

    `new_names` maps names in the file `path` to ours. A column that already has one of our names,
    which another column gets, becomes `<name>_before`. Raises `UserError` for a name in `new_names`
    that is no column.
    """
    columns = list(columns)
    missing = [old for old in new_names if old not in columns]
    if missing:
        raise UserError(
            f"{path}: no column '{missing[0]}'; it has {', '.join(columns)}; name one of them"
        )

    renamed = []
    for name in columns:
        if name in new_names:
            renamed.append(new_names[name])
        elif name in new_names.values():
            renamed.append(f"{name}_before")
        else:
            renamed.append(name)
    return renamed


def _copy_csv(path: Path, new_names: Mapping[str, str], copy: Path) -> None:
    with (
        path.open(encoding="utf-8-sig", newline="") as table,
        copy.open("w", encoding="utf-8", newline="") as renamed,
    ):
        delimiter = delimiter_of(table.readline())
        table.seek(0)
        header = next(csv.reader(table, delimiter=delimiter), [])
        writer = csv.writer(renamed, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_renamed(header, new_names, path))
        # The lines after the header are copied to the byte.
        renamed.writelines(table)


def _copy_json_lines(path: Path, new_names: Mapping[str, str], copy: Path) -> None:
    with path.open(encoding="utf-8-sig") as table, copy.open("w", encoding="utf-8") as renamed:
        for line in table:
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if isinstance(row, dict):
                names = _renamed(row, new_names, path)
                new_row = dict(zip(names, row.values(), strict=True))
                renamed.write(f"{json.dumps(new_row, ensure_ascii=False)}\n")
            else:
                # A line that is no row is refused where the items are read, with its number.
                renamed.write(line)


def _copy_parquet(path: Path, new_names: Mapping[str, str], copy: Path) -> None:
    from pyarrow import parquet

    rows = parquet.read_table(path)
    names = _renamed(rows.column_names, new_names, path)
    parquet.write_table(rows.rename_columns(names), copy)


# How a file is copied, by its suffix. A file without a suffix is read as CSV.
_COPIES = {
    "": _copy_csv,
    ".csv": _copy_csv,
    ".jsonl": _copy_json_lines,
    ".parquet": _copy_parquet,
}
