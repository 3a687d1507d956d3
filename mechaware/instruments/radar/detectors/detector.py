"""The interface of a detector, and cross-fitting for detectors that learn which items were seen."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Bool, Float, Int

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.evidence.evidence import Evidence

# Tables show the share of seen items that a detector finds at a threshold above which this share of unseen items lies.
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
    - `needs`: the fields of `Evidence`, besides texts, groups and scores, without which it cannot be computed.
    - `score(evidence, seed)`: one finite number per row. `seed` is for folds and random draws, and most detectors
      ignore it.
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

    `groups` names the item of each row. The order of the rows does not change their scores.
    """
    order = row_order(values, groups)
    fold = _assign_folds(seen, groups, seed=seed)
    fold_in_order = fold[order]
    scores = np.empty(len(values))
    for held_out in np.unique(fold):
        training = order[fold_in_order != held_out]
        tested = order[fold_in_order == held_out]
        scores[tested] = fit_score(values[training], seen[training], values[tested])
    return scores


def _assign_folds(
    seen: Bool[np.ndarray, " row"], groups: Sequence[str], *, seed: int
) -> Int[np.ndarray, " row"]:
    """The fold in which each row is held out: stratified by truth, a group never split, at most 5 folds.

    The number of folds is at most the number of groups with a seen row, and at most the number with an unseen row;
    raises ValueError if either number is below two.

    Trap: the two rows of an item have opposite truths. In different folds, the fit on one row would be wrong about the
    other. In unbalanced folds, a fold rich in one class would be scored by a fit rich in the other. Either puts the
    AUROC of a blind detector below one half.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    items = np.asarray(groups)
    folds = min(_MAX_FOLDS, len(np.unique(items[seen])), len(np.unique(items[~seen])))
    if folds < 2:
        raise ValueError(
            "a detector that learns needs two items with a seen row and two with an unseen row"
        )
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=derive_seed(seed, "folds"))
    fold = np.empty(len(items), dtype=int)
    for number, (_, held_out) in enumerate(splitter.split(items, seen, items)):
        fold[held_out] = number
    return fold


def row_order(
    values: Float[np.ndarray, "row ..."], groups: Sequence[str]
) -> Int[np.ndarray, " row"]:
    """The rows sorted by group and values: random forests draw rows by position, which must not affect the scores."""

    def key(row: int) -> tuple[str, bytes]:
        return groups[row], values[row].tobytes()

    return np.array(sorted(range(len(values)), key=key))
