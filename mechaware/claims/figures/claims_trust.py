"""Which statuses move when the evidence for one criterion is edited, and when nothing that matters is."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mechaware.claims.figures.panels import panel_grid, shortened
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.claims.trust.edits import FAMILIES, PLACEBOS
from mechaware.claims.trust.responses import judged_statuses, responses
from mechaware.claims.trust.trials import CEILING
from mechaware.claims.trust.verdicts import edited_texts
from mechaware.report.style import COLOUR

READS = {"trials": "results/claims/trials/{trusted}.parquet"}
SETTINGS = {"width": {"default": 7.0, "$ref": "#/$defs/width"}}

CODES = list(CRITERIA)
SAME, ELSEWHERE = "the other claim edited", "another criterion edited"
OWN = [family for family in FAMILIES if family not in PLACEBOS]
COLUMNS = [*OWN, SAME, ELSEWHERE, *PLACEBOS]
FEW = 6  # claims: with fewer no share is told from one half
EXPECTED = LinearSegmentedColormap.from_list("expected", ["white", COLOUR["right"]])
UNWANTED = LinearSegmentedColormap.from_list("unwanted", ["white", COLOUR["wrong"]])


class _Cells(NamedTuple):
    """Arrays of criterion by column of the figure, NaN where there is no such response.

    `along` is the share of what should move that moved as expected, `claims` the number of claims that it comes from,
    `unwanted` the share of what should stay that moved.
    """

    along: Float[np.ndarray, "criterion edit"]
    claims: Float[np.ndarray, "criterion edit"]
    unwanted: Float[np.ndarray, "criterion edit"]


def draw(*, trials: pd.DataFrame, judge_labels: Mapping[str, str], width: float) -> Figure:
    """A panel for the ceiling and one for each judge: criteria by edits."""
    judges = [CEILING, *(judge for judge in dict.fromkeys(trials["judge"]) if judge in judge_labels)]
    figure, grid = panel_grid(len(judges), width, 5.8, sharey=True)
    for axes, judge in zip(grid, judges, strict=True):
        judged = trials[trials["judge"] == judge]
        _panel(axes, cells(responses(judged_statuses(judged))))
        title = shortened(judge_labels.get(judge, judge), 30)
        asked = f"{_counted(edited_texts(judged), 'edit')} of {_counted(judged['paper'].nunique(), 'paper')}"
        axes.set_title(f"{title}\n{asked}", fontsize=8)
    _scales(figure, grid)
    return figure


def cells(moves: pd.DataFrame) -> _Cells:
    """What the figure shows of one judge's responses."""
    step = np.sign(moves["after"] - moves["before"])
    moves = moves.assign(along=step == moves["expected"], moved=step != 0)
    targeted = moves[moves["expected"] != 0]
    others = moves[moves["expected"] == 0]
    placebo = others["edit"].isin(PLACEBOS)
    beside = others["about"] == others["criterion"]
    others = others.assign(edit=np.where(placebo, others["edit"], np.where(beside, SAME, ELSEWHERE)))
    claims = targeted.drop_duplicates(["paper", "claim", "criterion", "edit"]).assign(one=1)
    return _Cells(
        along=_table(targeted.groupby(["criterion", "edit"])["along"].mean()),
        claims=_table(claims.groupby(["criterion", "edit"])["one"].sum()),
        unwanted=_table(others.groupby(["criterion", "edit"])["moved"].mean()),
    )


def _table(values: pd.Series) -> Float[np.ndarray, "criterion edit"]:
    return np.asarray(values.unstack().reindex(index=CODES, columns=COLUMNS).to_numpy(float))


def _panel(axes: Axes, shown: _Cells) -> None:
    axes.set_facecolor("white")
    axes.imshow(np.ma.masked_invalid(shown.unwanted), cmap=UNWANTED, vmin=0, vmax=1, aspect="auto")
    for y, x in np.argwhere(~np.isnan(shown.along)):
        _framed(axes, x, y, float(shown.along[y, x]), int(shown.claims[y, x]))
    for boundary in np.cumsum([len(dimension.criteria) for dimension in DIMENSIONS])[:-1]:
        axes.axhline(boundary - 0.5, color=COLOUR["faint"], lw=0.6)
    axes.axvline(len(OWN) - 0.5, color=COLOUR["neutral"], lw=0.8)
    names = [FAMILIES.get(column, column) for column in COLUMNS]
    axes.set_xticks(range(len(COLUMNS)), names, rotation=90, fontsize=6)
    axes.set_yticks(range(len(CODES)), [f"{code} {name}" for code, name in CRITERIA.items()])
    axes.tick_params(length=0)


def _framed(axes: Axes, x: int, y: int, share: float, claims: int) -> None:
    """A cell that should move, with the number of claims behind it; grey where they are few."""
    few = claims < FEW
    frame, width = (COLOUR["neutral"], 0.3) if few else ("k", 0.6)
    fill = COLOUR["faint"] if few else EXPECTED(share)
    axes.add_patch(Rectangle((x - 0.44, y - 0.44), 0.88, 0.88, fc=fill, ec=frame, lw=width))
    if few:  # a smaller square has the share
        axes.add_patch(Rectangle((x - 0.28, y - 0.3), 0.56, 0.6, fc=EXPECTED(share), ec="none"))
    axes.text(x, y, str(claims), ha="center", va="center", fontsize=4.5, color="white" if share > 0.6 else "k")


def _scales(figure: Figure, grid: Sequence[Axes]) -> None:
    scales: list[tuple[Colormap, str]] = [
        (EXPECTED, f"framed, should move: share that moved as expected (number: claims; grey: fewer than {FEW})"),
        (UNWANTED, "should stay: share that moved"),
    ]
    for colours, label in scales:
        bar = figure.colorbar(
            ScalarMappable(cmap=colours), ax=list(grid), location="bottom", shrink=0.5, aspect=50, pad=0.01
        )
        bar.set_label(label, fontsize=6.5)
        bar.ax.tick_params(labelsize=6, length=2)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
