"""How far a feature or a score follows the length of the prompt."""

import pandas as pd

from mechaware.core.stats.effects import bootstrap_rank_correlation
from mechaware.instruments.radar.identity import pairs


def correlate_length(
    table: pd.DataFrame, column: str, *, resamples: int, seed: int, confidence_level: float
) -> dict[str, float | int]:
    """Spearman's correlation of a column with the number of tokens,
    its bootstrap interval, and n.
    """
    drawn = bootstrap_rank_correlation(
        table["n_tokens"].to_numpy(float),
        table[column].to_numpy(float),
        pairs(table),
        resamples=resamples,
        seed=seed,
        confidence_level=confidence_level,
    )
    return {"correlation": drawn.value, "low": drawn.low, "high": drawn.high, "n": len(table)}
