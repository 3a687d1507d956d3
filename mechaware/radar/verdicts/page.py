"""Draws the page of a verdict: one HTML file that needs no other, and the two lines that a command ends with."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from mechaware.radar.verdicts.decision import BLIND_BOUND, BLIND_SHARE, Verdict

_MOST_ITEMS = 20
_BINS, _WIDTH, _HALF_HEIGHT = 32, 640, 90  # of the histogram, in units of its SVG
_MEANINGS = {
    "seen": "The model scores these items above texts like them that it cannot have seen. Which of the items it read, "
    "and whether it read them word for word, does not follow.",
    "not shown": "This does not show that the model has not seen the items: how often contamination stays hidden is "
    "listed under error rates.",
    "confounded": "Whether the model has seen the items cannot be told with this control.",
    "no verdict": "Scores only order the items. Without items that the model cannot have seen, no score shows what it "
    "has seen: name a file of them under `control`.",
}


class _Bar(NamedTuple):
    """A bar of the histogram: its left edge and its height, in units of the SVG."""

    x: float
    height: float


def render_page(name: str, model: str, verdict: Verdict) -> str:
    """The page of the verdict on the benchmark `name` for a model; the texts of items are escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["p"] = lambda p: f"{p:.2g}" if p >= 1e-3 else f"{p:.0e}"
    item_scores = [item.score for item in verdict.items]
    scores = [*item_scores, *verdict.control_scores]
    return environment.get_template("verdict.html.j2").render(
        name=name,
        model=model,
        verdict=verdict,
        meaning=_MEANINGS[verdict.status],
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


def _histogram(items: Sequence[float], control: Sequence[float]) -> tuple[list[_Bar], list[_Bar]]:
    """The bars of the items and of the control over the same bins; the highest bar of both fills its half."""
    if not items:
        return [], []
    edges = np.histogram_bin_edges([*items, *control], _BINS)
    shares = [np.histogram(side, edges)[0] / len(side) for side in (items, control)]
    unit = _HALF_HEIGHT / max(share.max() for share in shares)
    items_bars, control_bars = (
        [_Bar(place * _WIDTH / _BINS, float(share * unit)) for place, share in enumerate(side)] for side in shares
    )
    return items_bars, control_bars
