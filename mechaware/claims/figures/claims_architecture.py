"""The claim-validity paper's Figure 1: the way from a paper to its evidence tier."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mechaware.claims.figures.panels import TIER_COLOUR, TOP_CVS, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE, TIERS
from mechaware.report.diagram import arrow, rounded_box
from mechaware.report.style import COLOUR

CONFIG = {"runs": "claims/runs"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

SHOWN_RUNS, SHOWN_JUDGES = 4, 3
INPUT, JUDGE, DEBIASING = "#0072B2", "#D55E00", "#009E73"  # input, a judge's statuses, what is computed from them


def draw(*, judge_labels: Mapping[str, str], runs: int, width: float) -> Figure:
    """Sources, text, `runs` extractions by each of the judges, vote, audit, scores and tiers."""
    figure, axes = plt.subplots(figsize=(width, 0.54 * width))
    axes.set(xlim=(0, 100), ylim=(0, 54))
    axes.axis("off")
    weights = "\n".join(f"{dimension.name} ({dimension.weight:g})" for dimension in DIMENSIONS)
    _box(axes, (1, 34, 17, 18), "sources", "arXiv, OpenReview,\nPDF or web address,\nlocal file", INPUT)
    _box(axes, (23, 34, 19, 18), "text", "of PDF or HTML;\nhidden text taken out,\nmissing variance\nflagged", INPUT)
    _box(axes, (1, 22, 17, 8), "planted papers", "with a known truth", INPUT)
    _box(axes, (23, 19, 19, 11), "judges", _listed(list(judge_labels.values())), JUDGE)
    least = "claims matched across\nthe runs; the least status\nof each criterion"
    _box(axes, (77, 34, 22, 18), "minimum vote", least, DEBIASING)
    without = f"without the paper's text;\ncomponent claims only:\n{', '.join(LEAK_PRONE)}\nmay fall to NO"
    _box(axes, (77, 4, 22, 20), "leak audit", without, DEBIASING)
    _box(axes, (48, 4, 22, 20), "weighted scores", weights, DEBIASING)
    arrow(axes, (18, 43), (23, 43))
    arrow(axes, (9.5, 30), (9.5, 34))
    for height in _extractions(axes, runs):
        arrow(axes, (42, 43 + 0.3 * (height - 43)), (48, height))
        arrow(axes, (70, height), (77, 43 + 0.3 * (height - 43)))
    arrow(axes, (42, 27.5), (59, 33.5), bend="angle,angleA=0,angleB=90,rad=3")
    arrow(axes, (88, 34), (88, 24))
    arrow(axes, (77, 14), (70, 14))
    arrow(axes, (48, 8), (43, 8))
    arrow(axes, (9.5, 22), (48, 16.2), bend="angle,angleA=-90,angleB=180,rad=3", dashed=True)
    axes.text(29, 17.4, "truth beside the scores", ha="center", va="center", fontsize=6.5, color=COLOUR["neutral"])
    _tiers(axes, left=2.0, right=42.5, bottom=6.0, top=10.0)
    return figure


def _extractions(axes: Axes, runs: int) -> list[float]:
    """Draw a box for each run under a common heading; return the heights of their middles."""
    axes.text(59, 51, f"{runs} independent extractions", ha="center", va="center", fontsize=7, fontweight="bold")
    names = [f"run {run}" for run in range(runs)]
    if runs > SHOWN_RUNS:
        names = [*names[: SHOWN_RUNS - 2], "…", names[-1]]
    step = 15.5 / len(names)
    heights = [49.5 - step * (row + 0.5) for row in range(len(names))]
    for name, height in zip(names, heights, strict=True):
        rounded_box(axes, (48, height - 0.42 * step), 22, 0.84 * step, colour=JUDGE, rounding=0.8)
        text = name if name == "…" else f"{name}: {len(CRITERIA)} criteria a claim"
        axes.text(59, height, text, ha="center", va="center", fontsize=6.5)
    return heights


def _listed(judges: Sequence[str]) -> str:
    names = [shortened(name, 28) for name in judges]
    rest = [f"and {len(names) - SHOWN_JUDGES + 1} more"] if len(names) > SHOWN_JUDGES else []
    return "\n".join([*(names[: SHOWN_JUDGES - 1] if rest else names), *rest])


def _tiers(axes: Axes, *, left: float, right: float, bottom: float, top: float) -> None:
    """Draw the tiers as a strip from weak to strong, with the scores between them."""
    axes.text((left + right) / 2, top + 2, "evidence tier", ha="center", va="center", fontsize=7, fontweight="bold")
    bounds = [*(tier.boundary for tier in TIERS), TOP_CVS]
    scale = (right - left) / TOP_CVS
    for tier, low, high, colour in zip(TIERS, bounds, bounds[1:], TIER_COLOUR, strict=False):
        x, width = left + low * scale, (high - low) * scale
        axes.add_patch(Rectangle((x, bottom), width, top - bottom, fc=colour, ec="white", lw=0.8))
        ink = "white" if colour in TIER_COLOUR[-2:] else "black"
        name = tier.name.replace(" ", "\n").replace("Mechanistically", "Mechan.")
        axes.text(x + width / 2, (bottom + top) / 2, name, ha="center", va="center", fontsize=6, color=ink)
    for bound in bounds:
        axes.text(left + bound * scale, bottom - 1.2, f"{bound:g}", ha="center", va="center", fontsize=6)


def _box(axes: Axes, corner_and_size: tuple[int, int, int, int], title: str, text: str, colour: str) -> None:
    """A box at left, bottom, width and height, with a heading above its text."""
    x, y, width, height = corner_and_size
    rounded_box(axes, (x, y), width, height, colour=colour, rounding=1)
    line, lines = 2.1, text.count("\n") + 1
    middle = y + height / 2
    axes.text(
        x + width / 2, middle + 0.55 * line * lines, title, ha="center", va="center", fontsize=7, fontweight="bold"
    )
    axes.text(x + width / 2, middle - 0.6 * line, text, ha="center", va="center", fontsize=6.5, linespacing=1.25)
