"""The rows of a CSV, JSON-lines or Parquet file that a user wrote, refused by file and row if they cannot be read.

The columns of a CSV may have semicolons or tabs between them, as spreadsheets write where a comma is part of a number.
"""

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError

# The cells of a row by column; a cell of a CSV is text, or None where the row ends before the column.
Row = Mapping[str, Any]

# What may be between the columns of a CSV, by what messages call it.
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
_LONGEST_FIELD = 2**31 - 1  # characters of a CSV's field; what a C long holds on every system
_MAX_FAULTS = 20  # lines of a message
_MISSING = {"none", "nan", "nat", "<na>"}  # in lower case, what cells without a value print


def read_rows(
    path: Path, columns: Sequence[str], rows_hold: str, faults: list[str] | None = None
) -> list[tuple[int, Row]]:
    """The rows of a file with at least these columns, each with its number.

    In a CSV or JSON lines the number of a row is that of its first line, as an editor shows it; in Parquet rows are
    counted from 1. Empty rows are passed over.

    Args:
        path: JSON lines if the name ends in `.jsonl`, Parquet if it ends in `.parquet`, and a CSV if it ends in `.csv`
            or has no suffix.
        columns: The columns that every row must have.
        rows_hold: What messages call the rows.
        faults: A list to which the faults of single rows are added. Default: the first of them is raised.

    Raises:
        UserError: The file is missing, a folder, of another format or without rows, or no row has one of the columns.
            A CSV is not UTF-8 or has two columns of one name. Without `faults`, a row is no JSON object, lacks a
            column, or has more fields than there are columns.
    """
    if path.is_dir():
        raise UserError(f"{path}: a folder; replace it by a CSV file")
    if not path.exists():
        raise UserError(f"{path}: no such file; add it, or remove '{path.stem}' from the config")

    suffix = path.suffix.lower()
    if suffix in ENTRY_READERS:
        rows = ENTRY_READERS[suffix](path, faults)
    elif suffix in ("", ".csv"):
        rows = read_csv_rows(path, columns, faults)
    else:
        raise UserError(
            f"{path}: {suffix} is not read; save it as .csv, or as .jsonl with a JSON object on each line"
        )

    known = set[str]()  # the columns that at least one row has
    for _, row in rows:
        known.update(row)

    complete = []
    for number, row in rows:
        missing = [column for column in columns if column not in row]
        if not missing:
            complete.append((number, row))
            continue
        fault = f"{path}, row {number}: no '{missing[0]}'; a row has {', '.join(columns)}"
        # A column that no row has is a fault of the file.
        _add_fault(fault, faults if missing[0] in known else None)

    if not rows and not faults:
        what = "some" if suffix in ENTRY_READERS else "rows below the header"
        raise UserError(f"{path}: no {rows_hold}; add {what}")
    return complete


def one_line(text: str) -> str:
    """A text with one space in place of each run of white space, line feeds among them, and none at its ends."""
    return " ".join(text.split())


def cell_text(cell: object, column: str) -> str:
    """A cell as text: a missing one is empty, and a whole number stored as a float (2.0) is the integer (2).

    pandas stores integers as floats where a cell of their column is empty. Raises `ValueError` for a list, a mapping or
    bytes, and for half of a surrogate pair, which a tokenizer cannot read.
    """
    if hasattr(cell, "__len__") and not isinstance(cell, str):
        raise ValueError(f"{column} {str(cell)[:60]} is not a text; write one text")
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell)
    half = re.search(r"[\ud800-\udfff]", text)
    if half:
        raise ValueError(
            f"{column} has {half[0]!a}, half of a character; write the whole character"
        )
    if not isinstance(cell, str) and text.lower() in _MISSING:
        return ""
    return text


def list_faults(faults: Sequence[str]) -> str:
    """The first 20 faults, a line each, and how many more there are."""
    lines = list(faults[:_MAX_FAULTS])
    if len(faults) > _MAX_FAULTS:
        lines.append(f"and {len(faults) - _MAX_FAULTS} more")
    return "\n".join(lines)


def _add_fault(fault: str, faults: list[str] | None) -> None:
    """Add a fault to those of the file, or raise it if they are not collected."""
    if faults is None:
        raise UserError(fault)
    faults.append(fault)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python's csv module read fields of any length in this block; its own limit is 131,072 characters."""
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def delimiter_of(header: str) -> str:
    """What is between the columns of a CSV with this header: commas, semicolons or tabs, of which it has most."""
    return max(_DELIMITERS, key=header.count)  # a comma if the header has none of them


def read_csv_rows(
    path: Path, columns: Sequence[str], faults: list[str] | None = None
) -> list[tuple[int, Row]]:
    """The rows of a CSV with at least these columns, and the lines on which they begin; it may have no rows.

    Empty rows are passed over. Raises `UserError`, and adds to `faults`, as `read_rows` does.
    """
    rows = list[tuple[int, Row]]()
    line = 0  # the last line of the rows that have been read
    try:
        # utf-8-sig drops the byte-order mark of spreadsheets; newline="" leaves line ends inside quotes to the reader.
        with path.open(encoding="utf-8-sig", newline="") as stream, _long_fields():
            delimiter = delimiter_of(stream.readline())
            stream.seek(0)
            reader = csv.reader(stream, strict=True, delimiter=delimiter)
            header = next(reader, [])
            _check_header(path, header, columns)

            line = reader.line_num
            for fields in reader:
                first_line = line + 1
                line = reader.line_num
                if len(fields) > len(header):
                    remedy = f"put a field with a {_DELIMITERS[delimiter]} in quotes"
                    fault = f"{path}, row {first_line}: more fields than columns; {remedy}"
                    _add_fault(fault, faults)
                elif any(field.strip() for field in fields):
                    rows.append((first_line, dict(zip_longest(header, fields))))
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        byte = f"0x{error.object[error.start]:02X}"
        raise UserError(
            f"{path}, row {line}: not UTF-8 (byte {byte}); save the file as UTF-8"
        ) from None
    except csv.Error as error:
        raise UserError(
            f"{path}, row {line + 1}: {error}; close each quote, and double the quotes inside a field"
        ) from None
    return rows


def _check_header(path: Path, header: Sequence[str], columns: Sequence[str]) -> None:
    """Raise `UserError` for a CSV without one of `columns`, or with two columns of one name."""
    missing = [column for column in columns if column not in header]
    if missing:
        raise UserError(
            f"{path}, row 1: no column '{missing[0]}' in '{','.join(header)}'; "
            f"write {','.join(columns)}, separated by commas"
        )
    repeated = [column for column in header if column and header.count(column) > 1]
    if repeated:
        raise UserError(f"{path}, row 1: two columns '{repeated[0]}'; rename or remove one of them")


def _read_json_lines(path: Path, faults: list[str] | None = None) -> list[tuple[int, Row]]:
    rows = list[tuple[int, Row]]()
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.strip())
            except (ValueError, RecursionError) as error:
                _add_fault(f"{path}, row {number}: not JSON ({error}); correct the line", faults)
                continue
            if isinstance(row, dict):
                rows.append((number, row))
            else:
                remedy = "write one row as {...} on each line"
                _add_fault(f"{path}, row {number}: not a JSON object; {remedy}", faults)
    return rows


def _read_parquet(path: Path, _faults: list[str] | None = None) -> list[tuple[int, Row]]:
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    # Not by pandas, which turns integers into floats where a cell of their column is empty.
    try:
        return list(enumerate(read_table(path).to_pylist(), start=1))
    # OSError, ValueError: damaged in the middle.
    except (ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not Parquet ({reason}); fetch or write it again") from error


# By suffix: each gives the rows of a file and their numbers, and adds faulty rows to `faults` or raises the first.
ENTRY_READERS = {".parquet": _read_parquet, ".jsonl": _read_json_lines}
