"""The claim-validity paper's Figure 2: the score and tier of every paper, and the tier that was expected."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from mechaware.claims.figures.panels import (
    TIER_COLOUR,
    TOP_CVS,
    agreement_note,
    draw_papers,
    paper_panels,
)
from mechaware.claims.rubric.criteria import TIERS, tier_index
from mechaware.claims.schemas import PAPERS, REPORTED_MAIN
from mechaware.report.style import COLOUR

READS = {
    "papers": "results/claims/summary/papers.csv",
    "reported_main": "config/reported/claims_main.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(
    *,
    papers: Annotated[pd.DataFrame, PAPERS],
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """The CVS of every paper as a bar coloured by its tier, with a diamond at the middle of the expected tier."""
    figure = draw_papers(paper_panels(reported_main, papers, judge_labels), _tier_bars, width)
    handles: list[Patch | Line2D] = [
        Patch(fc=colour, ec=COLOUR["neutral"], lw=0.5, label=tier.name)
        for tier, colour in zip(TIERS, TIER_COLOUR, strict=True)
    ]
    handles.append(Line2D([], [], ls="", marker="D", color="black", ms=4, label="middle of the expected tier"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    figure.supxlabel("Claim Validity Score (CVS)", fontsize=8)
    return figure


def _tier_bars(axes: Axes, papers: pd.DataFrame) -> str:
    heights = np.arange(len(papers))
    scored = (papers["tier"] != "").to_numpy()
    colours = [TIER_COLOUR[tier_index(tier)] for tier in papers.loc[scored, "tier"]]
    axes.barh(heights[scored], papers.loc[scored, "cvs"], 0.72, color=colours, ec=COLOUR["neutral"], lw=0.5)
    known = (papers["expected_tier"] != "").to_numpy()
    middles = [_middle(tier_index(tier)) for tier in papers.loc[known, "expected_tier"]]
    axes.plot(middles, heights[known], "D", color="black", mec="white", mew=0.6, ms=4.5)
    return agreement_note(papers)


def _middle(tier: int) -> float:
    """The CVS in the middle of a tier, 0 to 4."""
    bounds = [*(tier.boundary for tier in TIERS), TOP_CVS]
    return (bounds[tier] + bounds[tier + 1]) / 2
