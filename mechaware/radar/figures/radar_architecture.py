"""RADAR's Figure 1, drawn by code: from a prompt through activations and features to a vote."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from mechaware.radar.features.features import MECHANISTIC, SURFACE
from mechaware.radar.names import CLASSIFIERS
from mechaware.report.diagram import arrow, rounded_box
from mechaware.report.style import COLOUR

SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}


def draw(*, width: float) -> Figure:
    """The diagram, `width` inches wide."""
    figure, axes = plt.subplots(figsize=(width, width * 0.40))
    axes.set(xlim=(0, 100), ylim=(0, 40))
    axes.axis("off")
    boxes = {
        "prompt": _box(axes, 1, 15, 11, 10, "prompt", "faint"),
        "model": _box(axes, 16, 12, 15, 16, "language model\none forward pass", "neutral"),
        "lens": _box(axes, 36, 28, 20, 9, "logit lens, last token\nconfidence, entropy", "surface"),
        "attention": _box(axes, 36, 15.5, 20, 9, "attention rows\nentropy per head", "mechanistic"),
        "states": _box(axes, 36, 3, 20, 9, "residual stream\nnorm, variance, rank", "mechanistic"),
        "surface": _box(axes, 61, 28, 14, 9, f"{len(SURFACE)} surface\nfeatures", "surface"),
        "mechanistic": _box(axes, 61, 9.2, 14, 9, f"{len(MECHANISTIC)} mechanistic\nfeatures", "mechanistic"),
        "ensemble": _box(axes, 80, 12, 19, 18, "standardised, then\n" + "\n".join(CLASSIFIERS.values()), "neutral"),
    }
    for start, end in (
        ("prompt", "model"),
        *(("model", reading) for reading in ("lens", "attention", "states")),
        ("lens", "surface"),
        ("attention", "mechanistic"),
        ("states", "mechanistic"),
        ("surface", "ensemble"),
        ("mechanistic", "ensemble"),
    ):
        _arrow(axes, boxes[start], boxes[end])
    axes.text(89.5, 4.5, "vote: recall if more than\nhalf say so", ha="center", va="center", fontsize=7)
    axes.add_patch(
        FancyArrowPatch((89.5, 11.6), (89.5, 7.4), arrowstyle="-|>", mutation_scale=8, color=COLOUR["neutral"])
    )
    return figure


def _box(axes: Axes, x: float, y: float, width: float, height: float, text: str, colour: str) -> FancyBboxPatch:
    box = rounded_box(axes, (x, y), width, height, colour=COLOUR[colour], rounding=1.2)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=7, linespacing=1.3)
    return box


def _arrow(axes: Axes, start: FancyBboxPatch, end: FancyBboxPatch) -> None:
    """From the middle of the right edge of one box to the middle of the left edge of another."""
    tail = (start.get_x() + start.get_width(), start.get_y() + start.get_height() / 2)
    head = (end.get_x(), end.get_y() + end.get_height() / 2)
    arrow(axes, tail, head)
