"""The classifier of detectors that learn from planted twins: a logistic regression, on features of one scale.

Only planted twins have texts whose truth is known, so what counts is how a classifier does on models that it was not
fitted on. It is fitted in one of two ways:

- within a seed: on the other folds of the same two twins, which no user can do;
- transferred: on the twins of all other seeds, whose items and training are their own.

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
    """Each feature with mean 0 and standard deviation 1 within each of the `groups`, and 0 where it is constant."""
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
    """The log odds that each row was seen, fitted on the other folds of the `items` of its own planted seed."""
    item_of_row = np.array(items)
    scores = np.empty(len(seen))
    for planted_seed in np.unique(seeds):
        of_seed = seeds == planted_seed
        scores[of_seed] = score_held_out(
            features[of_seed],
            seen[of_seed],
            item_of_row[of_seed].tolist(),
            fit_log_odds,
            seed=derive_seed(seed, f"s{planted_seed}"),
        )
    return scores


def score_transferred(
    features: Float[np.ndarray, "row feature"],
    seen: Bool[np.ndarray, " row"],
    seeds: Int[np.ndarray, " row"],
) -> Float[np.ndarray, " row"]:
    """The log odds that each row was seen, fitted on the rows of all other planted seeds; NaN with one seed."""
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
    """The log odds that each tested row was seen, by a classifier fitted on the rows of `training`."""
    # Here: tables name the detectors, and their environment has no scikit-learn.
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression(C=_INVERSE_PENALTY, max_iter=5000).fit(training, seen)
    return np.asarray(classifier.decision_function(tested), dtype=float)
