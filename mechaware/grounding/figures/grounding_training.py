"""Held-out loss and exact match during training, with and without the schema in the context."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from mechaware.grounding.figures.style import DECIMAL, LABELS, add_legend
from mechaware.grounding.names import condition_of
from mechaware.grounding.schemas import TRAINING
from mechaware.report.style import COLOUR, MARKER

READS = {"history": "results/grounding/training.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, history: Annotated[pd.DataFrame, TRAINING], width: float) -> Figure:
    """Loss (left) and exact match (right) by training step: a line per run, a colour per condition."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(width, 0.3 * width))
    for run, part in history.groupby("run", sort=False):
        condition = condition_of(str(run))
        line = {"color": COLOUR[condition], "marker": MARKER[condition], "ms": 2.5}
        left.plot(part["step"], part["held_out_loss"], **line)
        right.plot(part["step"], 100 * part["held_out_exact_match"], **line)
    left.set(xlabel="training step", ylabel="held-out loss (nats per token)", yscale="log")
    left.yaxis.set_major_formatter(DECIMAL)
    left.yaxis.set_minor_formatter(NullFormatter())
    right.set(xlabel="training step", ylabel="held-out exact match (%)", ylim=(-3, 103))
    add_legend(figure, sorted({condition_of(run) for run in history["run"]}, key=list(LABELS).index))
    return figure
