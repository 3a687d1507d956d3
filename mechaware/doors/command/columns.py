"""Copies a user's table with our names of its columns.

Rows keep their numbers, which messages about a table name.
"""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.files import atomic_write
from mechaware.core.rows import delimiter_of


def rename_columns(path: Path, columns: Mapping[str, str], folder: Path) -> Path:
    """Write the table to `folder`, under its own name, and return the copy's path.

    With `columns` {"answer": "gold"} the columns id, gold, answer become id, answer, answer_before.

    Args:
        path: A CSV, JSON lines or Parquet file.
        columns: By the new name, the column's name in the file.
        folder: For the copy.

    Raises:
        UserError: The file is an evaluation log or has another format, a column is not there or is given two names, or
            a text is not UTF-8 (`check_encoding`).
    """
    if is_log(path):
        raise UserError(
            f"{path}: an evaluation log, whose fields have no other names; leave --{min(columns)} out"
        )

    names = dict[str, str]()  # by the name in the file, the new one
    for new, own in columns.items():
        if own in names:
            raise UserError(
                f"{path}: column '{own}' is given for --{names[own]} and for --{new}; give another for one of them"
            )
        names[own] = new

    suffix = path.suffix.lower()
    if suffix not in _COPIES:
        raise UserError(f"{path}: {suffix} is not read; save it as .csv, .jsonl or .parquet")
    check_encoding(path)

    copy = folder / path.name
    try:
        with atomic_write(copy) as partial:
            _COPIES[suffix](path, names, partial)
    except (UnicodeEncodeError, csv.Error) as error:  # half a character of JSON cannot be written
        raise UserError(
            f"{path}: not read as text ({error}); save it as UTF-8, which spreadsheets call CSV UTF-8"
        ) from error
    return copy


def check_encoding(path: Path) -> None:
    """Refuse a CSV or JSON lines that is not UTF-8, before anything is copied or run; other files are passed over.

    An encoding is not guessed: in a wrong one every letter with an accent would silently be another text, with another
    likelihood. Raises `UserError`, which names the row and its first byte that is not UTF-8.
    """
    if path.suffix.lower() not in _TEXTS:
        return
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = f"0x{line[error.start]:02X}"
                raise UserError(
                    f"{path}, row {number}: not UTF-8 (byte {byte}); save it as UTF-8, which spreadsheets call "
                    "CSV UTF-8"
                ) from None


def known_columns(path: Path) -> list[str] | None:
    """The names of a table's columns, in JSON lines those of its first row; None for a file that is no table."""
    suffix = path.suffix.lower()
    if suffix in _CSV:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
            header = stream.readline()
        return next(csv.reader([header], delimiter=delimiter_of(header)), [])

    if suffix == ".jsonl" and not is_log(path):
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            try:
                row = json.loads(stream.readline())
            except ValueError:
                return None
        return list(row) if isinstance(row, dict) else None

    if suffix == ".parquet":
        return _columns_of_parquet(path)
    return None


def _columns_of_parquet(path: Path) -> list[str] | None:
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except ArrowException:
        return None
    return names


def _renamed(known: Iterable[str], names: Mapping[str, str], path: Path) -> list[str]:
    """The columns' names after renaming, in their order. Raises `UserError` for a column that is not there."""
    known = list(known)
    missing = [own for own in names if own not in known]
    if missing:
        raise UserError(
            f"{path}: no column '{missing[0]}'; it has {', '.join(known)}; name one of them"
        )

    renamed = []
    for name in known:
        if name in names:
            renamed.append(names[name])
        elif name in names.values():
            renamed.append(f"{name}_before")  # another column gets this name
        else:
            renamed.append(name)
    return renamed


def _copy_csv(path: Path, names: Mapping[str, str], copy: Path) -> None:
    with (
        path.open(encoding="utf-8-sig", newline="") as read,
        copy.open("w", encoding="utf-8", newline="") as written,
    ):
        delimiter = delimiter_of(read.readline())
        read.seek(0)
        header = next(csv.reader(read, delimiter=delimiter), [])
        writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
        writer.writerow(_renamed(header, names, path))
        written.writelines(read)  # to the byte


def _copy_json_lines(path: Path, names: Mapping[str, str], copy: Path) -> None:
    with path.open(encoding="utf-8-sig") as read, copy.open("w", encoding="utf-8") as written:
        for line in read:
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if isinstance(row, dict):
                new = dict(zip(_renamed(row, names, path), row.values(), strict=True))
                line = f"{json.dumps(new, ensure_ascii=False)}\n"
            # A line that is no row is refused where the items are read, with its number.
            written.write(line)


def _copy_parquet(path: Path, names: Mapping[str, str], copy: Path) -> None:
    from pyarrow import parquet

    rows = parquet.read_table(path)
    parquet.write_table(rows.rename_columns(_renamed(rows.column_names, names, path)), copy)


_CSV = ("", ".csv")
_TEXTS = (*_CSV, ".jsonl")
_COPIES = {
    "": _copy_csv,
    ".csv": _copy_csv,
    ".jsonl": _copy_json_lines,
    ".parquet": _copy_parquet,
}
