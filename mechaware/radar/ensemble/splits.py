"""Cross-validation splits shared by every system, so that all are compared on the same held-out prompts."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Int
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from mechaware.radar.ensemble.classifier import is_recall


def fold_of_each(table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int) -> Int[np.ndarray, " prompt"]:
    """The fold 0..folds-1 in which each row of `table` is held out: stratified by label, a group never split.

    Groups are the matched pairs; in a set without pairs every prompt is a group of its own.
    """
    target = is_recall(table)
    options = {"n_splits": folds, "shuffle": True, "random_state": seed}
    if groups.nunique() < len(groups):
        splits = StratifiedGroupKFold(**options).split(table, target, groups)
    else:
        splits = StratifiedKFold(**options).split(table, target)
    held_out = np.empty(len(table), dtype=int)
    for fold, (_, test) in enumerate(splits):
        held_out[test] = fold
    return held_out


def cross_predict(
    table: pd.DataFrame,
    fold: Int[np.ndarray, " prompt"],
    fit_predict: Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame],
) -> pd.DataFrame:
    """`fit_predict(training rows, held-out rows)` for every fold, put together in the order of `table`."""
    parts = [fit_predict(table[fold != held], table[fold == held]) for held in np.unique(fold)]
    return pd.concat(parts).loc[table.index]
