"""The parts of a diagram drawn by code: rounded boxes and the arrows between them, in the units of the axes."""

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from mechaware.report.style import COLOUR

Point = tuple[float, float]


def rounded_box(
    axes: Axes, corner: Point, width: float, height: float, *, colour: str, rounding: float
) -> FancyBboxPatch:
    """A box with its lower left corner at `corner`, edged in `colour` (#RRGGBB) and filled with a tint of it."""
    box = FancyBboxPatch(
        corner, width, height, boxstyle=f"round,pad=0,rounding_size={rounding:g}", fc=colour + "22", ec=colour, lw=0.9
    )
    axes.add_patch(box)
    return box


def arrow(axes: Axes, start: Point, end: Point, *, bend: str = "arc3", dashed: bool = False) -> None:
    """A grey arrow that ends just short of both points; `bend` is matplotlib's connection style."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=8,
            connectionstyle=bend,
            linestyle="--" if dashed else "-",
            color=COLOUR["neutral"],
            shrinkA=1,
            shrinkB=1,
        )
    )
