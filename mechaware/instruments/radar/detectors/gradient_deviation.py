"""GDS: which texts a model has seen, by a classifier of the gradients of its projections.

Gradient Deviation Scores (Zhang, Wang et al. 2026, arXiv:2603.04828) describe a text by the gradient of its loss: how
large it is, where in the model it lies and how concentrated it is, in attention and MLP. A light classifier that is
fitted on known members reads these. Here the features are log ||dL(x) / dW|| for each projection W of each block, which
say how large the gradient is and where it lies; concentration is left out. The classifier is a logistic regression.

Such a classifier needs texts whose truth is known. Only planted twins have them, so what counts is how it does on a
model that it was not fitted on:

- within a seed: fitted on the other folds of the same two twins, which no user can do;
- transferred: fitted on the twins of all other seeds, whose items and training are their own. A seed then needs no
  truth of its own. With one seed there is none to transfer from, and the scores are missing.

The AUROC within less the AUROC transferred is the loss of transfer.
Traps: the scale of gradients is each model's own, so features are standardised within a model, seen and unseen texts
together; without that the intercept of one model would be wrong for another. The classifiers of two seeds were fitted
on nearly the same seeds, and all seeds share one architecture and one source of texts: a transfer to another model or
source is not measured.
"""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.instruments.radar.detectors.detector import score_held_out

GDS_WITHIN = "gds_within"
GDS_TRANSFERRED = "gds_transferred"
MIN_K_PLUS_PLUS_WITH_GDS = "min_k_plus_plus_with_gds"
GDS_LABELS = {
    GDS_WITHIN: "GDS, fitted within the seed",
    GDS_TRANSFERRED: "GDS, fitted on other seeds",
    MIN_K_PLUS_PLUS_WITH_GDS: "Min-K%++ and GDS of other seeds, ranks",
}
_PENALTY = 0.1  # scikit-learn's C


def gradient_features(
    norms: Float[np.ndarray, "row projection"], models: Sequence[str]
) -> Float[np.ndarray, "row projection"]:
    """Log ||dL(x) / dW|| of each projection W, with mean 0 and standard deviation 1 within each of the `models`."""
    logarithms = np.log(norms)
    model_of_row = np.array(models)
    features = np.empty_like(logarithms)
    for model in np.unique(model_of_row):
        rows = model_of_row == model
        distances = logarithms[rows] - logarithms[rows].mean(axis=0)
        features[rows] = distances / logarithms[rows].std(axis=0)
    return np.asarray(features)


def score_within(
    features: Float[np.ndarray, "row projection"],
    seen: Bool[np.ndarray, " row"],
    items: Sequence[str],
    *,
    seed: int,
) -> Float[np.ndarray, " row"]:
    """The log odds that each row of one planted seed was seen, fitted on the other folds of its `items`."""
    return score_held_out(features, seen, items, _fit_score, seed=seed)


def score_transferred(
    features: Float[np.ndarray, "row projection"],
    seen: Bool[np.ndarray, " row"],
    seeds: Int[np.ndarray, " row"],
) -> Float[np.ndarray, " row"]:
    """The log odds that each row was seen, fitted on the rows of all other planted seeds; NaN with one seed."""
    scores = np.full(len(seen), np.nan)
    for number in np.unique(seeds):
        tested = seeds == number
        if not tested.all():
            scores[tested] = _fit_score(features[~tested], seen[~tested], features[tested])
    return scores


def _fit_score(
    training: Float[np.ndarray, "training projection"],
    seen: Bool[np.ndarray, " training"],
    tested: Float[np.ndarray, "tested projection"],
) -> Float[np.ndarray, " tested"]:
    # Here: tables name GDS, and their environment has no scikit-learn.
    from sklearn.linear_model import LogisticRegression

    classifier = LogisticRegression(C=_PENALTY, max_iter=5000).fit(training, seen)
    return np.asarray(classifier.decision_function(tested), dtype=float)
