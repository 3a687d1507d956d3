"""Draws the page of a verdict: one HTML file that needs no other, and the two lines that a command ends with."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mechaware.pages import page_template
from mechaware.radar.verdicts.decision import BLIND_BOUND, BLIND_SHARE, Verdict

_TEMPLATE = Path(__file__).parent / "templates/verdict.html.j2"
_MOST_ITEMS = 20
_BINS, _WIDTH, _HALF_HEIGHT = 32, 640, 90  # of the histogram, in units of its SVG
_Bars = list[dict[str, float]]


def render_page(name: str, model: str, verdict: Verdict) -> str:
    """The page of the verdict on the benchmark `name` for a model; the texts of items are escaped."""
    item_scores = [item.score for item in verdict.items]
    scores = [*item_scores, *verdict.control_scores]
    return page_template(_TEMPLATE).render(
        name=name,
        model=model,
        verdict=verdict,
        shown=verdict.items[:_MOST_ITEMS],
        found=sum(item.p_adjusted <= verdict.level for item in verdict.items),
        bars=_histogram(item_scores, verdict.control_scores),
        ends=(min(scores, default=0), max(scores, default=0)),
        size={"width": _WIDTH, "half": _HALF_HEIGHT, "bar": _WIDTH / _BINS - 1},
        bound=0.5 + BLIND_BOUND,
        share=BLIND_SHARE,
    )


def summary(name: str, verdict: Verdict, page: Path) -> str:
    """The verdict in a line, and the file to open."""
    return f"{name}: {verdict.status}: {verdict.reason}\nopen {page}\n"


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
        [{"x": place * _WIDTH / _BINS, "height": float(share * unit)} for place, share in enumerate(side)]
        for side in shares
    )
    return items_bars, control_bars
