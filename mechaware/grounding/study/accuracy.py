"""Accuracy of a trained model under each evaluation condition, with intervals."""

import numpy as np
import pandas as pd

from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean, clopper_pearson


def score_by_condition(scores: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Accuracy of one model per evaluation condition, from its scored predictions.

    `scores` has one row per request and condition: row, evaluated_with, exact_match, names_right, names. Exact match
    is the share of requests, field accuracy the share of all gold names. Long format: evaluated_with, metric, value,
    low, high (exact for exact match; bootstrap over requests for field accuracy), n.
    """
    rows = []
    for condition, part in scores.groupby("evaluated_with", sort=False):
        right = int(part["exact_match"].sum())
        interval = clopper_pearson(right, len(part), level)
        rows.append((condition, "exact_match", right / len(part), *interval, len(part)))
        names = np.repeat(part["row"].to_numpy(), part["names"])
        right_names = np.concatenate(
            [np.arange(n) < k for k, n in zip(part["names_right"], part["names"], strict=True)]
        )
        draw = derive_seed(seed, str(condition))
        interval = bootstrap_mean(right_names, names.astype(str), resamples=resamples, seed=draw, level=level)
        rows.append((condition, "field_accuracy", right_names.mean(), *interval, len(right_names)))
    return pd.DataFrame(rows, columns=["evaluated_with", "metric", "value", "low", "high", "n"])
