"""Held-out loss and exact match during training, with and without the schema in the context."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from mechaware.grounding.figures.style import LABELS, add_legend
from mechaware.grounding.names import condition_of
from mechaware.report.style import COLOUR, MARKER

READS = {"history": "results/grounding/training.parquet"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

AXES = {"held_out_loss": "held-out loss (nats per token)", "percent": "held-out exact match (%)"}


def draw(*, history: pd.DataFrame, width: float) -> Figure:
    """Loss (left) and exact match (right) by training step: a line per run, a colour per condition."""
    history = history.assign(condition=history["run"].map(condition_of), percent=100 * history["held_out_exact_match"])
    figure, panels = plt.subplots(1, 2, figsize=(width, 0.3 * width))
    for axes, (measure, label) in zip(panels, AXES.items(), strict=True):
        sns.lineplot(
            history, x="step", y=measure, hue="condition", style="condition", units="run", estimator=None,
            palette=COLOUR, markers=MARKER, dashes=False, ms=3, mew=0, legend=False, ax=axes,
        )  # fmt: skip
        axes.set(xlabel="training step", ylabel=label)
    panels[0].set(ylim=(0, None))
    panels[1].set(ylim=(-3, 103))
    add_legend(figure, [name for name in LABELS if name in set(history["condition"])])
    return figure
