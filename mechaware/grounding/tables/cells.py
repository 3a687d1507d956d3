"""How the grounding study's tables show a layer."""

import pandas as pd


def layer_number(layer: float) -> str:
    """The number of a layer; empty for a missing one."""
    return "" if pd.isna(layer) else f"{layer:.0f}"
