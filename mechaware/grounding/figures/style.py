"""What the grounding study's figures share: the names of the conditions and controls, and their legend."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter

from mechaware.grounding.names import CONDITIONS, CONTROLS
from mechaware.report.style import COLOUR, MARKER

LABELS: Mapping[str, str] = {**{name: f"trained: {label}" for name, label in CONDITIONS.items()}, **CONTROLS}

DECIMAL = StrMethodFormatter("{x:g}")  # ticks of logarithmic axes; by default they are written as powers


def add_legend(figure: Figure, conditions: Sequence[str]) -> None:
    """A legend above the figure, with an entry for each of `conditions`, in their order."""
    handles = [Line2D([], [], marker=MARKER[name], color=COLOUR[name], ms=4, label=LABELS[name]) for name in conditions]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
