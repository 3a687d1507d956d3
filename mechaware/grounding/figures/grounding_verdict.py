"""Rules against truth: the share of pairs that pass each set of rules, in controls of known mechanism and in models."""

from typing import Annotated

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mechaware.grounding.figures.style import LABELS
from mechaware.grounding.names import condition_of, run_label
from mechaware.grounding.rules.listed import RULE_SETS
from mechaware.grounding.schemas import VERDICT
from mechaware.report.style import COLOUR

READS = {"verdict": "results/grounding/verdict.csv"}
CONFIG = {"verdict_share": "grounding/verdict_share"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

HEADINGS = {"grounded": "controls that ground", "shortcut": "controls that do not", "other": "models"}


def draw(*, verdict: Annotated[pd.DataFrame, VERDICT], verdict_share: float, width: float) -> Figure:
    """A panel per set of rules, a row per control and model; a control's colour says whether it is judged rightly.

    The bar of a training condition is the mean over its seeds, which are dots.
    """
    rows = _rows(verdict)
    figure, grid = plt.subplots(1, len(RULE_SETS), figsize=(width, 0.19 * len(rows) + 0.75), sharex=True, sharey=True)
    for axes, (rule_set, label) in zip(grid, RULE_SETS.items(), strict=True):
        controls = verdict[verdict["group"].isin(["grounded", "shortcut"])]
        right = (controls[f"{rule_set}_verdict"] == (controls["group"] == "grounded")).sum()
        axes.set_title(f"{label}: {right} of {len(controls)} controls right", fontweight="bold")
        for height, (_, heading, part) in enumerate(reversed(rows)):
            if part is not None:
                _draw_row(axes, height, part, rule_set)
            elif rule_set == next(iter(RULE_SETS)):
                axes.annotate(
                    heading,
                    (-1, height),
                    fontsize=7,
                    fontweight="bold",
                    ha="right",
                    va="center",
                    annotation_clip=False,
                )
        axes.axvline(100 * verdict_share, color=COLOUR["neutral"], lw=0.8, ls=":", zorder=0)
        axes.set(xlim=(0, 104), xlabel="pairs that pass (%)", ylim=(-0.6, len(rows) - 0.4))
    names = ["" if part is None else name for name, _, part in reversed(rows)]
    grid[0].set_yticks(range(len(rows)), names)
    for axes in grid:
        axes.tick_params(axis="y", length=0)
    figure.legend(
        handles=[
            Patch(color=COLOUR[key], label=label)
            for key, label in (("right", "judged rightly"), ("wrong", "judged wrongly"), ("faint", "truth unknown"))
        ],
        loc="outside lower center",
        ncols=3,
    )
    return figure


def _rows(verdict: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame | None]]:
    """Name, heading and runs of each row from the top; a heading has no runs."""
    rows: list[tuple[str, str, pd.DataFrame | None]] = []
    for group, heading in HEADINGS.items():
        in_group = ~verdict["group"].isin(list(HEADINGS)) if group == "other" else verdict["group"] == group
        part = verdict[in_group]
        if part.empty:
            continue
        rows.append(("", heading, None))
        names = [LABELS.get(condition_of(run), run_label(run)) for run in part["run"]]
        rows.extend((str(name), heading, runs) for name, runs in part.groupby(pd.Series(names, part.index), sort=False))
    return rows


def _draw_row(axes: Axes, height: int, part: pd.DataFrame, rule_set: str) -> None:
    """The bar of one control or model, its share beside it, and a dot per seed."""
    share = 100 * part[rule_set].mean()
    group = part["group"].iloc[0]
    colour = COLOUR["faint"]
    if group in ("grounded", "shortcut"):
        colour = COLOUR["right" if part[f"{rule_set}_verdict"].iloc[0] == (group == "grounded") else "wrong"]
    axes.barh(height, max(share, 0.6), 0.7, color=colour)
    if len(part) > 1:
        axes.plot(100 * part[rule_set], [height] * len(part), "o", color=COLOUR["neutral"], ms=2.5)
    beyond = max(100 * part[rule_set].max(), share) + 1.5
    inside = beyond > 90
    text_colour = {COLOUR["faint"]: "black"}.get(colour, "white" if inside else colour)
    axes.annotate(
        f"{share:.0f}",
        (share - 1.5 if inside else beyond, height),
        ha="right" if inside else "left",
        va="center",
        fontsize=6.5,
        color=text_colour,
    )
