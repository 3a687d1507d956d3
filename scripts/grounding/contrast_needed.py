"""What training with the schema changes on data that need the schema, over the seeds of such models."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import read_parquets, write_parquet
from mechaware.instruments.grounding.rules import ConfiguredThresholds, read_measurements
from mechaware.instruments.grounding.rules.registry import judge_runs
from mechaware.instruments.grounding.training_conditions import contrast_models
from mechaware.planted.sql.history import trained_table
from scripts.command import Flags, Output

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
    configured: Flags[ConfiguredThresholds],
    criterion: float,
    confidence_level: float,
    contrast: Output,
) -> None:
    """Write the `contrast` (`contrast_models`), without a row if no model is trained on such data."""
    if not models:
        write_parquet(pd.DataFrame(columns=COLUMNS), contrast)
        return

    rules = judge_runs(read_measurements(measured), configured.at(confidence_level), [])
    scores = read_parquets(predictions)
    trained = trained_table(models, scores, criterion=criterion, confidence_level=confidence_level)
    write_parquet(contrast_models(rules, trained, confidence_level=confidence_level), contrast)
