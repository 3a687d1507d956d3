"""What training with the schema changes, over seeds, on data where the schema is needed."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import read_parquets, write_parquet
from mechaware.instruments.grounding.rules import ConfiguredThresholds, read_measurements
from mechaware.instruments.grounding.rules.registry import judge_runs
from mechaware.instruments.grounding.training_conditions import contrast_models
from mechaware.planted.sql.history import trained_table
from scripts.command import Flags, Output

# The columns of `contrast_models`, for a table without rows.
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
    """Write the `contrast` of models trained with the schema and without (`contrast_models`).

    All models were trained on data in which a word of a request may mean two fields, of which a
    schema holds one (rules/schema_needed.smk). For each model, `measured` has the folder of its
    measured pairs, `models` its own folder, and `predictions` the table of its answers to the test
    requests. `criterion` is explained in `trained_table`. Without a model the table has no row.
    """
    if not models:
        write_parquet(pd.DataFrame(columns=COLUMNS), contrast)
        return

    thresholds = configured.at(confidence_level)
    rules = judge_runs(read_measurements(measured), thresholds, further=[])
    scores = read_parquets(predictions)
    trained = trained_table(models, scores, criterion=criterion, confidence_level=confidence_level)
    write_parquet(contrast_models(rules, trained, confidence_level=confidence_level), contrast)
