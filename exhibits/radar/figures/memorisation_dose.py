"""How often a text must be seen before a detector finds it."""

from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.radar.schemas import DETECTORS
from exhibits.report.style import BLUE, COLOUR
from mechaware.instruments.radar.detectors.columns import QUESTION_LOSS
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.planted.twins.scoring import DETECTOR_LABELS
from mechaware.planted.twins.world import KINDS

READS = {"detectors": "results/radar/memorisation/detectors.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# Detectors that read RADAR's features are blue, detectors that read likelihoods grey; marker and
# dashes differ.
LOOK = {
    "loss": (COLOUR["neutral"], "^", "-"),
    QUESTION_LOSS: (COLOUR["neutral"], "v", "--"),
    "reference": (COLOUR["neutral"], "P", ":"),
    "radar": (BLUE, "o", "-"),
    "radar_refitted": (BLUE, "s", "--"),
    "activation_flow_variance": (BLUE, "D", ":"),
}


def draw(*, detectors: Annotated[pd.DataFrame, DETECTORS], width: float) -> Figure:
    """By dose of verbatim items, the AUROC of seen against unseen items, with contradicted items
    set apart.

    There is a panel per kind. Bars are t intervals over seeds.
    """
    figure, panels = plt.subplots(1, len(KINDS), figsize=(width, 0.34 * width), sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        _draw_lines(axes, detectors[detectors["kind"] == kind])
        axes.set(title=f"{kind} items", xlabel="times seen")
    panels[0].set(ylabel="AUROC of seen")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    return figure


def _draw_lines(axes: Axes, part: pd.DataFrame) -> None:
    """A line per detector over the doses of verbatim items;
    contradicted items, if any, are a step further right.
    """
    verbatim = part[part["form"] == VERBATIM]
    contradicted = part[part["form"] == CONTRADICTED]
    doses = sorted(verbatim["dose"].unique())
    axes.axhline(0.5, color=COLOUR["faint"], lw=0.8, zorder=0)

    shown = [name for name in LOOK if name in set(part["detector"])]
    for number, name in enumerate(shown):
        colour, marker, dashes = LOOK[name]
        # Side by side, so that no marker hides another; one more line is left of the dose than
        # right of it.
        offset = 0.06 * (number - len(shown) / 2)
        rows = verbatim[verbatim["detector"] == name].sort_values("dose")
        places = np.searchsorted(doses, rows["dose"]) + offset
        axes.plot(
            places,
            rows["auroc"],
            color=colour,
            marker=marker,
            ls=dashes,
            ms=3.5,
            label=DETECTOR_LABELS[name],
        )
        axes.vlines(places, rows["low"], rows["high"], color=colour, lw=0.7)

        wrong = contradicted[contradicted["detector"] == name]
        places_of_wrong = np.full(len(wrong), len(doses) + offset)
        axes.plot(places_of_wrong, wrong["auroc"], color=colour, marker=marker, ms=3.5)
        axes.vlines(places_of_wrong, wrong["low"], wrong["high"], color=colour, lw=0.7)

    ticks = [str(dose) for dose in doses]
    # All contradicted items have one dose.
    if len(contradicted):
        ticks.append(f"{contradicted['dose'].iloc[0]},\nwrong")
    axes.set_xticks(range(len(ticks)), ticks)
    axes.set(ylim=(0, 1.03))
