"""The training history of SQL models: losses, number of steps, and whether the criterion was met.

The training of a model with the schema ends once its exact match on the held-out validation rows
meets the criterion.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.names import HISTORY, condition_of


def read_history(model: Path) -> pd.DataFrame:
    """The table in the folder of a trained model, a row per evaluation.

    Returns:
        Columns: step; loss, on training rows since the row before; held_out_loss and
        held_out_exact_match, on validation rows.
    """
    return pd.read_csv(model / HISTORY)


def meets(criterion: float, exact_match: float) -> bool:
    """Whether the exact match on validation rows, 0 to 1, is at least the criterion.

    A criterion of 0 means that there is none; it is never met.
    """
    return 0 < criterion <= exact_match


def trained_table(
    models: Sequence[Path], scores: pd.DataFrame, *, criterion: float, confidence_level: float
) -> pd.DataFrame:
    """How long each model was trained, and how well it does the task that it was trained for.

    Args:
        models: Folders of trained models with their histories, named as their runs (`schema-s0`,
            `no_schema-s0`). Each seed has two models, one trained with the schema and one without
            it.
        scores: A row per run, test request and condition of evaluation, `schema` or `no_schema`.
            Columns: run, evaluated_with (the condition), exact_match (0 or 1).
        criterion: The exact match on validation rows, 0 to 1, at which the training of models with
            the schema ends; 0 for none.
        confidence_level: The confidence level of the exact (Clopper-Pearson) intervals, such as
            0.95.

    Returns:
        A row per model, in the order of `models`. Columns:

        - run, condition, seed, steps
        - held_out_exact_match: on validation rows at the last step
        - met_criterion: whether the model that was trained with the schema from the same seed met
          the criterion
        - exact_match, low, high: the share of right answers to test requests under the condition of
          training, with its interval
        - n: the number of test requests
    """
    rows = []
    for model in models:
        condition = condition_of(model.name)
        seed = int(model.name.rpartition("-s")[2])
        last = read_history(model).iloc[-1]

        is_evaluated_as_trained = scores["evaluated_with"] == condition
        evaluated = scores[(scores["run"] == model.name) & is_evaluated_as_trained]
        n = len(evaluated)
        right = int(evaluated["exact_match"].sum())
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

    # Only training with the schema has a criterion. A model without the schema is trained for as
    # many steps as the model with the schema of its seed, and gets the value of that model.
    with_schema = table[table["condition"] == "schema"].set_index("seed")["held_out_exact_match"]
    met = {seed: meets(criterion, exact_match) for seed, exact_match in with_schema.items()}
    after_held_out = list(table.columns).index("held_out_exact_match") + 1
    table.insert(after_held_out, "met_criterion", table["seed"].map(met))
    return table
