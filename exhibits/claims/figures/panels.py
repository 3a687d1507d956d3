"""What several of the claims study's figures share: panels of papers by source of scores.

A source of scores is the source paper ("reported") or one of our judges. A frame of papers has the columns paper, cvs,
tier and expected_tier; an unknown tier is the empty string, an unknown score NaN.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from exhibits.report.charts import draw_intervals
from exhibits.report.style import COLOUR
from mechaware.instruments.claims.rubric.criteria import TIERS, tier_index

TOP_CVS = 10
MAX_COLUMNS = 3
MAX_TITLE = 34  # characters of a panel's title


def paper_panels(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """By panel title: the papers as the source paper reports them, then as each judge scores them.

    Papers are sorted by rising expected tier, those without one last. A judge that gives no two papers different scores
    has no panel.
    """
    panels = {"reported": _by_expected_tier(reported)}
    for judge, label in judge_labels.items():
        scored = papers[papers["judge"] == judge]
        if scored["cvs"].nunique() > 1:
            panels[label] = _by_expected_tier(scored)
    return panels


def _by_expected_tier(papers: pd.DataFrame) -> pd.DataFrame:
    return papers.sort_values("expected_tier", key=lambda tiers: tiers.map(_rank), kind="stable")


def _rank(tier: str) -> int:
    """A tier's rank; an unknown tier is above all."""
    return tier_index(tier) if tier else len(TIERS)


def confusion(papers: pd.DataFrame) -> np.ndarray:
    """The number of papers by predicted tier (rows, rising) and expected tier (columns), where both are known."""
    counts = np.zeros((len(TIERS), len(TIERS)), dtype=int)
    known = papers[(papers["tier"] != "") & (papers["expected_tier"] != "")]
    for tier, expected in known[["tier", "expected_tier"]].itertuples(index=False):
        counts[tier_index(tier), tier_index(expected)] += 1
    return counts


def agreement_note(papers: pd.DataFrame) -> str:
    """How many papers have the expected tier, of those with both tiers known."""
    counts = confusion(papers)
    return f"{np.trace(counts)} of {counts.sum()} in the expected tier"


def panel_grid(
    count: int, width: float, height: float, *, sharey: bool
) -> tuple[Figure, Sequence[Axes]]:
    """A figure `width` inches wide with `count` panels, at most three in a row, each row `height` inches high."""
    columns = min(count, MAX_COLUMNS)
    rows = -(-count // columns)
    figure, grid = plt.subplots(
        rows,
        columns,
        figsize=(width, rows * height + 0.3),
        sharex=True,
        sharey=sharey,
        squeeze=False,
    )
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def name_markers(figure: Figure, entries: Iterable[tuple[str, str, str]]) -> None:
    """A legend of markers above the panels; each entry is a label, a colour and a marker."""
    handles = []
    for label, colour, marker in entries:
        handles.append(Line2D([], [], ls="", marker=marker, color=colour, ms=4.5, label=label))
    figure.legend(handles=handles, loc="outside upper center", ncols=2)


def shortened(text: str, characters: int) -> str:
    """`text`, cut with an ellipsis if it is longer than so many characters."""
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
    """Shares with their intervals; a share that rests on too few papers for an interval has a hollow marker."""
    bounded = table.notna().all(axis=1).to_numpy()
    if bounded.any():
        draw_intervals(axes, table[bounded], places[bounded], colour=colour, **options)
    if not bounded.all():
        hollow = options | {"mfc": "white", "mew": 1}
        draw_intervals(axes, table[~bounded], places[~bounded], colour=colour, **hollow)
