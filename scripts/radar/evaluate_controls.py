"""Give RADAR and its controls the same splits of a prompt set."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_csv
from mechaware.radar.ensemble.controls import evaluate
from mechaware.radar.prompts import read_prompts
from scripts.command import run


def main(
    *,
    training: tuple[Path, Path],
    features: tuple[Path, Path],
    training_prompts: Path,
    prompts: Path,
    folds: int,
    seed: int,
    fold_seed: int,
    out: Path,
) -> None:
    """Write every system's prediction of every prompt, trained on the training set and cross-validated.

    `training` and `features` are the tables under the reductions sum and mean.
    """
    tables = {}
    for reduction, one, other in zip(("sum", "mean"), training, features, strict=True):
        tables[reduction] = (_with_text(one, training_prompts), _with_text(other, prompts))
    write_csv(evaluate(tables, folds=folds, seed=seed, fold_seed=fold_seed), out)


def _with_text(features: Path, prompts: Path) -> pd.DataFrame:
    return pd.read_parquet(features).assign(prompt=[row.prompt for row in read_prompts(prompts)])


if __name__ == "__main__":
    run(main)
