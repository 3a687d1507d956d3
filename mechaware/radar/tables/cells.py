"""Cells that several of RADAR's tables have."""

import pandas as pd

from mechaware.report.tables import signed_interval


def interval_or_nothing(low: float, high: float) -> str:
    """An interval of signed numbers; empty where there is none."""
    return "" if pd.isna(low) else signed_interval(low, high)
