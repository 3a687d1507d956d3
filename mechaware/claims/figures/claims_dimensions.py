"""The claim-validity paper's Figure 3: dimension scores of system-level claims and of component claims."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mechaware.claims.figures.panels import note_absence, panel_grid, shortened
from mechaware.claims.rubric.criteria import DIMENSIONS
from mechaware.claims.schemas import CLAIMS, TRUTH
from mechaware.claims.study.means import PLANTED, claims_beside_truth, dimension_means

READS = {
    "claims": "results/claims/summary/claims.csv",
    "truth": "results/claims/summary/truth.csv",
}
CONFIG = {"confidence_level": "confidence_level", "bootstrap_resamples": "bootstrap_resamples"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# By whether a claim is system-level: label, colour and hatch of its bars.
BARS = {True: ("system-level claims", "#332288", ""), False: ("component claims", "#DDCC77", "////")}


def draw(
    *,
    claims: Annotated[pd.DataFrame, CLAIMS],
    truth: Annotated[pd.DataFrame, TRUTH],
    judge_labels: Mapping[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
    width: float,
) -> Figure:
    """Mean score, 0 to 3, in each dimension with a bootstrap interval over papers: planted, then by each judge.

    The planted truth has no interval. A panel's title gives the mean CVS and number of both kinds of claim.
    """
    compared = claims_beside_truth(claims, truth)
    means = dimension_means(compared, level=confidence_level, resamples=bootstrap_resamples, seed=seed)
    labels = {PLANTED: "planted truth", **judge_labels}
    figure, grid = panel_grid(len(labels), width, 1.8, sharey=True)
    for axes, (judge, label) in zip(grid, labels.items(), strict=True):
        judged = means[means["judge"] == judge]
        _bars(axes, judged)
        system, component = (
            _mean_cvs(compared[(compared["judge"] == judge) & (compared["system"] == level)]) for level in BARS
        )
        axes.set_title(f"{shortened(label, 30)}\nmean CVS, system {system},\ncomponent {component}", fontsize=7)
        if judged.empty:
            note_absence(axes, "no planted paper" if judge == PLANTED else "no claim scored")
    handles = [Patch(fc=colour, hatch=hatch, ec="white", lw=0, label=label) for label, colour, hatch in BARS.values()]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    figure.supxlabel("mean dimension score (0 to 3); in brackets the dimension's weight", fontsize=8)
    return figure


def _bars(axes: Axes, means: pd.DataFrame) -> None:
    """A bar for each dimension and kind of claim."""
    codes = [dimension.code for dimension in DIMENSIONS]
    names = [f"{dimension.name} ({dimension.weight:g})" for dimension in DIMENSIONS]
    for shift, (system, (_, colour, hatch)) in zip((-0.19, 0.19), BARS.items(), strict=True):
        rows = means[means["system"] == system].set_index("dimension").reindex(codes)
        y = np.arange(len(rows)) + shift
        axes.barh(y, rows["mean"], 0.36, color=colour, hatch=hatch, ec="white", lw=0)
        error = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
        axes.errorbar(rows["mean"], y, xerr=error, fmt="none", ecolor="black", elinewidth=0.8, capsize=1.5)
    axes.set(xlim=(0, 3.1), xticks=range(4), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)


def _mean_cvs(claims: pd.DataFrame) -> str:
    scores = claims["cvs"].dropna()
    return f"{scores.mean():.1f} (n = {len(scores)})" if len(scores) else "none"
