"""Rules against truth: the share of pairs that pass each set of rules,
in controls of known mechanism and in models.
"""

from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.grounding.figures.style import LABELS
from exhibits.report.charts import name_line, name_rows
from exhibits.report.style import COLOUR
from mechaware.instruments.grounding.names import BASE, condition_of
from mechaware.instruments.grounding.rules.registry import RULE_SETS, VARIANTS
from mechaware.planted.sql.runs import run_label

READS = {"verdict": "results/grounding/verdict.parquet", "drawn": "results/grounding/drawn.parquet"}
CONFIG = {"verdict_share": "grounding/verdict_share"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

HEADINGS = {
    "grounded": "controls that ground their answer: should pass",
    "shortcut": "controls that do not: should fail",
    "other": "models: unknown",
}
# The name of a wrong verdict, by the control's group. It is written before the share: "missed: 0%",
# because "0% wrong" next to an empty bar would read as no mistake.
MISTAKES = {"grounded": "missed", "shortcut": "false alarm"}
# The length of the shortest bar, in percent: a share of 0 is still visible.
MIN_LENGTH = 0.6
# Shares end at 100; the rest of the x axis is room for the words right of a bar.
X_LIMITS = (0, 170)
# The sets of rules by panel: the paper's, first with the size of the gap and patches after blocks
# only, as its method has them, then with a signed gap and the embedding as a layer; and ours.
PANELS = {
    "paper": f"{RULE_SETS['paper']}, after a block",
    "paper_both": VARIANTS["paper_both"].label,
    "grounded": RULE_SETS["grounded"],
}


def draw(
    *, verdict: pd.DataFrame, drawn: pd.DataFrame, verdict_share: float, width: float
) -> Figure:
    """A panel per set of rules, a row per chosen control and model; a wrong verdict on a control is
    orange and named.

    A bar is the share of passing pairs in percent, corrected for the best shortcut and at least 0.
    For a training condition, or the base model, it is the mean over the seeds, which are dots. The
    dotted line is at `verdict_share`, the least corrected share with which a run counts as
    grounded.

    A title has an AUROC on the controls that were drawn at random and held out: how well the
    share of passing pairs separates those that ground from the others.
    """
    rows = _rows(verdict)
    held_out = drawn[drawn["half"] == "held_out"].set_index("rules")
    figure, grid = plt.subplots(
        1, len(PANELS), figsize=(width, 0.15 * len(rows) + 1.0), sharex=True, sharey=True
    )
    for axes, (rule_set, label) in zip(grid, PANELS.items(), strict=True):
        auroc, low, high = held_out.loc[rule_set, ["auroc", "low", "high"]]
        drawn_controls = f"drawn: AUROC {auroc:.2f}\n({low:.2f} to {high:.2f})"
        axes.set_title(f"{label}\n{drawn_controls}", fontsize=7)
        for place, row in enumerate(rows):
            if row.runs is not None:
                _draw_row(axes, place, row.runs, rule_set, 100 * verdict_share)
        axes.axvline(100 * verdict_share, color=COLOUR["neutral"], lw=0.8, ls=":", zorder=0)
        axes.set(xlim=X_LIMITS, xticks=(0, 50, 100))
    name_rows(grid[0], [row.name for row in rows])
    for tick, row in zip(grid[0].get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if row.runs is None else "normal")
    for axes in grid[1:]:
        axes.tick_params(axis="y", length=0)
    figure.supxlabel("pairs that pass, beyond a guess by position alone (%)", fontsize=8)
    return figure


class _Row(NamedTuple):
    """A row of all panels: its name, and the rows of `verdict` it shows; None for a heading."""

    name: str
    runs: pd.DataFrame | None


def _rows(verdict: pd.DataFrame) -> list[_Row]:
    """The rows from the top: below each heading its controls or models.

    The seeds of a training condition share a row, and so do the seeds of the base model. A heading
    without runs is left out, and so are the drawn controls.
    """
    rows: list[_Row] = []
    for group, heading in HEADINGS.items():
        groups = ("trained", BASE, "pretrained") if group == "other" else (group,)
        under_heading = verdict[verdict["group"].isin(groups)]
        if under_heading.empty:
            continue
        rows.append(_Row(heading, None))
        names = under_heading["run"].map(_name_without_seed)
        for name, runs in under_heading.groupby(names, sort=False):
            rows.append(_Row(str(name), runs))
    return rows


def _name_without_seed(run: str) -> str:
    """The name of a run's row, which the seeds of a training condition share."""
    return LABELS.get(condition_of(run), run_label(run).split(", seed ")[0])


def _draw_row(axes: Axes, place: int, runs: pd.DataFrame, rule_set: str, cut: float) -> None:
    """The bar of one control or model at the height `place`, and its share right of it.

    Several runs are the seeds of a training condition or of the base model, with a dot for each.
    `cut` is the verdict's share in percent, where the dotted line is. A text is to the right of the
    bar and the dots; the words for a mistake are also to the right of the line, which would cross
    them.
    """
    shares = 100 * runs[f"{rule_set}_corrected"].clip(lower=0)
    share = shares.mean()
    group = runs["group"].iloc[0]
    is_known = group in ("grounded", "shortcut")
    is_wrong = is_known and runs[f"{rule_set}_verdict"].iloc[0] != (group == "grounded")
    colour = COLOUR["faint"]
    if is_known:
        colour = COLOUR["wrong" if is_wrong else "right"]

    axes.barh(place, max(share, MIN_LENGTH), 0.7, color=colour)
    if len(runs) > 1:
        axes.plot(shares, [place] * len(runs), "o", color=COLOUR["neutral"], ms=2.5)

    end = max(shares.max(), share)
    if is_wrong:
        end = max(end, cut)
        name_line(axes, end, place, f"{MISTAKES[group]}: {share:.0f}%", colour=COLOUR["wrong"])
    else:
        name_line(axes, end, place, f"{share:.0f}%")
