"""How many memorised items a detector finds at each rate of false alarms."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mechaware.radar.figures.memorisation_dose import LOOK
from mechaware.radar.memorisation.items import KINDS
from mechaware.radar.memorisation.scoring import DETECTOR_LABELS
from mechaware.report.style import COLOUR

READS = {"roc": "results/radar/memorisation/roc.parquet"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, roc: pd.DataFrame, width: float) -> Figure:
    """The ROC curves, means over seeds, of items planted verbatim at one dose; a panel per kind."""
    figure, panels = plt.subplots(1, len(KINDS), figsize=(width, 0.42 * width), sharey=True)
    for axes, kind in zip(panels, KINDS, strict=True):
        axes.plot([0, 1], [0, 1], color=COLOUR["faint"], lw=0.8)
        for name in LOOK:
            rows = roc[(roc["detector"] == name) & (roc["kind"] == kind)]
            if len(rows):
                colour, _, dashes = LOOK[name]
                axes.plot(rows["fpr"], rows["tpr"], color=colour, ls=dashes, label=DETECTOR_LABELS[name])
        axes.set(title=f"{kind} items, seen {roc['dose'].iloc[0]} times", xlabel="unseen items called seen", aspect=1)
    panels[0].set(ylabel="seen items called seen")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper")
    return figure
