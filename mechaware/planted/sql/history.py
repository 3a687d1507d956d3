"""The history of a trained model: its losses, how long it was trained, and whether it met its criterion."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mechaware.core.stats import clopper_pearson
from mechaware.instruments.grounding.names import HISTORY, condition_of


def read_history(model: Path) -> pd.DataFrame:
    """The table in the folder of a trained model, a row per evaluation.

    Returns:
        Columns step, loss (of training, since the row before), held_out_loss and held_out_exact_match.
    """
    return pd.read_csv(model / HISTORY)


def meets(criterion: float, exact_match: float) -> bool:
    """Whether a training with this exact match on its held-out rows meets its criterion; without one (0) none does."""
    return 0 < criterion <= exact_match


def trained_table(
    models: Sequence[Path], scores: pd.DataFrame, *, criterion: float, level: float
) -> pd.DataFrame:
    """How long each model was trained, and how well it does the task that it was trained on.

    Args:
        models: Folders of trained models with their histories, named as their runs (`schema-s0`, `no_schema-s0`); a
            seed has a model of either kind.
        scores: A row per run, test request and condition of evaluation: run, evaluated_with, exact_match.
        criterion: The exact match on validation rows at which models with the schema end; 0 for none.
        level: The confidence level of the exact intervals.

    Returns:
        A row per model, in the order of `models`. Columns: run, condition, seed, steps, held_out_exact_match (of the
        last step, on validation rows), met_criterion (whether the model with the schema of this seed ended at the
        criterion), exact_match (share of test requests, asked as in training) with low and high, and n requests.
    """
    rows = []
    for model in models:
        condition, seed = condition_of(model.name), int(model.name.rpartition("-s")[2])
        last = read_history(model).iloc[-1]

        of_task = scores[(scores["run"] == model.name) & (scores["evaluated_with"] == condition)]
        right, n = int(of_task["exact_match"].sum()), len(of_task)
        interval = clopper_pearson(right, n, level)

        rows.append(
            {
                "run": model.name,
                "condition": condition,
                "seed": seed,
                "steps": int(last["step"]),
                "held_out_exact_match": float(last["held_out_exact_match"]),
                "exact_match": right / n,
                "low": interval.low,
                "high": interval.high,
                "n": n,
            }
        )
    table = pd.DataFrame(rows)
    with_schema = table[table["condition"] == "schema"].set_index("seed")["held_out_exact_match"]
    met = {seed: meets(criterion, reached) for seed, reached in with_schema.items()}
    table.insert(5, "met_criterion", table["seed"].map(met))
    return table
