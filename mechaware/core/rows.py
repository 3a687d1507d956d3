"""Reads the rows of a user's CSV, JSON-lines or Parquet file; an error names file and row.

The columns of a CSV may also be separated by semicolons or tabs: spreadsheets write these in
languages that write 1,5 for one and a half.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any

from mechaware.core.errors import UserError

# Cells by column. A cell of a CSV is text, or None if its row ends before the column.
Row = Mapping[str, Any]

# The delimiters of a CSV, and what messages call them.
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
# In characters. Python's csv module keeps the limit in a C long, which holds this on every system.
_MAX_FIELD_LENGTH = 2**31 - 1
_MAX_FAULTS = 20  # lines of a message
# str() of None, NaN, pandas' NaT and pandas' NA, in lower case.
_PRINTED_MISSING_VALUES = {"none", "nan", "nat", "<na>"}


def read_rows(
    path: Path, columns: Sequence[str], rows_name: str, faults: list[str] | None = None
) -> list[tuple[int, Row]]:
    """The rows of a file with at least these columns, each with its number.

    In a CSV or JSON lines the number of a row is the number of its first line, as an editor shows
    it; in Parquet rows are counted from 1. Empty rows of a CSV or JSON lines are skipped.

    Args:
        path: JSON lines if the name ends in `.jsonl`, Parquet if it ends in `.parquet`, and a CSV
            if it ends in `.csv` or has no suffix.
        columns: The columns that every row must have.
        rows_name: What messages call the rows, such as "items".
        faults: A list to which the faults of single rows are added; these rows are left out.
            Default: the first fault is raised.

    Raises:
        UserError: The file is missing, a folder, of another format, damaged or without rows, or
            one of the columns is in no row. A CSV is not UTF-8, has unbalanced quotes or has two
            columns of one name. Without `faults`, a row is no JSON object, lacks a column, or has
            more fields than there are columns.
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
            f"{path}: {suffix} is not read; "
            "save it as .csv, or as .jsonl with a JSON object on each line"
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
        if missing[0] not in known:  # the fault of the file, not of a single row
            raise UserError(fault)
        _add_fault(fault, faults)

    if not rows and not faults:
        what = "some" if suffix in ENTRY_READERS else "rows below the header"
        raise UserError(f"{path}: no {rows_name}; add {what}")
    return complete


def one_line(text: str) -> str:
    """A text with one space for each run of white space or line feeds, and none at its ends."""
    return " ".join(text.split())


def cell_text(cell: object, column: str) -> str:
    """A cell as text: "" for a missing value, and "2" for a whole number stored as a float (2.0).

    pandas stores the integers of a column as floats if one of its cells is empty. A cell that is
    text stays as it is, even "None" or "nan". Raises `ValueError` for a list, a mapping or bytes,
    and for text with half of a surrogate pair, which a tokenizer cannot read.
    """
    if hasattr(cell, "__len__") and not isinstance(cell, str):
        raise ValueError(f"{column} {str(cell)[:60]} is not a text; write one text")
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = str(cell)
    surrogate = re.search(r"[\ud800-\udfff]", text)
    if surrogate:
        raise ValueError(
            f"{column} has {surrogate[0]!a}, half of a character; write the whole character"
        )
    if not isinstance(cell, str) and text.lower() in _PRINTED_MISSING_VALUES:
        return ""
    return text


def list_faults(faults: Sequence[str]) -> str:
    """The first 20 faults, a line each, and how many more there are."""
    lines = list(faults[:_MAX_FAULTS])
    if len(faults) > _MAX_FAULTS:
        lines.append(f"and {len(faults) - _MAX_FAULTS} more")
    return "\n".join(lines)


def _add_fault(fault: str, faults: list[str] | None) -> None:
    """Add a fault to `faults`, or raise it as a `UserError` if `faults` is None."""
    if faults is None:
        raise UserError(fault)
    faults.append(fault)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let Python's csv module read fields of any length in a `with` block.

    The module's own limit is 131,072 characters.
    """
    limit = csv.field_size_limit(_MAX_FIELD_LENGTH)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def delimiter_of(header: str) -> str:
    """The delimiter of a CSV: of comma, semicolon and tab, the most frequent in its header.

    In case of a tie, and without any of the three, the first in this order.
    """
    return max(_DELIMITERS, key=header.count)


def read_csv_rows(
    path: Path, columns: Sequence[str], faults: list[str] | None = None
) -> list[tuple[int, Row]]:
    """The rows of a CSV with at least these columns, each with the number of its first line.

    The list may be empty. Rows without text in any field are skipped; a row that ends early has
    None in the other columns. Raises `UserError`, and adds to `faults`, as `read_rows` does.
    """
    # newline="" leaves line ends inside quotes to the csv reader.
    stream = io.StringIO(_read_utf8(path), newline="")
    delimiter = delimiter_of(stream.readline())
    stream.seek(0)
    reader = csv.reader(stream, strict=True, delimiter=delimiter)
    rows = list[tuple[int, Row]]()
    last_line = 0  # of the rows read so far
    try:
        with _long_fields():
            header = next(reader, [])
            _check_header(path, header, columns)

            last_line = reader.line_num
            for fields in reader:
                first_line = last_line + 1
                last_line = reader.line_num
                if len(fields) > len(header):
                    remedy = f"put a field with a {_DELIMITERS[delimiter]} in quotes"
                    fault = f"{path}, row {first_line}: more fields than columns; {remedy}"
                    _add_fault(fault, faults)
                elif any(field.strip() for field in fields):
                    rows.append((first_line, dict(zip_longest(header, fields))))
    except csv.Error as error:
        raise UserError(
            f"{path}, row {last_line + 1}: {error}; "
            "close each quote, and double the quotes inside a field"
        ) from None
    return rows


def _read_utf8(path: Path) -> str:
    """The text of a UTF-8 file, without the byte-order mark of spreadsheets.

    Raises `UserError` with the line of the first wrong byte. The file is decoded as a whole: a
    stream decodes chunks, and its error has the position in a chunk.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        byte = f"0x{error.object[error.start]:02X}"
        raise UserError(
            f"{path}, row {line}: not UTF-8 (byte {byte}); save the file as UTF-8"
        ) from None


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

    # pandas would read the integers of a column as floats if one of its cells is empty.
    try:
        return list(enumerate(read_table(path).to_pylist(), start=1))
    # A file that is damaged in the middle raises OSError or ValueError.
    except (ArrowException, OSError, ValueError) as error:
        reason = one_line(str(error))
        raise UserError(f"{path}: not Parquet ({reason}); fetch or write it again") from error


# The readers of formats whose rows carry their own column names, by suffix. A reader returns the
# rows and their numbers; it adds the fault of a row to the list it is given, or raises it.
ENTRY_READERS = {".parquet": _read_parquet, ".jsonl": _read_json_lines}
