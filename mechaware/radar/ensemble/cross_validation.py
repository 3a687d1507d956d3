"""Cross-validation: folds shared by every system, so that all are compared on the same held-out prompts."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from jaxtyping import Int
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from mechaware.radar.ensemble.classifier import Ensemble, is_recall
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.radar.identity import pairs, with_identity


def assign_folds(table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int) -> Int[np.ndarray, " prompt"]:
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


def predict_held_out(
    table: pd.DataFrame,
    fold: Int[np.ndarray, " prompt"],
    fit_predict: Callable[[pd.DataFrame, pd.DataFrame], pd.DataFrame],
) -> pd.DataFrame:
    """`fit_predict(training rows, held-out rows)` for every fold, put together in the order of `table`."""
    parts = [fit_predict(table[fold != held], table[fold == held]) for held in np.unique(fold)]
    return pd.concat(parts).loc[table.index]


def cross_validate(table: pd.DataFrame, *, folds: int, seed: int) -> pd.DataFrame:
    """RADAR's prediction of every row of `table` by an ensemble fitted on the other folds, and the row's `fold`.

    The same seed orders the folds and the ensembles' random draws.
    """
    fold = assign_folds(table, pairs(table), folds=folds, seed=seed)
    predictions = predict_held_out(table, fold, lambda train, held: Ensemble.fit(train, FEATURES, seed).predict(held))
    return with_identity(table, predictions.assign(fold=fold))
