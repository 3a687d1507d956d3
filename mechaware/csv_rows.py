"""The rows of a CSV that a user wrote, refused by file and row where they cannot be read."""

import csv
from collections.abc import Sequence
from pathlib import Path

from mechaware.errors import UserError

Row = dict[str, str | None]  # by column; None where the row ends before the column


def read_rows(path: Path, columns: Sequence[str], rows_hold: str) -> list[tuple[int, Row]]:
    """The rows of a CSV with at least these columns, each with the number of its first line, as an editor counts.

    `rows_hold` is what messages call the rows. Raises `UserError` for a file that is missing, a folder, not UTF-8, no
    CSV or without rows, for a column that it lacks, and for a row with more fields than columns.
    """
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
                    raise UserError(
                        f"{path}, row {line + 1}: more fields than columns; put a field with a comma in quotes"
                    )
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
    if not rows:
        raise UserError(f"{path}: no {rows_hold}; add rows below the header")
    return rows
