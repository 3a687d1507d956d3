"""How often a text must be seen before a detector finds it."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.radar.memorisation.items import KINDS
from mechaware.radar.memorisation.scoring import DETECTOR_LABELS
from mechaware.radar.schemas import DETECTORS
from mechaware.report.style import BLUE, COLOUR, ORANGE

READS = {"detectors": "results/radar/memorisation/detectors.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# RADAR's features in blue, what reads likelihoods in orange: each a line of its own by marker and dashes.
LOOK = {
    "loss": (ORANGE, "^", "-"),
    "min_k_plus_plus": (ORANGE, "v", "--"),
    "reference": (ORANGE, "P", ":"),
    "radar": (BLUE, "o", "-"),
    "radar_refitted": (BLUE, "s", "--"),
    "probe": (BLUE, "D", ":"),
}


def draw(*, detectors: Annotated[pd.DataFrame, DETECTORS], width: float) -> Figure:
    """AUROC of seen against dose, items planted verbatim, a panel per kind; bars are bootstrap intervals."""
    figure, panels = plt.subplots(1, len(KINDS), figsize=(width, 0.42 * width), sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        part = detectors[(detectors["kind"] == kind) & (detectors["form"] == "verbatim")]
        _draw_lines(axes, part)
        axes.set(title=f"{kind} items", xlabel="times seen")
    panels[0].set(ylabel="AUROC of seen")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    return figure


def _draw_lines(axes: Axes, part: pd.DataFrame) -> None:
    doses = sorted(part["dose"].unique())
    axes.axhline(0.5, color=COLOUR["faint"], lw=0.8, zorder=0)
    shown = [name for name in LOOK if name in set(part["detector"])]
    for number, name in enumerate(shown):
        rows = part[part["detector"] == name].sort_values("dose")
        colour, marker, dashes = LOOK[name]
        places = [doses.index(dose) + 0.06 * (number - len(shown) / 2) for dose in rows["dose"]]
        axes.plot(places, rows["auroc"], color=colour, marker=marker, ls=dashes, ms=3.5, label=DETECTOR_LABELS[name])
        axes.vlines(places, rows["low"], rows["high"], color=colour, lw=0.7)
    axes.set_xticks(range(len(doses)), [str(dose) for dose in doses])
    axes.set(ylim=(0.1, 1.03))
