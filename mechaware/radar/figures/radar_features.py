"""RADAR's Figure 2, left: the features that separate the classes best on the training set, in every prompt set."""

from collections.abc import Mapping
from textwrap import fill
from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.radar.names import plain
from mechaware.radar.schemas import DISCRIMINATION
from mechaware.report.style import COLOUR, MARKER

NAME_COLOURS = {"surface": "green", "mechanistic": "pink"}
READS = {"discrimination": "results/radar/{model}/discrimination/{prompts}.csv"}
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
    discrimination: Annotated[pd.DataFrame, DISCRIMINATION],
    model_labels: Mapping[str, str],
    top: int,
    width: float,
) -> Figure:
    """Cohen's d of the `top` features and its interval: a row per model, a column per prompt set, training first.

    Features that order the training prompts identically, or in reverse, share a row: that of the first of them, named
    with the number of the others.
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
        axes.set_title(fill(plain(name), 24))
    kinds: dict[str, None] = {}
    for axes_row, model in zip(grid, models, strict=True):
        rows = discrimination[discrimination["model"] == model]
        shown = _top_features(rows[rows["prompt_set"] == sets[0]], top)
        for axes, name in zip(axes_row, sets, strict=True):
            by_feature = rows[rows["prompt_set"] == name].set_index("feature")
            _lollipops(axes, by_feature.reindex(shown.index))
        axes_row[0].set_ylabel(fill(model_labels[model], 24), fontweight="bold")
        axes_row[0].set_yticks(range(len(shown)), shown["label"])
        for tick, kind in zip(axes_row[0].get_yticklabels(), shown["kind"], strict=True):
            tick.set_color(COLOUR[kind])
        kinds |= dict.fromkeys(shown["kind"])
        axes_row[0].invert_yaxis()
    figure.supxlabel(
        "Cohen's d: higher in reasoning (left, triangles) or in recall (right, circles). "
        f"Names: {', '.join(f'{kind} in {NAME_COLOURS[kind]}' for kind in kinds)}.",
        fontsize=7,
    )
    return figure


def _top_features(training: pd.DataFrame, top: int) -> pd.DataFrame:
    """The `top` groups of features of equal order by how far their area under the ROC curve is from chance."""
    others = training["same_order_as"].value_counts() - 1
    first = training[training["feature"] == training["same_order_as"]]
    first = first.assign(separation=(first["auc"] - 0.5).abs()).sort_values(
        "separation", ascending=False, kind="stable"
    )
    first = first.head(top).set_index("feature")
    labels = [f"{plain(name)} (+{others[name]})" if others[name] else plain(name) for name in first.index]
    return first.assign(label=labels)


def _lollipops(axes: Axes, effects: pd.DataFrame) -> None:
    """The effect of each row, as a stem and a marker, and its interval as a thin line."""
    intervals = zip(effects["cohens_d"], effects["d_low"], effects["d_high"], strict=True)
    for position, (effect, low, high) in enumerate(intervals):
        label = "recall" if effect >= 0 else "reasoning"
        axes.plot([low, high], [position, position], color=COLOUR["neutral"], lw=0.6)
        axes.plot([0, effect], [position, position], color=COLOUR[label], lw=1.6)
        axes.plot(effect, position, MARKER[label], color=COLOUR[label], ms=4.5)
    axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
    axes.tick_params(axis="y", length=0)
