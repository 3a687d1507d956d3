"""One look for every figure: sizes, fonts, and the same colour and marker for the same thing everywhere."""

from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.files import replacing

matplotlib.use("agg")

# Okabe and Ito's palette: told apart by readers with any colour vision; the markers tell the classes apart in grey.
COLOUR = {
    "recall": "#0072B2",
    "reasoning": "#D55E00",
    "surface": "#009E73",
    "mechanistic": "#CC79A7",
    "neutral": "#555555",
    "faint": "#BBBBBB",
    # The grounding study's runs, from Tol's muted palette.
    "schema": "#332288",
    "no_schema": "#CC6677",
    "pretrained": "#DDAA33",
    "grounded": "#117733",
    "shortcut": "#882255",
    # A verdict on a control of known truth.
    "right": "#0072B2",
    "wrong": "#D55E00",
}
MARKER = {
    "recall": "o",
    "reasoning": "^",
    "schema": "o",
    "no_schema": "^",
    "pretrained": "D",
    "grounded": "s",
    "shortcut": "v",
}

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.0,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
    "text.parse_math": False,  # names are shown as they are written
}
plt.rcParams.update(RC)  # type: ignore[arg-type]


def save_figure(figure: Figure, pdf: Path, png: Path) -> None:
    """Write the figure as PDF (fonts embedded, no date: equal figures are equal files) and as PNG."""
    with replacing(pdf) as partial:
        figure.savefig(partial, metadata={"CreationDate": None})
    with replacing(png) as partial:
        figure.savefig(partial, metadata={"Software": None})
    plt.close(figure)


def panel_grid(rows: int, columns: int, width: float, height: float) -> tuple[Figure, list[list[Axes]]]:
    """A figure of `rows` x `columns` panels, each `width` x `height` inches, that share their axes."""
    figure, axes = plt.subplots(
        rows, columns, figsize=(width * columns, height * rows), sharex=True, sharey=True, squeeze=False
    )
    return figure, axes.tolist()


def annotate_corner(axes: Axes, text: str) -> None:
    """Small text in the upper left corner of a panel, above the data."""
    axes.annotate(text, (0.02, 0.98), xycoords="axes fraction", va="top", fontsize=6.5, color=COLOUR["neutral"])
