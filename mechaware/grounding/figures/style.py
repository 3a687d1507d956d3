"""What the grounding study's figures share: the labels of conditions and groups of runs, and their legend."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter

from mechaware.grounding.names import CONDITIONS, condition_of, group_of
from mechaware.report.style import COLOUR, MARKER

LABELS: Mapping[str, str] = {
    **{name: f"trained: {label}" for name, label in CONDITIONS.items()},
    "pretrained": "pretrained",
    "grounded": "controls that ground",
    "shortcut": "shortcuts",
}

DECIMAL = StrMethodFormatter("{x:g}")  # ticks of logarithmic axes; by default they are written as powers


def kind_of(run: str) -> str:
    """The key of `LABELS` to which a run belongs: its training condition, or its group."""
    group = group_of(run)
    return condition_of(run) if group == "trained" else group


def add_legend(figure: Figure, kinds: Sequence[str]) -> None:
    """A legend above the figure, with an entry for each of `kinds`, in their order."""
    handles = [Line2D([], [], marker=MARKER[name], color=COLOUR[name], ms=4, label=LABELS[name]) for name in kinds]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
