"""What several of the claims study's figures share: the colours of the tiers, and panels of papers by source of scores.

A source of scores is the source paper ("reported") or one of our judges. A frame of papers has the columns paper, cvs,
tier and expected_tier; an unknown tier is the empty string, an unknown score NaN.
"""

from collections.abc import Callable, Mapping, Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.claims.rubric.criteria import TIERS, tier_index
from mechaware.report.style import COLOUR

# From light to dark as the evidence gets stronger: the order survives any colour vision and grey printing.
TIER_COLOUR = ("#D9F0C4", "#8FD3B6", "#41A9C4", "#1F6FA8", "#22307F")
TOP_CVS = 10
MAX_COLUMNS = 3


def paper_panels(
    reported: pd.DataFrame, papers: pd.DataFrame, judge_labels: Mapping[str, str]
) -> dict[str, pd.DataFrame]:
    """By panel title: the papers as the source paper reports them, then as each judge scores them.

    Papers are sorted by rising expected tier, those without one last.
    """
    sources = [
        ("reported", reported),
        *((label, papers[papers["judge"] == judge]) for judge, label in judge_labels.items()),
    ]
    return {
        title: panel.sort_values("expected_tier", key=lambda tiers: tiers.map(_rank), kind="stable")
        for title, panel in sources
    }


def _rank(tier: str) -> int:
    """A tier's rank; an unknown tier is above all."""
    return tier_index(tier) if tier else len(TIERS)


def draw_papers(
    panels: Mapping[str, pd.DataFrame], draw_rows: Callable[[Axes, pd.DataFrame], str], width: float
) -> Figure:
    """A panel for each source with a row for each paper and its CVS at the right.

    `draw_rows` draws the papers of a panel at the heights 0, 1, 2, ... and returns the second line of its title.
    """
    most = max(len(papers) for papers in panels.values())
    figure, grid = panel_grid(len(panels), width, 0.175 * max(most, 4) + 0.5, sharey=False)
    figure.set_layout_engine("constrained", wspace=0.1)  # between a panel's scores and the next one's papers
    for axes, (title, papers) in zip(grid, panels.items(), strict=True):
        for tier in TIERS[1:]:
            axes.axvline(tier.boundary, color=COLOUR["faint"], lw=0.6, zorder=0)
        note = draw_rows(axes, papers)
        axes.set_title(f"{shortened(title, 26)}\n{note}", fontsize=7, loc="left")
        axes.set_yticks(range(len(papers)), [shortened(str(name), 17) for name in papers["paper"]], fontsize=6.5)
        for y, score in enumerate(papers["cvs"]):
            text = "unscored" if pd.isna(score) else f"{score:.1f}"
            x, side = (0.2, "left") if pd.isna(score) else (12.6, "right")
            axes.annotate(text, (x, y), ha=side, va="center", fontsize=6.5, color=COLOUR["neutral"])
        axes.set(xlim=(0, 12.6), xticks=range(0, TOP_CVS + 1, 2), ylim=(max(most, 4) - 0.4, -0.6))
        axes.tick_params(axis="y", length=0)
        if papers.empty:
            note_absence(axes, "no paper")
    return figure


def confusion(papers: pd.DataFrame) -> np.ndarray:
    """Counts of the papers with both tiers known: predicted tier (rows, rising) by expected tier (columns)."""
    counts = np.zeros((len(TIERS), len(TIERS)), dtype=int)
    known = papers[(papers["tier"] != "") & (papers["expected_tier"] != "")]
    for tier, expected in known[["tier", "expected_tier"]].itertuples(index=False):
        counts[tier_index(tier), tier_index(expected)] += 1
    return counts


def agreement_note(papers: pd.DataFrame) -> str:
    """How many papers have the expected tier or a neighbouring one, of those with both tiers known."""
    counts = confusion(papers)
    near = sum(int(np.trace(counts, offset)) for offset in (-1, 0, 1))
    total = int(counts.sum())
    return f"exact {np.trace(counts)}/{total}, within one {near}/{total}" if total else "no tier to compare"


def panel_grid(count: int, width: float, height: float, *, sharey: bool) -> tuple[Figure, Sequence[Axes]]:
    """A figure `width` inches wide with `count` panels, at most three in a row, each row `height` inches high."""
    columns = min(count, MAX_COLUMNS)
    rows = -(-count // columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(width, rows * height + 0.55), sharex=True, sharey=sharey, squeeze=False
    )
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, list(grid.flat[:count])


def shortened(text: str, characters: int) -> str:
    """`text`, cut with an ellipsis if it is longer than so many characters."""
    return text if len(text) <= characters else f"{text[: characters - 1]}…"


def note_absence(axes: Axes, text: str) -> None:
    """Write in the middle of an empty panel why it is empty."""
    axes.text(0.5, 0.5, fill(text, 24), transform=axes.transAxes, ha="center", va="center", color=COLOUR["neutral"])
