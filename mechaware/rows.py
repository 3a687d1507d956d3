"""The rows of a CSV, JSON-lines or Parquet file that a user wrote, refused by file and row if they cannot be read."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.errors import UserError

Row = Mapping[str, Any]  # by column; a cell of a CSV is text, or None where the row ends before the column


def read_rows(
    path: Path, columns: Sequence[str], rows_hold: str, faults: list[str] | None = None
) -> list[tuple[int, Row]]:
    """The rows of a file with at least these columns, and their numbers: in a CSV, the line that an editor shows.

    The file is JSON lines if its name ends in `.jsonl`, Parquet if it ends in `.parquet`, and else a CSV. `rows_hold`
    is what messages call the rows. Raises `UserError` for a file that is missing, a folder, not UTF-8, of another
    format or without rows, for a column that it lacks, and for a row of a CSV with more fields than columns; the last
    is added to `faults` instead, if that is given.
    """
    if path.suffix not in ENTRY_READERS:
        return _read_csv(path, columns, rows_hold, faults)
    rows: list[tuple[int, Row]] = list(enumerate(ENTRY_READERS[path.suffix](path), start=1))
    for number, row in rows:
        if missing := [column for column in columns if column not in row]:
            raise UserError(f"{path}, row {number}: no '{missing[0]}'; a row has {', '.join(columns)}")
    if not rows:
        raise UserError(f"{path}: no {rows_hold}; add some")
    return rows


def _read_csv(path: Path, columns: Sequence[str], rows_hold: str, faults: list[str] | None) -> list[tuple[int, Row]]:
    line = 0
    try:
        # utf-8-sig drops the byte-order mark of spreadsheets; newline="" leaves line ends inside quotes to the reader.
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            header = reader.fieldnames or []
            missing = [column for column in columns if column not in header]
            if missing:
                raise UserError(
                    f"{path}, row 1: no column '{missing[0]}' in '{','.join(header)}'; "
                    f"write {','.join(columns)}, separated by commas"
                )
            rows, line = list[tuple[int, Row]](), reader.line_num
            for row in reader:
                if None in row:  # DictReader collects surplus fields under None
                    fault = f"{path}, row {line + 1}: more fields than columns; put a field with a comma in quotes"
                    if faults is None:
                        raise UserError(fault)
                    faults.append(fault)
                else:
                    rows.append((line + 1, row))
                line = reader.line_num
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; add it, or take '{path.stem}' out of the config") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        byte = f"0x{error.object[error.start]:02X}"
        raise UserError(f"{path}, row {line}: not UTF-8 (byte {byte}); save the file as UTF-8") from None
    except csv.Error as error:
        raise UserError(
            f"{path}, row {line + 1}: {error}; close each quote, and double the quotes inside a field"
        ) from None
    except IsADirectoryError:
        raise UserError(f"{path}: a folder; replace it by a CSV file") from None
    if not rows and not faults:
        raise UserError(f"{path}: no {rows_hold}; add rows below the header")
    return rows


def _read_json_lines(path: Path) -> Sequence[Row]:
    entries = []
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UserError(f"{path}, row {number}: not JSON ({error}); correct the line") from error
            if not isinstance(entry, dict):
                raise UserError(f"{path}, row {number}: not a JSON object; write one row as {{...}} on each line")
            entries.append(entry)
    return entries


def _read_parquet(path: Path) -> Sequence[Row]:
    import pandas as pd
    from pyarrow import ArrowException

    try:
        table = pd.read_parquet(path)
        return [dict(zip(table.columns, row, strict=True)) for row in table.itertuples(index=False)]
    except (ArrowException, OSError, ValueError) as error:  # OSError, ValueError: damaged in the middle
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: not Parquet ({reason}); fetch or write it again") from error


ENTRY_READERS = {".parquet": _read_parquet, ".jsonl": _read_json_lines}
