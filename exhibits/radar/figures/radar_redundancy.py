"""The rank correlation of every two of RADAR's 37 features,
and how many of them are independent.
"""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.report.charts import draw_heat_map
from exhibits.report.style import DIVERGING
from mechaware.instruments.radar.feature_extraction.features import FEATURES, SURFACE
from mechaware.instruments.radar.names import display_name

READS = {
    "correlation": "results/radar/{model}/correlation.parquet",
    "redundancy": "results/radar/{model}/redundancy.parquet",
}
SETTINGS = {"width": {"default": 5.5, "$ref": "#/$defs/width"}}


def draw(
    *,
    correlation: pd.DataFrame,
    redundancy: pd.DataFrame,
    model_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """The correlations of each model's features below the diagonal,
    without features that never vary.

    Models have a panel each, one below the other. A panel shows the cells on and below the
    diagonal, and its title has three counts of `redundancy`: features, distinct and effective.
    """
    figure, grid = plt.subplots(
        len(model_labels), 1, figsize=(width, 4.9 * len(model_labels)), squeeze=False
    )
    for axes, (model, label) in zip(grid[:, 0], model_labels.items(), strict=True):
        matrix = _matrix(correlation[correlation["model"] == model])
        _draw_matrix(axes, matrix)

        counts = redundancy.set_index("model").loc[model]
        title = (
            f"{counts['features']:.0f} features, {counts['distinct']:.0f} that "
            f"rank prompts differently; effective rank {counts['effective']:.1f}"
        )
        if len(model_labels) > 1:
            title = f"{label}\n{title}"
        axes.set_title(title)
        figure.colorbar(
            axes.collections[0], ax=axes, shrink=0.5, label="Spearman's rank correlation"
        )
    return figure


def _matrix(correlation: pd.DataFrame) -> pd.DataFrame:
    """The correlations of one model as a matrix in the order of `FEATURES`,
    without features that never vary.
    """
    matrix = correlation.pivot(index="feature", columns="other", values="correlation")
    matrix = matrix.reindex(FEATURES, columns=FEATURES)
    # A feature that never varies has the correlation 0, even with itself.
    correlation_with_itself = np.diag(matrix)
    varying = np.array(FEATURES)[correlation_with_itself > 0]
    return matrix.loc[varying, varying]


def _draw_matrix(axes: Axes, matrix: pd.DataFrame) -> None:
    """The cells on and below the diagonal; the two families of features are named under the x axis.

    The columns of a family are neighbours, since `FEATURES` begins with all surface features.
    """
    above = np.triu(np.ones(matrix.shape, dtype=bool), 1)
    # Strong negative correlations are marked: in grey print the two ends of the scale look alike.
    minus = np.where(matrix < -0.5, "\N{MINUS SIGN}", "")
    draw_heat_map(
        axes,
        matrix,
        low=-1,
        high=1,
        cmap=DIVERGING,
        mask=above,
        annot=minus,
        fmt="",
        xticklabels=False,
    )

    n_features = len(matrix)
    n_surface = sum(name in SURFACE for name in matrix)
    axes.set_yticks(np.arange(n_features) + 0.5, [display_name(str(name)) for name in matrix])
    families = {"surface": (0, n_surface), "mechanistic": (n_surface, n_features)}
    for family, (start, end) in families.items():
        axes.annotate(
            f"{family} features",
            xy=((start + end) / 2, n_features),
            xytext=(0, -4),
            va="top",
            ha="center",
            textcoords="offset points",
            annotation_clip=False,
        )
        # A line at the foot of the family's triangle.
        axes.plot([start, end], [end, end], color="black", lw=0.8)
