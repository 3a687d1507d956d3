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
    """Whether the exact match on held-out rows, 0 to 1, is at least the criterion; a criterion of 0 is never met."""
    return 0 < criterion <= exact_match


def trained_table(
    models: Sequence[Path], scores: pd.DataFrame, *, criterion: float, confidence_level: float
) -> pd.DataFrame:
    """How long each model was trained, and how well it does the task that it was trained on.

    Args:
        models: Folders of trained models with their histories, named as their runs (`schema-s0`, `no_schema-s0`). Each
            seed has two models, one trained with the schema and one without it.
        scores: A row per run, test request and condition of evaluation. Columns: run, evaluated_with, exact_match (0 or
            1).
        criterion: The exact match on validation rows, 0 to 1, at which the training of models with the schema ends; 0
            for none.
        confidence_level: The confidence level of the exact (Clopper-Pearson) intervals, such as 0.95.

    Returns:
        A row per model, in the order of `models`. Columns: run, condition, seed, steps; held_out_exact_match, on
        validation rows at the last step; met_criterion, whether the model of this seed with the schema met the
        criterion; exact_match, the share of test requests, asked as in training, with low and high; n requests.
    """
    rows = []
    for model in models:
        condition = condition_of(model.name)
        seed = int(model.name.rpartition("-s")[2])
        last = read_history(model).iloc[-1]

        is_asked_as_trained = scores["evaluated_with"] == condition
        asked = scores[(scores["run"] == model.name) & is_asked_as_trained]
        n = len(asked)
        right = int(asked["exact_match"].sum())
        interval = clopper_pearson(right, n, confidence_level)

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

    # A model without the schema is trained as long as the one with the schema of its seed, which has the criterion.
    with_schema = table[table["condition"] == "schema"].set_index("seed")["held_out_exact_match"]
    met = {seed: meets(criterion, exact_match) for seed, exact_match in with_schema.items()}
    after_held_out = list(table.columns).index("held_out_exact_match") + 1
    table.insert(after_held_out, "met_criterion", table["seed"].map(met))
    return table
