"""How far each judge reads: criteria that it gets right,
and statuses that move with their evidence and only then.
"""

from collections.abc import Mapping
from typing import Annotated

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from exhibits.claims.figures.panels import draw_shares, shortened
from exhibits.claims.schemas import PLANTED, TRUST
from exhibits.report.charts import name_rows
from exhibits.report.style import COLOUR
from mechaware.verdicts.trust.controls import CEILING

READS = {"planted": "results/tables/claims_planted.csv", "trust": "results/tables/claims_trust.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

# Constant answers, with which a judge is compared: label and marker.
RIVALS = {"always_no": ("always NO", "s"), "always_yes": ("always YES", "D")}
# The shares of statuses after edits, by their column in the table, with their titles.
PANELS = {"moved": "changed with\nthe evidence", "stayed": "unchanged with\nother edits"}


def draw(
    *,
    planted: Annotated[pd.DataFrame, PLANTED],
    trust: Annotated[pd.DataFrame, TRUST],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """Left, each judge after vote and audit against the same answer throughout; right, single runs
    on edited papers.

    The panels on the right leave out a judge if none of the targeted statuses could move.
    """
    after_audit = (planted["stage"] == "audited") & (planted["criterion"] == "")
    tested = planted[after_audit & (planted["n"] > 0)].reset_index(drop=True)
    edited = trust[trust["could"] > 0].reset_index(drop=True)
    rows = max(len(edited), (1 + len(RIVALS)) * len(tested))
    height = 0.85 + 0.19 * rows  # inches, for titles and axes, and for each row
    figure = plt.figure(figsize=(width, height))
    grid = figure.add_gridspec(1, 3, width_ratios=(1.2, 1, 1))
    _draw_right(figure.add_subplot(grid[0]), tested, judge_labels)
    first: Axes | None = None
    for number, (share, title) in enumerate(PANELS.items()):
        axes = figure.add_subplot(grid[number + 1], sharey=first)
        _draw_moves(axes, edited, share, judge_labels)
        axes.set(title=title, xlabel="statuses (%)")
        axes.tick_params(labelleft=first is None)
        first = first or axes
        name_rows(axes, [_name(judge, judge_labels) for judge in edited["judge"]])
    return figure


def _name(judge: str, judge_labels: Mapping[str, str]) -> str:
    """The label of a judge or of a control."""
    if judge == CEILING:
        return "knows the truth"
    return shortened(judge_labels.get(judge, judge), 32)


def _draw_right(axes: Axes, tested: pd.DataFrame, judge_labels: Mapping[str, str]) -> None:
    """Rows for each judge: its share of right criteria with an interval, then the shares of its
    rivals.

    The rivals are constant answers on the criteria of the same claims.
    """
    places = (1 + len(RIVALS)) * np.arange(len(tested))
    percents = 100 * tested[["exact", "exact_low", "exact_high", *RIVALS]].astype(float)
    draw_shares(axes, percents[["exact", "exact_low", "exact_high"]], places)
    for number, (rival, (_, marker)) in enumerate(RIVALS.items(), start=1):
        axes.plot(percents[rival], places + number, marker, color=COLOUR["neutral"], ms=4.5, mew=0)

    rows = []
    for judge, found in zip(tested["judge"], tested["found_claims"].astype(int), strict=True):
        rows.append(f"{_name(judge, judge_labels)}, {found} claims")
        rows += [label for label, _ in RIVALS.values()]
    name_rows(axes, rows)
    for boundary in places[1:]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.set(title="criteria right", xlabel="criteria (%)", xlim=(0, 100))


def _draw_moves(
    axes: Axes, edited: pd.DataFrame, share: str, judge_labels: Mapping[str, str]
) -> None:
    """A row per judge; controls have a known trust and are grey."""
    percents = 100 * edited[[share, f"{share}_low", f"{share}_high"]].astype(float)
    ours = edited["judge"].isin(list(judge_labels)).to_numpy()
    for chosen, colour, marker in ((ours, COLOUR["right"], "o"), (~ours, COLOUR["neutral"], "s")):
        draw_shares(axes, percents[chosen], np.flatnonzero(chosen), colour=colour, marker=marker)
    axes.set(xlim=(-3, 103), xticks=(0, 50, 100))
