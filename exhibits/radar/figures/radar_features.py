"""RADAR's Figure 2, left: Cohen's d by prompt set of the features that separate the
training set's classes best.
"""

from collections.abc import Mapping
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.report.charts import draw_intervals, name_rows
from exhibits.report.style import COLOUR, MARKER
from mechaware.instruments.radar.names import display_name

READS = {"discrimination": "results/radar/{model}/discrimination.parquet"}
SETTINGS = {
    "top": {
        "default": 8,
        "description": "Features shown, the most discriminative on the training set.",
        "type": "integer",
        "minimum": 1,
    },
    "width": {"default": 1.8, "$ref": "#/$defs/width"},
}


def draw(
    *,
    discrimination: pd.DataFrame,
    model_labels: Mapping[str, str],
    top: int,
    width: float,
) -> Figure:
    """Cohen's d of the `top` features and its interval: a row per model, a column per prompt set,
    training first.

    Features that order the training prompts identically, or in reverse, share a row, labelled
    `feature (+n)` with the number of the others.
    """
    sets = list(discrimination["prompt_set"].unique())
    models = list(model_labels)
    figure, grid = plt.subplots(
        len(models),
        len(sets),
        figsize=(1.6 + width * len(sets), (0.19 * top + 0.75) * len(models)),
        sharex="row",
        sharey="row",
        squeeze=False,
    )
    for axes, name in zip(grid[0], sets, strict=True):
        axes.set_title(fill(display_name(name), 24))
    for axes_row, model in zip(grid, models, strict=True):
        rows = discrimination[discrimination["model"] == model]
        shown = _top_features(rows[rows["prompt_set"] == sets[0]], top)
        for axes, prompt_set in zip(axes_row, sets, strict=True):
            by_feature = rows[rows["prompt_set"] == prompt_set].set_index("feature")
            _draw_effects(axes, by_feature.reindex(shown.index))
        if len(models) > 1:
            axes_row[0].set_ylabel(fill(model_labels[model], 24), fontweight="bold")
        name_rows(axes_row[0], list(shown["label"]))
    figure.supxlabel(
        "higher in reasoning prompts   ←   Cohen's d   →   higher in recall prompts", fontsize=8
    )
    return figure


def _top_features(training: pd.DataFrame, top: int) -> pd.DataFrame:
    """The `top` features with the largest |AUC - 0.5|, one for each `same_order_as`.

    They are indexed by name, with a column `label`.
    """
    others = training["same_order_as"].value_counts() - 1
    first = training[training["feature"] == training["same_order_as"]]
    separation = (first["auc"] - 0.5).abs()
    first = first.assign(separation=separation)
    first = first.sort_values("separation", ascending=False, kind="stable")
    first = first.head(top).set_index("feature")

    labels = []
    for feature in first.index:
        label = display_name(feature)
        if others[feature]:
            label += f" (+{others[feature]})"
        labels.append(label)
    return first.assign(label=labels)


def _draw_effects(axes: Axes, effects: pd.DataFrame) -> None:
    """The effect of each row and its interval, in the colour and marker of the class in which it is
    higher.

    A row whose effect is 0 or missing stays empty.
    """
    heights = np.arange(len(effects))
    for label, sign in (("recall", 1), ("reasoning", -1)):
        chosen = np.sign(effects["cohens_d"]).to_numpy() == sign
        draw_intervals(
            axes,
            effects.loc[chosen, ["cohens_d", "d_low", "d_high"]],
            heights[chosen],
            colour=COLOUR[label],
            marker=MARKER[label],
        )
    axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
    axes.tick_params(axis="y", length=0)
