"""RADAR's probability of recall, by what an item demands and by whether its text was trained on."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from mechaware.radar.memorisation.world import KINDS
from mechaware.radar.schemas import CROSSED
from mechaware.report.style import COLOUR, MARKER

READS = {"crossed": "results/radar/memorisation/crossed.csv"}
SETTINGS = {"width": {"default": 3.3, "$ref": "#/$defs/width"}}


def draw(*, crossed: Annotated[pd.DataFrame, CROSSED], width: float) -> Figure:
    """Mean P(recall) of items never seen and seen so many times, a line per kind, with bootstrap intervals."""
    figure, axes = plt.subplots(figsize=(width, 0.8 * width))
    doses = sorted(crossed["dose"].unique())
    for kind in KINDS:
        rows = crossed[crossed["kind"] == kind].sort_values("dose")
        places = [doses.index(dose) for dose in rows["dose"]]
        axes.plot(places, rows["mean"], color=COLOUR[kind], marker=MARKER[kind], ms=4.5, lw=0.8)
        axes.vlines(places, rows["low"], rows["high"], color=COLOUR[kind], lw=1.2)
        above = rows["mean"].mean() < 0.5
        axes.annotate(
            f"{kind} items",
            (places[len(places) // 2], rows["mean"].iloc[len(places) // 2]),
            xytext=(0, 16 if above else -16),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            color=COLOUR[kind],
        )
    axes.axhline(0.5, color=COLOUR["faint"], lw=0.8, zorder=0)
    axes.set_xticks(range(len(doses)), ["never" if dose == 0 else str(dose) for dose in doses])
    axes.set(ylim=(0, 1), xlabel="times seen", ylabel="RADAR's P(recall)")
    return figure
