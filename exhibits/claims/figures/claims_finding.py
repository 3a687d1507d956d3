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

# The constant answers with which a judge is compared: label and marker, by the column of `planted`.
RIVALS = {"always_no": ("always NO", "s"), "always_yes": ("always YES", "D")}
# The panels on the right, shares of statuses after edits: their titles, by the column of `trust`.
PANELS = {"moved": "changed with\nthe evidence", "stayed": "unchanged with\nother edits"}
MAX_NAME = 32  # characters of a judge's label beside its row


def draw(
    *,
    planted: Annotated[pd.DataFrame, PLANTED],
    trust: Annotated[pd.DataFrame, TRUST],
    judge_labels: Mapping[str, str],
    width: float,
) -> Figure:
    """Left, each judge after vote and audit against the same answer throughout; right, single runs
    on edited papers.

    The left panel compares a judge with the constant answers `RIVALS`. The two panels on the right
    leave out a judge if every targeted status was already at the end of the scale to which it
    should move (`could` is 0).
    """
    after_audit = (planted["stage"] == "audited") & (planted["criterion"] == "")
    tested = planted[after_audit & (planted["n"] > 0)].reset_index(drop=True)
    edited = trust[trust["could"] > 0].reset_index(drop=True)
    n_rows = max(len(edited), (1 + len(RIVALS)) * len(tested))
    # In inches: 0.85 for titles and axes, and 0.19 for each row.
    height = 0.85 + 0.19 * n_rows
    figure = plt.figure(figsize=(width, height))
    grid = figure.add_gridspec(1, 3, width_ratios=(1.2, 1, 1))
    _draw_right_criteria(figure.add_subplot(grid[0]), tested, judge_labels)

    names = [_name(judge, judge_labels) for judge in edited["judge"]]
    moved = figure.add_subplot(grid[1])
    stayed = figure.add_subplot(grid[2], sharey=moved)
    for axes, (share, title) in zip((moved, stayed), PANELS.items(), strict=True):
        _draw_moves(axes, edited, share, judge_labels)
        axes.set(title=title, xlabel="statuses (%)")
        name_rows(axes, names)
    stayed.tick_params(labelleft=False)
    return figure


def _name(judge: str, judge_labels: Mapping[str, str]) -> str:
    """The label of a judge, or the name of a control; the control `CEILING` is named in words."""
    if judge == CEILING:
        return "knows the truth"
    return shortened(judge_labels.get(judge, judge), MAX_NAME)


def _draw_right_criteria(axes: Axes, tested: pd.DataFrame, judge_labels: Mapping[str, str]) -> None:
    """Three rows for each judge: its share of right criteria with an interval, then the shares of
    the two constant answers on the criteria of the same claims.
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
    """A row per judge: the share in the column `share`, with its interval.

    The controls, whose answers follow a rule, are grey.
    """
    percents = 100 * edited[[share, f"{share}_low", f"{share}_high"]].astype(float)
    is_judge = edited["judge"].isin(list(judge_labels)).to_numpy()
    for chosen, colour, marker in (
        (is_judge, COLOUR["right"], "o"),
        (~is_judge, COLOUR["neutral"], "s"),
    ):
        places = np.flatnonzero(chosen)
        draw_shares(axes, percents[chosen], places, colour=colour, marker=marker)
    axes.set(xlim=(-3, 103), xticks=(0, 50, 100))
