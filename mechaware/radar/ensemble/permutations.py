"""The null of two tests, by permuted labels: RADAR is no better than guessing, no feature separates the classes."""

import numpy as np
import pandas as pd
from tqdm import tqdm

from mechaware.radar.ensemble.classifier import is_recall
from mechaware.radar.ensemble.controls import REPEATED, repeated_systems
from mechaware.radar.ensemble.cross_validation import assign_folds, predict_held_out
from mechaware.radar.feature_extraction.features import FEATURES
from mechaware.radar.identity import is_paired, pairs
from mechaware.seeds import derive_seed
from mechaware.stats import cohens_d

COLUMNS = ["draw", "largest_effect", *REPEATED]


def permutation_draws(table: pd.DataFrame, *, folds: int, permutations: int, seed: int) -> pd.DataFrame:
    """The statistics of a prompt set under permuted labels, one row per permutation; no rows for a set of one class.

    Labels are permuted within matched pairs, which swaps or keeps them with equal probability, and freely among prompts
    without a pair. `table` is as in `System`. Columns: draw; largest_effect, as in the function of this name; and for
    each system of `REPEATED` its cross-validated accuracy, fitted anew to the permuted labels with forests and folds of
    the draw's own seed. Accuracies are missing for a set that is not in pairs throughout.
    """
    if table["label"].nunique() < 2:
        return pd.DataFrame(columns=COLUMNS)
    groups, paired, rows = pairs(table), is_paired(table), []
    for draw in tqdm(range(permutations), unit="permutation", mininterval=5):
        draw_seed = derive_seed(seed, draw)
        permuted = table.assign(label=_permute_labels(table["label"], groups, np.random.default_rng(draw_seed)))
        accuracies = _refitted_accuracies(permuted, groups, folds=folds, seed=draw_seed) if paired else {}
        rows.append({"draw": draw, "largest_effect": largest_effect(permuted)} | accuracies)
    return pd.DataFrame(rows, columns=COLUMNS)


def largest_effect(table: pd.DataFrame) -> float:
    """The largest absolute Cohen's d between the labels of any feature."""
    recall = is_recall(table) == 1
    values = table[list(FEATURES)].to_numpy(float)
    return max(abs(cohens_d(feature[recall], feature[~recall])) for feature in values.T)


def _permute_labels(labels: pd.Series, groups: pd.Series, generator: np.random.Generator) -> np.ndarray:
    permuted = labels.to_numpy(copy=True)
    stratum = groups.where(groups.duplicated(keep=False), "")
    for _, rows in sorted(stratum.groupby(stratum).indices.items()):
        permuted[rows] = generator.permutation(permuted[rows])
    return permuted


def _refitted_accuracies(table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int) -> dict[str, float]:
    """`groups` are the pairs by the true labels, which name them."""
    fold = assign_folds(table, groups, folds=folds, seed=seed)
    predictions = {
        system.name: predict_held_out(table, fold, system.fit_predict)["predicted"] for system in repeated_systems(seed)
    }
    return {name: float((predicted == table["label"]).mean()) for name, predicted in predictions.items()}
