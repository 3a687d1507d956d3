"""How the grounding study's tables show layers."""

import pandas as pd


def layer_numbers(layers: pd.Series) -> list[str]:
    """The number of each layer as text; empty for a missing layer."""
    return ["" if pd.isna(layer) else str(int(layer)) for layer in layers]
