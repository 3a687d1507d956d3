"""RADAR's figures, drawn from small tables."""

from collections.abc import Mapping
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from scipy.stats import spearmanr

from mechaware.radar.features.features import FEATURES, MECHANISTIC, SURFACE
from mechaware.radar.names import CLASSIFIERS, plain
from mechaware.report.style import COLOUR, MARKER, annotate_corner, panel_grid

LABELS = ("recall", "reasoning")


def draw_architecture(width: float) -> Figure:
    """Figure 1: from a prompt through the model's activations and the features to a vote."""
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


def draw_features(discrimination: pd.DataFrame, model_labels: Mapping[str, str], *, top: int, width: float) -> Figure:
    """Figure 2, left: Cohen's d of the features that separate the classes best on the training set, in every set.

    `discrimination` is long: model, prompt_set, feature, kind, cohens_d, auc; its first prompt set is the training set.
    Features that order the training prompts identically, or in reverse, share a row: that of the first of them, named
    with the number of the others.
    """
    sets = list(discrimination["prompt_set"].unique())
    models = list(model_labels)
    figure, grid = plt.subplots(
        len(models),
        len(sets),
        figsize=(1.6 + width * len(sets), (0.19 * top + 0.75) * len(models)),
        sharex="row",
        sharey="row",
        squeeze=False,
    )
    for axes, name in zip(grid[0], sets, strict=True):
        axes.set_title(fill(plain(name), 24))
    for axes_row, model in zip(grid, models, strict=True):
        rows = discrimination[discrimination["model"] == model]
        shown = _top_features(rows[rows["prompt_set"] == sets[0]], top)
        for axes, name in zip(axes_row, sets, strict=True):
            by_feature = rows[rows["prompt_set"] == name].set_index("feature")
            _lollipops(axes, by_feature.reindex(shown.index)["cohens_d"])
        axes_row[0].set_ylabel(fill(model_labels[model], 24), fontweight="bold")
        axes_row[0].set_yticks(range(len(shown)), shown["label"])
        for tick, kind in zip(axes_row[0].get_yticklabels(), shown["kind"], strict=True):
            tick.set_color(COLOUR[kind])
        axes_row[0].invert_yaxis()
    figure.supxlabel(
        "Cohen's d: higher in reasoning (left, triangles) or in recall (right, circles). "
        "Names: surface in green, mechanistic in pink.",
        fontsize=7,
    )
    return figure


def draw_scores(scores: pd.DataFrame, model_labels: Mapping[str, str], *, width: float, marker_size: float) -> Figure:
    """Figure 2, right: RDS against RCI of every prompt, a panel per model and prompt set, class means large."""
    figure, panels = _panels(scores, model_labels, width)
    for axes, part in panels:
        x, y = "reasoning_complexity_index", "recall_detection_score"
        _scatter_by_label(axes, part, x, y, size=marker_size)
        for label, points in part.groupby("label", sort=False):
            mean = points[x].mean(), points[y].mean()
            axes.plot(*mean, MARKER[str(label)], ms=7.5, mfc=COLOUR[str(label)], mec="black", mew=0.9)
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.45), yticks=np.linspace(0, 1, 5))
        annotate_corner(axes, _mean_by_label(part, "recall_detection_score"))
    _class_legend(figure)
    figure.supxlabel("reasoning complexity index (RCI)", fontsize=8)
    figure.supylabel("recall detection score (RDS)", fontsize=8)
    return figure


def draw_length(scores: pd.DataFrame, model_labels: Mapping[str, str], *, score: str, width: float) -> Figure:
    """A score of every prompt against its number of tokens, with Spearman's rank correlation in each panel."""
    figure, panels = _panels(scores, model_labels, width)
    for axes, part in panels:
        _scatter_by_label(axes, part, "n_tokens", score, size=12)
        axes.set(ylim=(-0.03, 1.45), yticks=np.linspace(0, 1, 5))
        varies = part["n_tokens"].nunique() > 1 and part[score].nunique() > 1
        rho = spearmanr(part["n_tokens"], part[score]).statistic if varies else float("nan")
        annotate_corner(axes, f"rank correlation {rho:.2f}\nn = {len(part)}" if varies else "length does not vary")
    _class_legend(figure)
    figure.supxlabel("prompt length (tokens)", fontsize=8)
    figure.supylabel(plain(score), fontsize=8)
    return figure


def draw_redundancy(
    correlation: pd.DataFrame, redundancy: pd.DataFrame, model_labels: Mapping[str, str], *, width: float
) -> Figure:
    """The rank correlation of every two features, a panel per model, with the counts of independent ones."""
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


def _panels(
    scores: pd.DataFrame, model_labels: Mapping[str, str], width: float
) -> tuple[Figure, list[tuple[Axes, pd.DataFrame]]]:
    """A panel per model (rows) and prompt set (columns), titled, with the rows of `scores` that belong to it."""
    sets = list(scores["prompt_set"].unique())
    width = max(width, 3.3 / len(sets))  # a legend and axis labels need a column
    title = round(14 * width)  # characters that fit a panel's width
    figure, grid = panel_grid(len(model_labels), len(sets), width, 0.75 * width + 0.65)
    panels = []
    for axes_row, (model, label) in zip(grid, model_labels.items(), strict=True):
        for axes, name in zip(axes_row, sets, strict=True):
            axes.set_title(fill(label, title) + "\n" + fill(plain(name), title), fontsize=7)
            panels.append((axes, scores[(scores["model"] == model) & (scores["prompt_set"] == name)]))
    return figure, panels


def _top_features(training: pd.DataFrame, top: int) -> pd.DataFrame:
    """The `top` groups of features of equal order by how far their area under the ROC curve is from chance."""
    others = training["same_order_as"].value_counts() - 1
    first = training[training["feature"] == training["same_order_as"]]
    first = first.assign(separation=(first["auc"] - 0.5).abs()).sort_values(
        "separation", ascending=False, kind="stable"
    )
    first = first.head(top).set_index("feature")
    labels = [f"{plain(name)} (+{others[name]})" if others[name] else plain(name) for name in first.index]
    return first.assign(label=labels)


def _lollipops(axes: Axes, effects: pd.Series) -> None:
    for position, effect in enumerate(effects):
        label = "recall" if effect >= 0 else "reasoning"
        axes.plot([0, effect], [position, position], color=COLOUR[label], lw=1.2)
        axes.plot(effect, position, MARKER[label], color=COLOUR[label], ms=4.5)
    axes.axvline(0, color=COLOUR["neutral"], lw=0.6)
    axes.tick_params(axis="y", length=0)


def _scatter_by_label(axes: Axes, part: pd.DataFrame, x: str, y: str, *, size: float) -> None:
    for label in LABELS:
        points = part[part["label"] == label]
        axes.scatter(points[x], points[y], s=size, c=COLOUR[label], marker=MARKER[label], alpha=0.6, linewidths=0)


def _mean_by_label(part: pd.DataFrame, score: str) -> str:
    means = part.groupby("label")[score].mean()
    return "\n".join(f"mean RDS, {label}: {means[label]:.2f}" for label in LABELS if label in means)


def _class_legend(figure: Figure) -> None:
    handles = [Line2D([], [], ls="", marker=MARKER[label], color=COLOUR[label], ms=4, label=label) for label in LABELS]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)


def _box(axes: Axes, x: float, y: float, width: float, height: float, text: str, colour: str) -> FancyBboxPatch:
    box = FancyBboxPatch(
        (x, y),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=1.2",
        fc=COLOUR[colour] + "22",
        ec=COLOUR[colour],
        lw=0.9,
    )
    axes.add_patch(box)
    axes.text(x + width / 2, y + height / 2, text, ha="center", va="center", fontsize=7, linespacing=1.3)
    return box


def _arrow(axes: Axes, start: FancyBboxPatch, end: FancyBboxPatch) -> None:
    """From the middle of the right edge of one box to the middle of the left edge of another."""
    tail = (start.get_x() + start.get_width(), start.get_y() + start.get_height() / 2)
    head = (end.get_x(), end.get_y() + end.get_height() / 2)
    axes.add_patch(
        FancyArrowPatch(tail, head, arrowstyle="-|>", mutation_scale=8, color=COLOUR["neutral"], shrinkA=1, shrinkB=1)
    )
