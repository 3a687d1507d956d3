"""What the page of a verdict on a benchmark shows beside its tables: the histogram of scores, and the first items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mechaware.instruments.radar.verdicts.decision import BLIND_BOUND, BLIND_SHARE, ItemTest

TEMPLATES = Path(__file__).parent / "templates"  # has seen.html.j2
_MOST_ITEMS = 20
_BINS, _WIDTH, _HALF_HEIGHT = 32, 640, 90  # of the histogram, in units of its SVG
_Bars = list[dict[str, float]]


def page_values(
    items: Sequence[ItemTest], control_scores: Sequence[float], level: float
) -> dict[str, Any]:
    """The names that the template uses, from the items and the scores of the control; both may be empty."""
    item_scores = [item.score for item in items]
    scores = [*item_scores, *control_scores]
    return {
        "shown": items[:_MOST_ITEMS],
        "found": sum(item.p_adjusted <= level for item in items),
        "bars": _histogram(item_scores, control_scores),
        "ends": (min(scores, default=0), max(scores, default=0)),
        "size": {"width": _WIDTH, "half": _HALF_HEIGHT, "bar": _WIDTH / _BINS - 1},
        "bound": 0.5 + BLIND_BOUND,
        "share": BLIND_SHARE,
    }


def _histogram(items: Sequence[float], control: Sequence[float]) -> tuple[_Bars, _Bars]:
    """The bars of the items and of the control over the same bins; the highest bar of both fills its half.

    Of each bar the left edge `x` and the `height`, in units of the SVG.
    """
    if not items:
        return [], []
    edges = np.histogram_bin_edges([*items, *control], _BINS)
    shares = [np.histogram(side, edges)[0] / len(side) for side in (items, control)]
    unit = _HALF_HEIGHT / max(share.max() for share in shares)
    items_bars, control_bars = (
        [
            {"x": place * _WIDTH / _BINS, "height": float(share * unit)}
            for place, share in enumerate(side)
        ]
        for side in shares
    )
    return items_bars, control_bars
