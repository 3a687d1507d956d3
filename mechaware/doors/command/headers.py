"""Checks the encoding of a user's table, and reads its columns' names, before its rows are read."""

import csv
import json
from pathlib import Path

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.samples import is_log
from mechaware.core.rows import delimiter_of

# A file without a suffix is read as CSV.
_CSV_SUFFIXES = ("", ".csv")
_TEXT_SUFFIXES = (*_CSV_SUFFIXES, ".jsonl")


def check_encoding(path: Path) -> None:
    """Refuse CSV or JSON lines that are not UTF-8, before anything is copied or run.

    Files of other formats pass. The encoding is not guessed: after a wrong guess, every letter with
    an accent would silently be read as other text, with another likelihood. Raises `UserError`,
    which names the row (the number of the line) and its first byte that is not UTF-8.
    """
    if path.suffix.lower() not in _TEXT_SUFFIXES:
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
    """The names of a table's columns, or None.

    The columns of JSON lines are the keys of the first row. None for a log, for JSON lines whose
    first line is no JSON object, for a damaged Parquet file, and for a file of another format.
    """
    suffix = path.suffix.lower()
    if suffix in _CSV_SUFFIXES:
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
    """The names of the columns; None for a file that is not in Parquet's format."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_schema

    try:
        names: list[str] = read_schema(path).names
    except ArrowException:
        return None
    return names
