"""The interface of a detector, and cross-fitting for detectors that learn which items were seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.evidence.evidence import Evidence

# Tables show the true-positive rate at this false-positive rate: the share of seen items above a
# threshold that at most this share of unseen items exceeds.
FALSE_POSITIVE_RATE = 0.05

_MAX_FOLDS = 5

_Field = TypeVar("_Field")
# fit_score(training rows, whether each was seen, held-out rows) -> scores of the held-out rows
_FitScore = Callable[
    [
        Float[np.ndarray, "training ..."],
        Bool[np.ndarray, " training"],
        Float[np.ndarray, "held_out ..."],
    ],
    Float[np.ndarray, " held_out"],
]


class Detector(NamedTuple):
    """A score per row of the evidence; higher means more likely seen.

    - `name`: the name of its column and row in tables.
    - `label`: its name in figures.
    - `source`: who proposed it.
    - `needs`: the fields of `Evidence`, besides texts, groups and scores, without which it cannot
      be computed.
    - `score(evidence, seed)`: one finite number per row. `seed` is for folds and random draws, and
      most detectors ignore it.
    """

    name: str
    label: str
    source: str
    needs: tuple[str, ...]
    score: Callable[[Evidence, int], Float[np.ndarray, " row"]]


def required(field: _Field | None) -> _Field:
    """A field of the evidence that a detector needs; raises ValueError if it was not measured."""
    if field is None:
        raise ValueError("the detector needs a field of the evidence that was not measured")
    return field


def score_held_out(
    values: Float[np.ndarray, "row ..."],
    seen: Bool[np.ndarray, " row"],
    groups: Sequence[str],
    fit_score: _FitScore,
    *,
    seed: int,
) -> Float[np.ndarray, " row"]:
    """The score of every row by `fit_score`, fitted on the rows of the other folds.

    `groups` names the item of each row: a group is the rows of one item. The order of the rows does
    not change their scores.
    """
    order = row_order(values, groups)
    fold_of_row = _assign_folds(seen, groups, seed=seed)
    fold_in_order = fold_of_row[order]
    scores = np.empty(len(values))
    for fold in np.unique(fold_of_row):
        training = order[fold_in_order != fold]
        held_out = order[fold_in_order == fold]
        scores[held_out] = fit_score(values[training], seen[training], values[held_out])
    return scores


def _assign_folds(
    seen: Bool[np.ndarray, " row"], groups: Sequence[str], *, seed: int
) -> Int[np.ndarray, " row"]:
    """The fold in which each row is held out: stratified by truth, and never splitting a group.

    The number of folds is min(5, groups with a seen row, groups with an unseen row). Raises
    ValueError if this is below two.

    Trap: the two rows of an item have opposite truths. If the two were in different folds, a fit on
    one row would be wrong about the other. If folds were unbalanced, a fold rich in one class would
    be scored by a fit rich in the other. Either fault puts the AUROC of a blind detector, whose
    values say nothing of the truth, below one half.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    items = np.asarray(groups)
    n_seen_items = len(np.unique(items[seen]))
    n_unseen_items = len(np.unique(items[~seen]))
    n_folds = min(_MAX_FOLDS, n_seen_items, n_unseen_items)
    if n_folds < 2:
        raise ValueError(
            "a detector that learns needs two items with a seen row and two with an unseen row"
        )
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=derive_seed(seed, "folds"))
    fold_of_row = np.empty(len(items), dtype=int)
    # The first argument, the values, only gives the number of rows.
    for fold, (_, held_out) in enumerate(splitter.split(items, seen, items)):
        fold_of_row[held_out] = fold
    return fold_of_row


def row_order(
    values: Float[np.ndarray, "row ..."], groups: Sequence[str]
) -> Int[np.ndarray, " row"]:
    """The indices of the rows, sorted by group and then by the bytes of their values.

    Random forests draw rows by position; sorted so, rows in any order give a forest the same
    training rows. Rows of one group with equal values keep their order.
    """

    def key(row: int) -> tuple[str, bytes]:
        return groups[row], values[row].tobytes()

    return np.array(sorted(range(len(values)), key=key))
