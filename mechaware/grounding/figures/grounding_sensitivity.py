"""The schema-sensitivity gap of every pair, by category and model."""

from textwrap import fill
from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.grounding.figures.style import DECIMAL, add_legend
from mechaware.grounding.names import CATEGORY_LABELS, condition_of
from mechaware.grounding.schemas import SUMMARY
from mechaware.report.style import COLOUR, MARKER

READS = {
    "rules": "results/grounding/rules/{trained_run}.parquet",
    "summary": "results/grounding/summary.csv",
}
CONFIG = {"tau": "grounding/tau"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, rules: pd.DataFrame, summary: Annotated[pd.DataFrame, SUMMARY], tau: float, width: float) -> Figure:
    """Points are pairs, in each category a strip per run; the mean of a strip has its bootstrap interval."""
    figure, axes = plt.subplots(figsize=(width, 0.35 * width))
    runs = list(rules["run"].unique())
    step = 0.8 / len(runs)
    for number, run in enumerate(runs):
        gaps = rules[rules["run"] == run]
        means = summary[(summary["run"] == run) & (summary["quantity"] == "delta")].set_index("category")
        for x, category in enumerate(CATEGORY_LABELS):
            centre = x - 0.4 + (number + 0.5) * step
            in_category = (gaps["category"] == category) | (category == "overall")
            _draw_strip(axes, gaps.loc[in_category, "delta"], means.loc[category], condition_of(run), centre, step)
    _set_axes(axes, tau)
    add_legend(figure, list(dict.fromkeys(map(condition_of, runs))))
    return figure


def _draw_strip(axes: Axes, gaps: pd.Series, mean: pd.Series, condition: str, centre: float, step: float) -> None:
    """The pairs' gaps in a strip that is `step` wide around `centre`, their mean and its interval at the right."""
    colour, marker = COLOUR[condition], MARKER[condition]
    offsets = step * (0.15 + 0.3 * (np.arange(len(gaps)) % 7) / 6 - 0.3)
    axes.scatter(centre + offsets, np.sort(gaps), s=6, c=colour, marker=marker, alpha=0.55, linewidths=0)
    error = [[mean["value"] - mean["low"]], [mean["high"] - mean["value"]]]
    axes.errorbar(centre + 0.28 * step, mean["value"], error, fmt=marker, color=colour, ms=4, mec="white", mew=0.6)


def _set_axes(axes: Axes, tau: float) -> None:
    """Categories below, gaps linear near 0 and logarithmic beyond, and a grey band where R1 fails."""
    axes.axhspan(-tau, tau, color=COLOUR["faint"], alpha=0.3, lw=0)
    axes.axhline(0, color=COLOUR["neutral"], lw=0.6)
    axes.axvline(len(CATEGORY_LABELS) - 1.5, color=COLOUR["faint"], lw=0.6)
    axes.set_xticks(range(len(CATEGORY_LABELS)), [fill(label, 12) for label in CATEGORY_LABELS.values()])
    axes.tick_params(axis="x", length=0)
    axes.set_yscale("symlog", linthresh=1)
    axes.yaxis.set_major_formatter(DECIMAL)
    axes.set(ylabel="schema-sensitivity gap (logits)", xlim=(-0.5, len(CATEGORY_LABELS) - 0.5))
