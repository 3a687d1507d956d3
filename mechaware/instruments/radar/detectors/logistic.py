"""The classifier of detectors that learn from planted twins.

It is a logistic regression on standardised features. Only of planted twins is it known which texts
each model has seen. A user's model is no such twin, so what counts is how a classifier does on
models that it was not fitted on. It is fitted in one of two ways:

- within a seed: on the other folds of the same two twins. A user cannot do this.
- transferred: on the twins of all other seeds. Each seed has other items and other training.

The loss of transfer is the AUROC within a seed minus the AUROC transferred.

In this module `seeds` are the planted seeds of the rows, and `seed` is the seed of the folds.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.detectors.detector import score_held_out

_INVERSE_PENALTY = 0.1  # scikit-learn's C, fixed on an earlier draw of planted items


def standardise(
    values: Float[np.ndarray, "row feature"], groups: Sequence[str]
) -> Float[np.ndarray, "row feature"]:
    """Each feature with mean 0 and standard deviation 1 within each of the `groups`.

    `groups` names the group of each row. A feature that is constant in a group is 0 there.
    """
    group_of_row = np.array(groups)
    standardised = np.zeros_like(values)
    for group in np.unique(group_of_row):
        rows = group_of_row == group
        distances = values[rows] - values[rows].mean(axis=0)
        deviations = values[rows].std(axis=0)
        standardised[rows] = np.divide(
            distances, deviations, out=np.zeros_like(distances), where=deviations > 0
        )
    return standardised


def score_within(
    features: Float[np.ndarray, "row feature"],
    seen: Bool[np.ndarray, " row"],
    items: Sequence[str],
    seeds: Int[np.ndarray, " row"],
    *,
    seed: int,
) -> Float[np.ndarray, " row"]:
    """The log odds that each row was seen, fitted on the other folds of its own planted seed.

    `items` names the item of each row; all rows of an item are in one fold.
    """
    item_of_row = np.array(items)
    scores = np.empty(len(seen))
    for planted_seed in np.unique(seeds):
        has_seed = seeds == planted_seed
        scores[has_seed] = score_held_out(
            features[has_seed],
            seen[has_seed],
            item_of_row[has_seed].tolist(),
            fit_log_odds,
            seed=derive_seed(seed, f"s{planted_seed}"),
        )
    return scores


def score_transferred(
    features: Float[np.ndarray, "row feature"],
    seen: Bool[np.ndarray, " row"],
    seeds: Int[np.ndarray, " row"],
) -> Float[np.ndarray, " row"]:
    """The log odds that each row was seen, fitted on the rows of all other planted seeds.

    With a single planted seed they are NaN.
    """
    scores = np.full(len(seen), np.nan)
    for planted_seed in np.unique(seeds):
        tested = seeds == planted_seed
        if not tested.all():
            scores[tested] = fit_log_odds(features[~tested], seen[~tested], features[tested])
    return scores


def fit_log_odds(
    training: Float[np.ndarray, "training feature"],
    seen: Bool[np.ndarray, " training"],
    tested: Float[np.ndarray, "tested feature"],
) -> Float[np.ndarray, " tested"]:
    """The log odds that each tested row was seen, by a classifier fitted on the rows of `training`.

    `seen`: which rows of `training` were seen.
    """
    # Imported here: tables name the detectors, and their environment has no scikit-learn.
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression(C=_INVERSE_PENALTY, max_iter=5000).fit(training, seen)
    return np.asarray(classifier.decision_function(tested), dtype=float)
