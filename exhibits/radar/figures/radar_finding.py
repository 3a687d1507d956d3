"""What RADAR sees: its accuracy and that of simpler answers,
and whether it tells what a model was trained on.
"""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.radar.schemas import DETECTORS
from exhibits.report.charts import draw_intervals, name_line, name_rows
from exhibits.report.style import COLOUR, MARKER
from mechaware.instruments.radar.names import display_name

READS = {
    "comparison": "results/radar/{model}/comparison.parquet",
    "performance": "results/radar/{model}/performance.parquet",
    "detectors": "results/radar/memorisation/detectors.csv",
}
CONFIG = {"reduction": "radar/attention_entropy_reduction"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# The protocol, of `names.PROTOCOLS`, that fits on the training set. It is not imported from
# `controls`, which needs scikit-learn: the environment of the figures has none.
TRAINED = "trained"
SYSTEMS = {
    "radar": "RADAR",
    "prompt_length": "prompt length alone",
    "bag_of_words": "bag of words",
    "majority_class": "the commoner label",
}


class _Line(NamedTuple):
    """A line of the panel of doses: a detector's AUROC on one kind of item.

    An empty `label` is not written.
    """

    detector: str
    kind: str
    label: str
    colour: str
    marker: str


# Memory moves RADAR's score in opposite directions on the two kinds, so each kind has its own line.
LINES = (
    _Line("loss", "recall", "", COLOUR["neutral"], MARKER["recall"]),
    _Line("loss", "reasoning", "loss, both kinds", COLOUR["neutral"], MARKER["reasoning"]),
    _Line("radar", "reasoning", "RADAR, reasoning", COLOUR["reasoning"], MARKER["reasoning"]),
    _Line("radar", "recall", "RADAR, recall", COLOUR["recall"], MARKER["recall"]),
)


def draw(
    *,
    comparison: pd.DataFrame,
    performance: pd.DataFrame,
    detectors: Annotated[pd.DataFrame, DETECTORS],
    model_labels: Mapping[str, str],
    reduction: str,
    width: float,
) -> Figure:
    """Left, accuracies with bootstrap intervals that keep pairs whole, a row of panels per model;
    right, AUROC by dose.

    RADAR and its rivals are fitted on the training set. The planted items on the right are
    verbatim, with t intervals over seeds.
    """
    is_fitted = comparison["protocol"] == TRAINED
    fitted = comparison[is_fitted & comparison["reduction"].isin(["", reduction])]
    sets = list(fitted["prompt_set"].unique())
    n_models = len(model_labels)
    figure = plt.figure(figsize=(width, 1.0 + 1.25 * n_models))
    column_widths = [1.0] * len(sets) + [1.25]
    grid = figure.add_gridspec(n_models, len(column_widths), width_ratios=column_widths)

    for row, (model, label) in enumerate(model_labels.items()):
        of_model = fitted[fitted["model"] == model]
        left: Axes | None = None
        for column, name in enumerate(sets):
            axes = figure.add_subplot(grid[row, column], sharey=left)
            systems = of_model[of_model["prompt_set"] == name].set_index("system")
            _draw_accuracies(axes, systems.reindex(list(SYSTEMS)))
            axes.set_title(_title(name, systems, performance))
            axes.tick_params(labelleft=left is None)
            left = left or axes
        if left and n_models > 1:
            left.set_ylabel(label)
    _draw_doses(figure.add_subplot(grid[:, -1]), detectors)
    return figure


def _title(name: str, systems: pd.DataFrame, performance: pd.DataFrame) -> str:
    """What prompts a set holds: like the paper's, matched pairs, or else the set's name.

    Only matched pairs are tested against guessing.
    """
    if performance.loc[performance["prompt_set"] == name, "papers_kind"].all():
        return "prompts like\nthe paper's"
    if systems["p_above_guessing"].notna().any():
        return "matched pairs"
    return display_name(name).replace(" ", "\n")


def _draw_accuracies(axes: Axes, systems: pd.DataFrame) -> None:
    """A row per system: its accuracy and interval, with the accuracy in percent next to them."""
    columns = {"accuracy": "share", "bootstrap_low": "low", "bootstrap_high": "high"}
    percents = 100 * systems[list(columns)].rename(columns=columns)
    percents["place"] = range(len(percents))
    rivals = [name for name in SYSTEMS if name != "radar"]
    looks = [(["radar"], COLOUR["right"], "o"), (rivals, COLOUR["neutral"], "s")]
    for names, colour, marker in looks:
        rows = percents.loc[names]
        draw_intervals(
            axes,
            rows[["share", "low", "high"]],
            rows["place"].to_numpy(),
            colour=colour,
            marker=marker,
        )
        for share, high, place in rows[["share", "high", "place"]].dropna().to_numpy(float):
            name_line(axes, high, place, f"{share:.0f}", colour=colour)
    axes.axvline(50, color=COLOUR["faint"], lw=0.8, zorder=0)
    name_rows(axes, list(SYSTEMS.values()))
    axes.set(xlim=(min(30, percents["low"].min()), 100), xlabel="accuracy (%)")


def _draw_doses(axes: Axes, detectors: pd.DataFrame) -> None:
    """The AUROC of seen against unseen items by the times that an item was seen.

    There are lines for the loss and for RADAR, by kind of item.
    """
    verbatim = detectors[detectors["form"] == "verbatim"]
    doses = sorted(verbatim["dose"].unique())
    for number, line in enumerate(LINES):
        rows = verbatim[(verbatim["detector"] == line.detector) & (verbatim["kind"] == line.kind)]
        rows = rows.sort_values("dose")
        # Side by side, so that no marker hides another: two lines are left of the dose, one on it,
        # one right of it.
        offset = 0.06 * (number - 2)
        places = np.searchsorted(doses, rows["dose"]) + offset
        draw_intervals(
            axes,
            rows[["auroc", "low", "high"]],
            places,
            upright=True,
            colour=line.colour,
            marker=line.marker,
            ls="-",
        )
        if len(places):
            name_line(axes, places[-1], rows["auroc"].iloc[-1], line.label, colour=line.colour)
    axes.axhline(0.5, color=COLOUR["faint"], lw=0.8, zorder=0)
    axes.set_xticks(range(len(doses)), [str(dose) for dose in doses])
    axes.set_yticks((0.5, 0.75, 1), ("guessing 0.5", "0.75", "1"))
    axes.set(
        title="planted items: was it trained on?",
        xlabel="times seen in training",
        ylabel="AUROC",
        ylim=(0, 1.04),
    )
