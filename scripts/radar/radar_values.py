"""Gather the RADAR study's numbers for the paper's text."""

from pathlib import Path

from exhibits.radar.schemas import DATASETS
from exhibits.radar.summaries.rates import rate_values
from exhibits.radar.summaries.values import (
    FEATURE_COUNTS,
    effect_values,
    length_values,
    prompt_sets,
)
from exhibits.radar.value_tables import VALUE_TABLES
from exhibits.report.values import significance_level, write_values
from mechaware.core.frames import read_csv
from scripts.command import Output


def main(
    *,
    tables: list[Path],
    datasets: Path,
    scores: list[Path],
    discrimination: list[Path],
    permutations: list[Path],
    rates_of_names: Path,
    rates_of_docstrings: Path,
    pretrained_rates: Path,
    score: str,
    model_labels: dict[str, str],
    settings: dict[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write the values of the study's tables and settings, and the values that are in no table.

    In no table are the counts of features, the significance level, and what is computed here:

    - for each table of `scores`, the correlation of the column `score` with the prompt's length;
    - from `discrimination` and `permutations`, how well single features separate the classes;
    - the error rates of verdicts on benchmarks: of this run's small models (`rates_of_names` and
      `rates_of_docstrings`, by the kind of text) beside those of pretrained models, which are
      committed (`pretrained_rates`).
    """
    values = FEATURE_COUNTS | significance_level(settings)
    for path in scores:
        values |= length_values(
            path, score, confidence_level=confidence_level, resamples=bootstrap_resamples, seed=seed
        )
    values |= effect_values(discrimination, permutations, confidence_level=confidence_level)
    small_rates = {"names": rates_of_names, "docstrings": rates_of_docstrings}
    values |= rate_values(small_rates, pretrained_rates, confidence_level=confidence_level)

    models = [{"name": name, "label": label} for name, label in model_labels.items()]
    lists = {"models": models, "sets": prompt_sets(read_csv(datasets, DATASETS), scores)}
    write_values(tables, VALUE_TABLES, settings, values, lists, out)
