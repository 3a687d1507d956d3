"""What the grounding study's figures share: the conditions of training by name, and the ticks of logarithmic axes."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import StrMethodFormatter

from mechaware.grounding.names import CONDITIONS
from mechaware.report.style import COLOUR, MARKER

LABELS: Mapping[str, str] = {name: f"trained: {label}" for name, label in CONDITIONS.items()}
DECIMAL = StrMethodFormatter("{x:g}")  # by default they are written as powers


def add_legend(figure: Figure, conditions: Sequence[str]) -> None:
    """A legend above the figure, with an entry for each condition of training."""
    handles = [Line2D([], [], marker=MARKER[name], color=COLOUR[name], ms=4, label=LABELS[name]) for name in conditions]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
