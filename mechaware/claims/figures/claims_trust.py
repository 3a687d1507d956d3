"""Which statuses move when the evidence for one criterion is edited, and when nothing that matters is."""

from collections.abc import Mapping
from typing import Annotated

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from mechaware.claims.figures.panels import panel_grid, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.claims.schemas import TRIALS
from mechaware.claims.trust.controls import CEILING
from mechaware.claims.trust.edits import FAMILIES, PLACEBOS
from mechaware.claims.trust.responses import responses
from mechaware.report.style import COLOUR

READS = {"trials": "results/claims/trials/{trusted}.csv"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

CODES = list(CRITERIA)
ELSEWHERE = "another criterion edited"
OWN = [family for family in FAMILIES if family not in PLACEBOS]
COLUMNS = [*OWN, ELSEWHERE, *PLACEBOS]
EXPECTED = LinearSegmentedColormap.from_list("expected", ["white", COLOUR["right"]])
UNWANTED = LinearSegmentedColormap.from_list("unwanted", ["white", COLOUR["wrong"]])


def draw(*, trials: Annotated[pd.DataFrame, TRIALS], judge_labels: Mapping[str, str], width: float) -> Figure:
    """A panel for the ceiling and one for each judge: criteria by edits, planted papers, single runs."""
    planted = trials[trials["source"] == "planted"]
    judges = [CEILING, *(judge for judge in dict.fromkeys(planted["judge"]) if judge in judge_labels)]
    figure, grid = panel_grid(len(judges), width, 5.6, sharey=True)
    for axes, judge in zip(grid, judges, strict=True):
        moves = responses(planted[planted["judge"] == judge])
        _panel(axes, moves[moves["stage"] == "single"])
        axes.set_title(shortened(judge_labels.get(judge, judge), 30))
    handles = [
        Patch(fc=COLOUR["right"], ec="k", label="framed: should move, blue if it did"),
        Patch(fc=COLOUR["wrong"], label="should stay, orange if it moved"),
        Patch(fc=COLOUR["faint"], hatch="////", ec="white", label="could not move"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


def shares(moves: pd.DataFrame) -> tuple[Float[np.ndarray, "criterion edit"], Float[np.ndarray, "criterion edit"]]:
    """Of what should move and could, the share that moved as expected; of what should stay, the share that moved.

    NaN where there is no such response.
    """
    step = np.sign(moves["after"] - moves["before"])
    moves = moves.assign(
        along=step == moves["expected"],
        moved=step != 0,
        could=np.where(moves["expected"] < 0, moves["before"] > 0, moves["before"] < 2),
    )
    targeted = moves[(moves["expected"] != 0) & moves["could"]]
    others = moves[moves["expected"] == 0]
    elsewhere = others[others["edit"].isin(["toggled", "inserted"])].assign(edit=ELSEWHERE)
    others = pd.concat([others[~others["edit"].isin(["toggled", "inserted"])], elsewhere])
    return _pivot(targeted, "along"), _pivot(others, "moved")


def _pivot(moves: pd.DataFrame, column: str) -> Float[np.ndarray, "criterion edit"]:
    means = moves.groupby(["criterion", "edit"])[column].mean().unstack().reindex(index=CODES, columns=COLUMNS)
    return np.asarray(means.to_numpy(float))


def _panel(axes: Axes, moves: pd.DataFrame) -> None:
    as_expected, unwanted = shares(moves)
    targets = moves[moves["expected"] != 0].groupby(["criterion", "edit"]).size()
    axes.set_facecolor("white")
    axes.imshow(np.ma.masked_invalid(unwanted), cmap=UNWANTED, vmin=0, vmax=1, aspect="auto")
    for code, edit in targets.index:
        x, y = COLUMNS.index(edit), CODES.index(code)
        share = as_expected[y, x]
        fill = {"fc": EXPECTED(share)} if not np.isnan(share) else {"fc": COLOUR["faint"], "hatch": "////"}
        axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, ec="white", lw=0, **fill))
        axes.add_patch(Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, ec="k", lw=0.5))
    for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.axvline(len(OWN) - 0.5, color=COLOUR["neutral"], lw=0.8)
    names = [FAMILIES.get(column, column) for column in COLUMNS]
    axes.set_xticks(range(len(COLUMNS)), names, rotation=90, fontsize=6)
    axes.set_yticks(range(len(CODES)), [f"{code} {name}" for code, name in CRITERIA.items()])
    axes.tick_params(length=0)
