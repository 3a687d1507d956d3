"""What training with the schema changes where the schema is needed, over the seeds that are trained there."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import read_parquets, write_parquet
from mechaware.core.levels import significance_at
from mechaware.instruments.grounding.rules import Thresholds, read_measurements
from mechaware.instruments.grounding.rules.registry import judge_pairs
from mechaware.instruments.grounding.summaries import contrast_models
from mechaware.planted.sql.history import trained_table
from scripts.command import Output

# The columns of `contrast_models`.
COLUMNS = [
    "models",
    "quantity",
    "schema",
    "no_schema",
    "difference",
    "low",
    "high",
    "lowest",
    "highest",
    "smallest",
    "seeds",
]


def main(
    *,
    measured: list[Path],
    models: list[Path],
    predictions: list[Path],
    tau: float,
    alpha: float,
    null_quantile: float,
    unasked_share: float,
    criterion: float,
    confidence_level: float,
    contrast: Output,
) -> None:
    """Write the `contrast` (`contrast_models`), without a row if no model is trained there."""
    if not models:
        write_parquet(pd.DataFrame(columns=COLUMNS), contrast)
        return

    significance = significance_at(confidence_level)
    thresholds = Thresholds(tau, alpha, null_quantile, unasked_share, significance)
    judged = []
    for name, tables in read_measurements(measured).items():
        judged.append(judge_pairs(tables, thresholds, []).assign(run=name))

    scores = read_parquets(predictions)
    trained = trained_table(models, scores, criterion=criterion, confidence_level=confidence_level)
    rules = pd.concat(judged, ignore_index=True)
    write_parquet(contrast_models(rules, trained, confidence_level=confidence_level), contrast)
