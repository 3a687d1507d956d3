"""Files of benchmarks for tests."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

HEADER = "id,question,answer,seen\n"


def write_file(folder: Path, content: str | bytes, name: str = "items.csv") -> Path:
    """A file of this content in `folder`."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows in the format of the file's ending, .jsonl or .parquet."""
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        pd.DataFrame(rows).to_parquet(path)
