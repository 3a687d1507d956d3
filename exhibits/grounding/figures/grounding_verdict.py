"""Rules against truth: the share of pairs that pass each set of rules,
in controls of known mechanism and in models.
"""

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
# What a wrong verdict on a control is. `0 wrong` next to an empty bar would read as no mistake.
MISTAKES = {"grounded": "missed", "shortcut": "false alarm"}
MIN_LENGTH = 0.6  # of a bar, in percent: a share of 0 is still a mark
# R1 to R3 as the paper's method reads, and with a signed gap and the embedding as a layer.
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

    The bar of a training condition is the mean over its seeds, which are dots. The drawn controls
    that were held out are in the titles: how well the share of passing pairs tells controls that
    ground from the others.
    """
    rows = _rows(verdict)
    held_out = drawn[drawn["half"] == "held_out"].set_index("rules")
    figure, grid = plt.subplots(
        1, len(PANELS), figsize=(width, 0.15 * len(rows) + 1.0), sharex=True, sharey=True
    )
    for axes, (rule_set, label) in zip(grid, PANELS.items(), strict=True):
        area, low, high = held_out.loc[rule_set, ["auroc", "low", "high"]]
        drawn_controls = f"drawn: AUROC {area:.2f}\n({low:.2f} to {high:.2f})"
        axes.set_title(f"{label}\n{drawn_controls}", fontsize=7)
        for place, (_, part) in enumerate(rows):
            if part is not None:
                _draw_row(axes, place, part, rule_set, 100 * verdict_share)
        axes.axvline(100 * verdict_share, color=COLOUR["neutral"], lw=0.8, ls=":", zorder=0)
        axes.set(xlim=(0, 170), xticks=(0, 50, 100))
    name_rows(grid[0], [name for name, _ in rows])
    for tick, (_, part) in zip(grid[0].get_yticklabels(), rows, strict=True):
        tick.set_fontweight("bold" if part is None else "normal")
    for axes in grid[1:]:
        axes.tick_params(axis="y", length=0)
    figure.supxlabel("pairs that pass, beyond a guess by position alone (%)", fontsize=8)
    return figure


def _rows(verdict: pd.DataFrame) -> list[tuple[str, pd.DataFrame | None]]:
    """Name and runs of each row from the top; a heading has no runs."""
    rows: list[tuple[str, pd.DataFrame | None]] = []
    for group, heading in HEADINGS.items():
        groups = ("trained", BASE, "pretrained") if group == "other" else (group,)
        part = verdict[verdict["group"].isin(groups)]
        if part.empty:
            continue
        rows.append((heading, None))
        for name, runs in part.groupby(part["run"].map(_name_without_seed), sort=False):
            rows.append((str(name), runs))
    return rows


def _name_without_seed(run: str) -> str:
    """The name of a run's row, which the seeds of a training condition share."""
    return LABELS.get(condition_of(run), run_label(run).split(", seed ")[0])


def _draw_row(axes: Axes, place: int, part: pd.DataFrame, rule_set: str, cut: float) -> None:
    """The bar of one control or model, a dot per seed, and its share next to it;
    the line at `cut` crosses no words.
    """
    shares = 100 * part[f"{rule_set}_corrected"].clip(lower=0)
    share = shares.mean()
    group = part["group"].iloc[0]
    is_known = group in ("grounded", "shortcut")
    is_wrong = is_known and part[f"{rule_set}_verdict"].iloc[0] != (group == "grounded")
    colour = COLOUR["faint"]
    if is_known:
        colour = COLOUR["wrong" if is_wrong else "right"]

    axes.barh(place, max(share, MIN_LENGTH), 0.7, color=colour)
    if len(part) > 1:
        axes.plot(shares, [place] * len(part), "o", color=COLOUR["neutral"], ms=2.5)

    end = max(shares.max(), share)
    if is_wrong:
        end = max(end, cut)
        name_line(axes, end, place, f"{MISTAKES[group]}: {share:.0f}%", colour=COLOUR["wrong"])
    else:
        name_line(axes, end, place, f"{share:.0f}%")
