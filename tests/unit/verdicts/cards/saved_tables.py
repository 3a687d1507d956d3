"""Tables of studies as files, and the units that cards have of them."""

from pathlib import Path
from typing import Any

import pandas as pd

from mechaware.verdicts.cards.card import Instrument


def saved(table: pd.DataFrame, path: Path) -> Path:
    """The path of the table, which is written there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_parquet(path)
    return path


def units(instrument: Instrument, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of the instrument's units, a tuple for each unit."""
    return list(instrument.rows[list(columns)].itertuples(index=False, name=None))
