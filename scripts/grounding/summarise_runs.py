"""Summarise the runs in tables that need no threshold of a rule.

The tables: behaviour (right answers), shortcuts, residual map, accuracy and training.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import read_parquets, write_parquet
from mechaware.instruments.grounding.profiles import map_profile
from mechaware.instruments.grounding.right_answers import behaviour_table
from mechaware.instruments.grounding.rules import read_measurements
from mechaware.instruments.grounding.shortcuts import shortcut_table
from mechaware.instruments.grounding.training_conditions import score_by_condition
from mechaware.planted.sql.history import trained_table
from scripts.command import Output


def main(
    *,
    measured: list[Path],
    models: list[Path],
    predictions: list[Path],
    criterion: float,
    confidence_level: float,
    accuracy: Output,
    trained: Output,
    behaviour: Output,
    shortcuts: Output,
    residual_map: Output,
) -> None:
    """Write each table.

    `measured` are folders with the measurements of all runs. `models` are the folders of trained
    models, and `predictions` the files of their scored answers to the test requests. `criterion` is
    the exact match, 0 to 1, at which training with the schema ends; 0 for never.
    """
    runs = read_measurements(measured).values()
    answers = pd.concat([run.answers for run in runs], ignore_index=True)
    maps = pd.concat([run.residual_map for run in runs], ignore_index=True)

    write_parquet(behaviour_table(answers, confidence_level=confidence_level), behaviour)
    write_parquet(shortcut_table(answers), shortcuts)
    write_parquet(map_profile(maps), residual_map)

    scored_answers = read_parquets(predictions)
    by_condition = score_by_condition(scored_answers, confidence_level=confidence_level)
    write_parquet(by_condition, accuracy)
    by_model = trained_table(
        models, scored_answers, criterion=criterion, confidence_level=confidence_level
    )
    write_parquet(by_model, trained)
