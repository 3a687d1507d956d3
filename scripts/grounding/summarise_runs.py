"""Summarise every run in the tables that need no threshold of a rule: answers, shortcuts, residual map, training."""

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
    """Write each table; `measured` has the folders of all runs, `models` and `predictions` are of the trained ones."""
    by_run = read_measurements(measured).values()
    answers = pd.concat([tables.answers for tables in by_run], ignore_index=True)
    maps = pd.concat([tables.residual_map for tables in by_run], ignore_index=True)

    write_parquet(behaviour_table(answers, confidence_level=confidence_level), behaviour)
    write_parquet(shortcut_table(answers), shortcuts)
    write_parquet(map_profile(maps), residual_map)

    scores = read_parquets(predictions)
    write_parquet(score_by_condition(scores, confidence_level=confidence_level), accuracy)
    of_models = trained_table(
        models, scores, criterion=criterion, confidence_level=confidence_level
    )
    write_parquet(of_models, trained)
