"""What several figures of the claims study share: panels, a legend, and shares with intervals.

A panel shows papers as one source scores them: the source paper ("reported") or one of our judges.
A table of papers has the columns paper, cvs (the Claim Validity Score), tier and expected_tier. An
unknown tier is the empty string, an unknown score NaN.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.report.charts import draw_intervals
from exhibits.report.style import COLOUR
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index

TOP_CVS = 10  # the highest Claim Validity Score
MAX_COLUMNS = 3  # panels in a row
EXTRA_HEIGHT = 0.3  # inches that a figure has besides its rows of panels
MAX_TITLE = 34  # characters of a panel's title


def paper_panels(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """The papers by panel title: as the source paper reports them, then as each judge scores them.

    Papers are sorted by rising expected tier; papers whose expected tier is unknown come last. A
    judge without two different scores has no panel.
    """
    panels = {"reported": _by_expected_tier(reported)}
    for judge, label in judge_labels.items():
        scored = papers[papers["judge"] == judge]
        if scored["cvs"].nunique() > 1:
            panels[label] = _by_expected_tier(scored)
    return panels


def _by_expected_tier(papers: pd.DataFrame) -> pd.DataFrame:
    """The rows by rising expected tier, an unknown one last; ties stay in their order."""
    return papers.sort_values("expected_tier", key=lambda tiers: tiers.map(_rank), kind="stable")


def _rank(tier: str) -> int:
    """A tier's rank from 0; an unknown tier ranks above all others."""
    return tier_index(tier) if tier else len(TIERS)


def confusion(papers: pd.DataFrame) -> np.ndarray:
    """The number of papers by predicted tier (rows, rising) and expected tier (columns).

    Papers with an unknown tier are left out.
    """
    counts = np.zeros((len(TIERS), len(TIERS)), dtype=int)
    known = papers[(papers["tier"] != "") & (papers["expected_tier"] != "")]
    for tier, expected in known[["tier", "expected_tier"]].itertuples(index=False):
        counts[tier_index(tier), tier_index(expected)] += 1
    return counts


def agreement_note(papers: pd.DataFrame) -> str:
    """The count of papers in their expected tier, among those with both tiers known, in words."""
    counts = confusion(papers)
    return f"{np.trace(counts)} of {counts.sum()} in the expected tier"


def panel_grid(
    count: int, width: float, height: float, *, sharey: bool
) -> tuple[Figure, Sequence[Axes]]:
    """A figure with `count` panels, at most `MAX_COLUMNS` in a row, and its panels row by row.

    The figure is `width` inches wide, and each row is `height` inches high. With `sharey` all
    panels have the same y axis; they always have the same x axis.
    """
    columns = min(count, MAX_COLUMNS)
    rows = math.ceil(count / columns)
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(width, rows * height + EXTRA_HEIGHT),
        sharex=True,
        sharey=sharey,
        squeeze=False,
    )
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


class MarkerStyle(NamedTuple):
    """How a quantity is drawn: its label in the legend, its colour, and its Matplotlib marker."""

    label: str
    colour: str
    marker: str


def name_markers(figure: Figure, styles: Iterable[MarkerStyle]) -> None:
    """A legend above the panels, with an entry for each of `styles`."""
    handles = []
    for style in styles:
        handle = Line2D(
            [], [], ls="", marker=style.marker, color=style.colour, ms=4.5, label=style.label
        )
        handles.append(handle)
    figure.legend(handles=handles, loc="outside upper center", ncols=2)


def shortened(text: str, characters: int) -> str:
    """`text` in at most this many characters: a longer text is cut, and ends in an ellipsis."""
    if len(text) <= characters:
        return text
    return f"{text[: characters - 1]}…"


def draw_shares(
    axes: Axes,
    table: pd.DataFrame,
    places: np.ndarray,
    *,
    colour: str = COLOUR["right"],
    **options: Any,
) -> None:
    """Draw shares with their intervals.

    `table` has three columns: share, lower end, upper end. `places` and `options` are as in
    `draw_intervals`. A share that rests on too few papers for an interval has a hollow marker.
    """
    has_interval = table.notna().all(axis=1).to_numpy()
    if has_interval.any():
        draw_intervals(axes, table[has_interval], places[has_interval], colour=colour, **options)
    if not has_interval.all():
        hollow = options | {"mfc": "white", "mew": 1}
        draw_intervals(axes, table[~has_interval], places[~has_interval], colour=colour, **hollow)
