"""One look for every figure: sizes, fonts, and a colour and a marker for each thing everywhere.

A user's settings of Matplotlib change no figure. The workflow's commands turn off the settings of
`MATPLOTLIBRC` and HOME (`ENVIRONMENT` in rules/common.smk). This module turns off the settings of a
file `matplotlibrc` in the working directory, if it is imported before Matplotlib: it imports
Matplotlib from a folder without that file, because reading a `matplotlibrc` that is not text would
end the import.
"""

import contextlib
import re
from pathlib import Path
from typing import Any

from mechaware.core.files import atomic_write

with contextlib.chdir(Path(__file__).parent):  # has no matplotlibrc
    import matplotlib

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

matplotlib.rcdefaults()
matplotlib.use("agg")

# Okabe and Ito's orange, and a darker blue than theirs: distinct with any colour vision, and in
# grey.
BLUE = "#00538F"
ORANGE = "#D55E00"
COLOUR = {
    "recall": BLUE,
    "reasoning": ORANGE,
    "schema": BLUE,
    "no_schema": ORANGE,
    "right": BLUE,
    "wrong": ORANGE,
    "neutral": "#555555",
    "faint": "#C4C4C4",
}
MARKER = {"recall": "o", "reasoning": "^", "schema": "o", "no_schema": "^"}
HEAT = "Blues"  # the colour map of shares, from none to all
DIVERGING = "RdBu_r"  # the colour map of values from -1 to 1
MIN_FONT_SIZE = 7  # points; figures are printed at their own size

RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": MIN_FONT_SIZE,
    "ytick.labelsize": MIN_FONT_SIZE,
    "legend.fontsize": MIN_FONT_SIZE,
    "legend.title_fontsize": MIN_FONT_SIZE,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.0,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # fonts are embedded as TrueType
    "svg.fonttype": "path",  # a reader of the web page need not have the font
    "svg.hashsalt": "mechaware",  # ids are not drawn at random
    "savefig.dpi": 200,
    "text.parse_math": False,  # names are shown as they are written
}
plt.rcParams.update(RC)  # type: ignore[arg-type]


def save_figure(figure: Figure, pdf: Path, png: Path, svg: Path) -> None:
    """Write the figure as PDF with embedded fonts, as PNG and as SVG, and close it.

    No file has a date, so that equal figures are equal files. The PNG does not name Matplotlib.
    """
    with atomic_write(pdf) as partial:
        figure.savefig(partial, metadata={"CreationDate": None})
    with atomic_write(png) as partial:
        figure.savefig(partial, metadata={"Software": None})
    with atomic_write(svg) as partial:
        figure.savefig(partial, metadata={"Date": None})
        written = partial.read_text(encoding="utf-8")
        partial.write_text(_with_numbered_clips(written), encoding="utf-8")
    plt.close(figure)


def _with_numbered_clips(svg: str) -> str:
    """The SVG with its clip paths named clip-0, clip-1, ... in the order of the file.

    Matplotlib names a clip path by a hash of its coordinates, and the last bits of the coordinates
    differ between runs of the layout.
    """
    for number, name in enumerate(re.findall(r'<clipPath id="(\w+)">', svg)):
        svg = svg.replace(name, f"clip-{number}")
    return svg
