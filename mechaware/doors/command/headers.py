"""Looks at a user's table before its rows are read: its encoding, and its columns' names."""

import csv
import json
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.rows import delimiter_of

# By suffix; a file without a suffix is read as CSV.
_CSV = ("", ".csv")
_TEXTS = (*_CSV, ".jsonl")


def check_encoding(path: Path) -> None:
    """Refuse CSV or JSON lines that are not UTF-8, before anything is copied or run.

    Files of other formats pass. An encoding is not guessed: by a wrong guess every letter with an
    accent would silently become other text, with another likelihood. Raises `UserError`, which
    names the row and its first byte that is not UTF-8.
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
                    f"{path}, row {number}: not UTF-8 (byte {byte}); "
                    "save it as UTF-8, which spreadsheets call CSV UTF-8"
                ) from None


def known_columns(path: Path) -> list[str] | None:
    """The names of a table's columns; None for a file that is no table.

    JSON lines have the columns of their first row.
    """
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
    """The names of the columns; None for a file that is no Parquet."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except ArrowException:
        return None
    return names
