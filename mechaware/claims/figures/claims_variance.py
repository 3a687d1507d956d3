"""The claim-validity paper's Figure 4: the range of every paper's single runs and its score after the minimum vote."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mechaware.claims.figures.panels import draw_papers, paper_panels
from mechaware.claims.schemas import PAPERS, REPORTED_MAIN, REPORTED_SINGLE_RUN

READS = {
    "papers": "results/claims/summary/papers.csv",
    "reported_main": "config/reported/claims_main.csv",
    "reported_single_run": "config/reported/claims_single_run.csv",
}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

RANGE, VOTED = "#D55E00", "#009E73"


def draw(
    *,
    papers: Annotated[pd.DataFrame, PAPERS],
    reported_main: Annotated[pd.DataFrame, REPORTED_MAIN],
    reported_single_run: Annotated[pd.DataFrame, REPORTED_SINGLE_RUN],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """A bar from the lowest to the highest CVS of each paper's single runs, with a diamond at the voted CVS.

    The printed scores of Table 3 are those after the vote.
    """
    ranges = reported_single_run[["paper", "single_low", "single_high"]]
    printed = reported_main.merge(ranges, on="paper", how="left", validate="one_to_one")
    voted = papers.assign(cvs=papers["voted_cvs"])
    figure = draw_papers(paper_panels(printed, voted, judge_labels), _ranges, width)
    handles = [
        Line2D([], [], color=RANGE, lw=3, marker="|", ms=6, label="range of the single runs"),
        Line2D([], [], ls="", marker="D", color=VOTED, mec="black", mew=0.5, ms=4.5, label="least of the runs' votes"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("Claim Validity Score (CVS)", fontsize=8)
    return figure


def _ranges(axes: Axes, papers: pd.DataFrame) -> str:
    heights = np.arange(len(papers))
    axes.hlines(heights, papers["single_low"], papers["single_high"], color=RANGE, lw=3.5, alpha=0.75)
    for end in ("single_low", "single_high"):
        axes.plot(papers[end], heights, "|", color=RANGE, ms=7, mew=1.4)
    axes.plot(papers["cvs"], heights, "D", color=VOTED, mec="black", mew=0.5, ms=4.2)
    ranges = (papers["single_high"] - papers["single_low"]).dropna()
    return f"mean range {ranges.mean():.1f}, largest {ranges.max():.1f}" if len(ranges) else "no single run scored"
