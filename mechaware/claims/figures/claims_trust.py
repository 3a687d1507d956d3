"""Which statuses move when the evidence for one criterion is edited, and when nothing that matters is."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mechaware.claims.figures.panels import panel_grid, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.claims.schemas import TRIALS
from mechaware.claims.trust.controls import CEILING
from mechaware.claims.trust.edits import FAMILIES, PLACEBOS
from mechaware.claims.trust.responses import responses
from mechaware.report.charts import draw_heat_map, frame_cell
from mechaware.report.style import COLOUR

READS = {"trials": "results/claims/trials/{trusted}.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

CODES = list(CRITERIA)
ELSEWHERE = "another criterion edited"
OWN = [family for family in FAMILIES if family not in PLACEBOS]
COLUMNS = [*OWN, ELSEWHERE, *PLACEBOS]


def draw(*, trials: Annotated[pd.DataFrame, TRIALS], judge_labels: Mapping[str, str], width: float) -> Figure:
    """A panel for the ceiling and one for each judge with a status that moved: criteria by edits, single runs."""
    planted = trials[trials["source"] == "planted"]
    panels = {}
    for judge in (CEILING, *judge_labels):
        moves = responses(planted[planted["judge"] == judge])
        moves = moves[moves["stage"] == "single"]
        if (moves["after"] != moves["before"]).any():
            panels[judge] = moves
    figure, grid = panel_grid(max(len(panels), 1), width, 5.6, sharey=True)
    for axes, (judge, moves) in zip(grid, panels.items(), strict=False):
        _draw_shares(axes, moves)
        axes.set_title(shortened(judge_labels.get(judge, f"{judge}: knows the truth"), 34))
    if panels:
        bar = figure.colorbar(grid[0].collections[0], ax=list(grid), fraction=0.03, pad=0.01, aspect=40)
        bar.set_label("statuses that moved (%): framed cells should be dark, all others white")
    return figure


def shares(moves: pd.DataFrame) -> pd.DataFrame:
    """Percent of statuses that moved, by criterion and edit; where one should move and could, that moved as expected.

    NaN where no status could move as expected, or there is none.
    """
    step = np.sign(moves["after"] - moves["before"])
    could = np.where(moves["expected"] < 0, moves["before"] > 0, moves["before"] < 2)
    targeted = moves["expected"] != 0
    of_another = ~targeted & moves["edit"].isin(["toggled", "inserted"])
    moves = moves.assign(
        moved=np.where(targeted, step == moves["expected"], step != 0),
        edit=moves["edit"].mask(of_another, ELSEWHERE),
        targeted=targeted,
    )
    known = moves[~targeted | could]
    aimed = known.groupby(["criterion", "edit"])["targeted"].transform("any")
    table = known[known["targeted"] | ~aimed].groupby(["criterion", "edit"])["moved"].mean().unstack()
    return 100 * table.reindex(index=CODES, columns=COLUMNS)


def _draw_shares(axes: Axes, moves: pd.DataFrame) -> None:
    """The heat map, with frames around what should move; grey cells could not."""
    draw_heat_map(axes, shares(moves), xticklabels=True, yticklabels=True)
    for code, edit in moves.loc[moves["expected"] != 0, ["criterion", "edit"]].drop_duplicates().to_numpy():
        frame_cell(axes, COLUMNS.index(edit), CODES.index(code))
    axes.set_facecolor(COLOUR["faint"])
    for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
        axes.axhline(boundary, color=COLOUR["neutral"], lw=0.6)
    axes.axvline(len(OWN), color=COLOUR["neutral"], lw=0.8)
    axes.set_xticklabels([FAMILIES.get(column, column) for column in COLUMNS], rotation=90)
    axes.set_yticklabels([f"{code} {name}" for code, name in CRITERIA.items()], rotation=0)
