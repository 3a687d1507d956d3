"""Which items were seen? A conformal p-value of each item against the control."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats


class ItemTest(NamedTuple):
    """An item's score by one detector and its p-value against the control.

    In a verdict it is the verdict's first detector. The p-value is conformal (`item_tests`).

    - `p`: the p-value of the hypothesis that the item was not seen.
    - `p_adjusted`: `p`, corrected for the number of items by `method`.
    """

    id: str
    text: str
    score: float
    p: float
    p_adjusted: float
    method: str = "Benjamini and Hochberg"


def item_tests(
    rows: Sequence[tuple[str, str]],
    scores: Float[np.ndarray, " item"],
    control: Float[np.ndarray, " control"],
) -> list[ItemTest]:
    """Conformal p-values: (1 + controls that score at least as high) / (1 + controls).

    `rows` are the ids and texts of the items, and `scores` and `control` the scores of the items
    and of the control by one detector; a higher score is evidence that the item was seen. The tests
    are sorted by score, the likeliest seen first; ties keep the order of `rows`.

    Bates et al. 2023 (arXiv:2104.08279) show that Benjamini and Hochberg's procedure controls the
    false discovery rate of p-values that share a control.
    """
    n_lower = np.searchsorted(np.sort(control), scores, side="left")
    n_as_high = len(control) - n_lower
    p_values = (1 + n_as_high) / (1 + len(control))
    adjusted = stats.false_discovery_control(p_values)

    items = []
    numbers = zip(scores.tolist(), p_values.tolist(), adjusted.tolist(), strict=True)
    for (item_id, text), (score, p, p_adjusted) in zip(rows, numbers, strict=True):
        items.append(ItemTest(item_id, text, score, p, p_adjusted))
    return sorted(items, key=lambda item: -item.score)
