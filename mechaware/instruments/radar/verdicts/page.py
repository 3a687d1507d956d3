"""Values for the page of a verdict on a benchmark: a histogram of scores, and the top items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mechaware.instruments.radar.verdicts.conformal import ItemTest
from mechaware.instruments.radar.verdicts.decision import BLIND_BOUND, BLIND_SHARE, score_name

TEMPLATES = Path(__file__).parent / "templates"  # has seen.html.j2
_MAX_ITEMS = 20
# The histogram: the number of its bins, then lengths in units of the SVG.
_BINS = 32
_WIDTH = 640
_HALF_HEIGHT = 90  # the height of the tallest bar
_GAP = 1  # between neighbouring bars
_Bars = list[dict[str, float]]


def page_values(
    items: Sequence[ItemTest], control_scores: Sequence[float], significance: float
) -> dict[str, Any]:
    """The variables of seen.html.j2.

    `items` are sorted by score, the highest first. They have scores only against a control: without
    one, `items` and `control_scores` are both empty.

    - `top_items`: the first items, at most `_MAX_ITEMS`.
    - `n_significant`: how many items have an adjusted p of at most `significance`.
    - `bars`: the bars of the items and of the control (`_histogram`).
    - `score_range`: the lowest and the highest score of items and control; zeros without scores.
    - `size`: the histogram's width, half its height, and the width of a bar, in units of the SVG.
    - `blind_auroc`: the AUROC from which a baseline that reads texts alone can confound a verdict,
      `BLIND_BOUND` above 0.5.
    - `blind_fraction`: the share of the best detector's distance from 0.5 from which it can,
      `BLIND_SHARE`.
    - `score_name`: the function that names a detector's score, which the page calls.
    """
    item_scores = [item.score for item in items]
    scores = [*item_scores, *control_scores]
    return {
        "top_items": items[:_MAX_ITEMS],
        "n_significant": sum(item.p_adjusted <= significance for item in items),
        "bars": _histogram(item_scores, control_scores),
        "score_range": (min(scores, default=0), max(scores, default=0)),
        "size": {"width": _WIDTH, "half": _HALF_HEIGHT, "bar": _WIDTH / _BINS - _GAP},
        "blind_auroc": 0.5 + BLIND_BOUND,
        "blind_fraction": BLIND_SHARE,
        "score_name": score_name,
    }


def _histogram(items: Sequence[float], control: Sequence[float]) -> tuple[_Bars, _Bars]:
    """The bars of the items, then those of the control, over the same bins.

    A bar has its left edge `x` and its `height`, in units of the SVG. Heights are proportional to
    the share of the set's scores in the bin, and the tallest bar of both sets is `_HALF_HEIGHT`
    high. `control` is empty only if `items` is; then there are no bars.
    """
    if not items:
        return [], []
    edges = np.histogram_bin_edges([*items, *control], _BINS)
    item_shares = np.histogram(items, edges)[0] / len(items)
    control_shares = np.histogram(control, edges)[0] / len(control)
    unit = _HALF_HEIGHT / max(item_shares.max(), control_shares.max())
    return _bars(item_shares * unit), _bars(control_shares * unit)


def _bars(heights: np.ndarray) -> _Bars:
    """A bar for each bin, with these heights in units of the SVG."""
    bars = []
    for bin_index, height in enumerate(heights.tolist()):
        bars.append({"x": bin_index * _WIDTH / _BINS, "height": height})
    return bars
