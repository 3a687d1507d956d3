"""What the page of a verdict on a benchmark shows besides its tables: the histogram of scores, and the first items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mechaware.instruments.radar.verdicts.decision import (
    BLIND_BOUND,
    BLIND_SHARE,
    ItemTest,
    score_name,
)

TEMPLATES = Path(__file__).parent / "templates"  # has seen.html.j2
_MOST_ITEMS = 20
# Of the histogram, in units of its SVG.
_BINS = 32
_WIDTH = 640
_HALF_HEIGHT = 90
_Bars = list[dict[str, float]]


def page_values(
    items: Sequence[ItemTest], control_scores: Sequence[float], significance: float
) -> dict[str, Any]:
    """The names that the template uses, from the items and the scores of the control; both may be empty."""
    item_scores = [item.score for item in items]
    scores = [*item_scores, *control_scores]
    return {
        "shown": items[:_MOST_ITEMS],
        "found": sum(item.p_adjusted <= significance for item in items),
        "bars": _histogram(item_scores, control_scores),
        "ends": (min(scores, default=0), max(scores, default=0)),
        "size": {"width": _WIDTH, "half": _HALF_HEIGHT, "bar": _WIDTH / _BINS - 1},
        "bound": 0.5 + BLIND_BOUND,
        "share": BLIND_SHARE,
        "score_name": score_name,
    }


def _histogram(items: Sequence[float], control: Sequence[float]) -> tuple[_Bars, _Bars]:
    """The bars of the items and of the control over the same bins; the highest bar of both fills its half.

    Of each bar the left edge `x` and the `height`, in units of the SVG.
    """
    if not items:
        return [], []
    edges = np.histogram_bin_edges([*items, *control], _BINS)
    item_shares = np.histogram(items, edges)[0] / len(items)
    control_shares = np.histogram(control, edges)[0] / len(control)
    unit = _HALF_HEIGHT / max(item_shares.max(), control_shares.max())
    return _bars(item_shares * unit), _bars(control_shares * unit)


def _bars(heights: np.ndarray) -> _Bars:
    bars = []
    for place, height in enumerate(heights.tolist()):
        bars.append({"x": place * _WIDTH / _BINS, "height": height})
    return bars
