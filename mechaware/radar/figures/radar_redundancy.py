"""The rank correlation of every two of RADAR's 37 features, and how many of them are independent."""

from collections.abc import Mapping
from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mechaware.radar.features.features import FEATURES, SURFACE
from mechaware.radar.names import plain
from mechaware.radar.schemas import CORRELATION, REDUNDANCY
from mechaware.report.style import COLOUR

READS = {
    "correlation": "results/radar/{model}/correlation.csv",
    "redundancy": "results/radar/{model}/redundancy.csv",
}
SETTINGS = {"width": {"default": 6.0, "$ref": "#/$defs/width"}}


def draw(
    *,
    correlation: Annotated[pd.DataFrame, CORRELATION],
    redundancy: Annotated[pd.DataFrame, REDUNDANCY],
    model_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """The correlation matrix of each model under its counts, `width` inches wide."""
    figure, grid = plt.subplots(len(model_labels), 1, figsize=(width, width * 0.95 * len(model_labels)), squeeze=False)
    for axes, (model, label) in zip(grid[:, 0], model_labels.items(), strict=True):
        rows = correlation[correlation["model"] == model]
        matrix = rows.pivot(index="feature", columns="other", values="correlation").loc[list(FEATURES), list(FEATURES)]
        image = axes.imshow(matrix, cmap="RdBu_r", vmin=-1, vmax=1)
        rows_below, columns_below = np.nonzero(matrix.to_numpy() < -0.5)  # in grey print the two ends look alike
        axes.plot(columns_below, rows_below, ls="", marker="_", ms=2.5, mew=0.6, color="white")
        axes.set_xticks(range(len(FEATURES)), map(plain, FEATURES), rotation=90, fontsize=5.5)
        axes.set_yticks(range(len(FEATURES)), map(plain, FEATURES), fontsize=5.5)
        for tick, name in zip([*axes.get_xticklabels(), *axes.get_yticklabels()], FEATURES * 2, strict=True):
            tick.set_color(COLOUR["surface" if name in SURFACE else "mechanistic"])
        boundary = len(SURFACE) - 0.5
        axes.axhline(boundary, color="black", lw=0.6)
        axes.axvline(boundary, color="black", lw=0.6)
        counts = redundancy.set_index("model").loc[model]
        axes.set_title(
            f"{label}: of {counts['features']:.0f} features {counts['constant']:.0f} never vary; the others fall into "
            f"{counts['distinct']:.0f} groups of equal order\nand have rank {counts['rank']:.0f} "
            f"(effective rank {counts['effective']:.1f})"
        )
        figure.colorbar(image, ax=axes, shrink=0.5, label="Spearman's rank correlation")
    return figure
