"""A prompt set under permuted labels, which tests two null hypotheses.

They are that a system of `REPEATED`, such as RADAR, is no better than guessing, and that no feature
separates the classes.
"""

import numpy as np
import pandas as pd
from tqdm import tqdm

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.effects import cohens_d
from mechaware.instruments.radar.ensemble import assign_folds, is_recall, predict_held_out
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.identity import is_paired, pairs
from mechaware.instruments.radar.systems import REPEATED, repeated_systems

_DRAW_COLUMNS = ["draw", "largest_effect", *REPEATED]


def permutation_draws(
    table: pd.DataFrame, *, folds: int, permutations: int, seed: int
) -> pd.DataFrame:
    """The statistics of a prompt set under permuted labels, one row per permutation.

    A set of one class has no rows. Labels are permuted within matched pairs, which swaps or keeps
    them with equal probability, and freely among prompts without a pair. `table` has the features,
    `n_tokens`, `prompt`, `id` and `label`.

    Columns:

    - draw: the number of the permutation, from 0.
    - largest_effect: the maximum over features of |Cohen's d| between the labels.
    - each system of `REPEATED`: its cross-validated accuracy, fitted anew to the permuted labels
      with forests and folds of the draw's own seed. Missing if any prompt of the set has no pair.
    """
    if table["label"].nunique() < 2:
        return pd.DataFrame(columns=_DRAW_COLUMNS)

    groups = pairs(table)
    paired = is_paired(table)
    rows = []
    for draw in tqdm(range(permutations), unit="permutation", mininterval=5):
        draw_seed = derive_seed(seed, draw)
        labels = _permute_labels(table["label"], groups, np.random.default_rng(draw_seed))
        permuted = table.assign(label=labels)
        effect = {"draw": draw, "largest_effect": _largest_effect(permuted)}
        accuracies = {}
        if paired:
            accuracies = _refitted_accuracies(permuted, groups, folds=folds, seed=draw_seed)
        rows.append(effect | accuracies)
    return pd.DataFrame(rows, columns=_DRAW_COLUMNS)


def _largest_effect(table: pd.DataFrame) -> float:
    """The maximum over features of |Cohen's d| between the labels.

    Comparing maxima under true and permuted labels corrects for the choice among 37 features.
    """
    recall = is_recall(table) == 1
    effects = []
    for feature in FEATURES:
        values = table[feature].to_numpy(float)
        effects.append(abs(cohens_d(values[recall], values[~recall])))
    return max(effects)


def _permute_labels(
    labels: pd.Series, groups: pd.Series, generator: np.random.Generator
) -> np.ndarray:
    """The labels, permuted within each matched pair and among all prompts without a pair.

    `groups` are the pairs. Each pair is a stratum, and so are the prompts without a pair. Strata
    are permuted in the order of their names, so that the draws do not depend on which pair comes
    first.
    """
    permuted = labels.to_numpy(copy=True)
    has_partner = groups.duplicated(keep=False)
    # A pair's stratum has its name; prompts without a pair have the stratum "".
    stratum = groups.where(has_partner, "")
    rows_of_stratum = stratum.groupby(stratum).indices
    for name in sorted(rows_of_stratum, key=str):
        rows = rows_of_stratum[name]
        permuted[rows] = generator.permutation(permuted[rows])
    return permuted


def _refitted_accuracies(
    table: pd.DataFrame, groups: pd.Series, *, folds: int, seed: int
) -> dict[str, float]:
    """The cross-validated accuracy of each system of `REPEATED`, fitted to permuted labels.

    The labels of `table` are permuted. `groups` are the pairs by the true labels; `pairs(table)`
    would derive wrong pairs from the permuted labels.
    """
    fold = assign_folds(table, groups, folds=folds, seed=seed)
    accuracies = {}
    for system in repeated_systems(seed):
        predicted = predict_held_out(table, fold, system.fit_predict)["predicted"]
        accuracies[system.name] = float((predicted == table["label"]).mean())
    return accuracies
