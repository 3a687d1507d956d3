"""Patching tables from logit differences written by hand."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd


class Differences(NamedTuple):
    """The logit differences of a pair: clean, corrupted, and with layers 1, 2, ... patched."""

    clean: float
    corrupted: float
    patched: tuple[float, ...]


def patching_table(pairs: Mapping[str, Differences]) -> pd.DataFrame:
    """The patching table of the pairs, by their ids.

    Patching layer 0, the embedding, gives the clean difference: it recovers the whole gap.
    """
    rows = []
    for name, pair in pairs.items():
        for layer, patched_diff in enumerate((pair.clean, *pair.patched)):
            row = {
                "pair": name,
                "category": f"category of {name}",
                "layer": layer,
                "clean_diff": pair.clean,
                "corrupted_diff": pair.corrupted,
                "patched_diff": patched_diff,
            }
            rows.append(row)
    return pd.DataFrame(rows)
