"""The interface of a detector."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from jaxtyping import Float

from mechaware.radar.evidence.evidence import Evidence

FALSE_POSITIVE_RATE = 0.05  # of unseen items, at which tables show how many seen items a detector finds

_Field = TypeVar("_Field")


class Detector(NamedTuple):
    """A score per row of the evidence; higher means more likely seen.

    `name`: of its column and row in tables. `label`: in figures. `source`: who proposed it. `needs`: the fields of
    `Evidence`, beside texts, groups and scores, without which it cannot be computed. `score(evidence, seed)` returns
    one finite number per row; `seed` is for folds and random draws, and most detectors pass it over.
    """

    name: str
    label: str
    source: str
    needs: tuple[str, ...]
    score: Callable[[Evidence, int], Float[np.ndarray, " row"]]


def measured(field: _Field | None) -> _Field:
    """A field of the evidence that a detector needs; raises ValueError if it was not measured."""
    if field is None:
        raise ValueError("the detector needs a field of the evidence that was not measured")
    return field
