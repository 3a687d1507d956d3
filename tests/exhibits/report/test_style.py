"""A figure's files depend neither on rounding in its layout nor on a user's Matplotlib settings."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from exhibits.report.style import save_figure
from tests.checkout import REPOSITORY


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_a_layout_that_differs_in_its_last_bit_gives_the_same_file(
    tmp_path: Path, kind: str
) -> None:
    """Layouts of two runs may differ in this way: the order in which Matplotlib's solver takes its
    constraints follows from addresses in memory.
    """
    lefts = (0.3, 0.1 + 0.2)
    assert lefts[0] != lefts[1]

    written = []
    for left in lefts:
        figure = plt.figure()
        figure.set_layout_engine("none")
        figure.add_axes((left, 0.1, 0.5, 0.5)).plot([0, 1], [0, 1])
        paths = {ending: tmp_path / f"{left!r}.{ending}" for ending in ("pdf", "png", "svg")}
        save_figure(figure, **paths)
        written.append(paths[kind].read_bytes())
    assert written[0] == written[1]


def test_a_users_matplotlibrc_neither_changes_nor_stops_a_figure(tmp_path: Path) -> None:
    """The user has two: one in the working directory, which is not text, and one that the variable
    `MATPLOTLIBRC` names, which makes figures yellow.
    """
    (tmp_path / "matplotlibrc").write_bytes(b"axes.grid: True\n\xff\n")
    (tmp_path / "yellow").write_text("axes.facecolor: yellow\naxes.grid: True\n")
    code = f"""
import sys
sys.path.append({str(REPOSITORY)!r})
from exhibits.report import style
print([style.matplotlib.rcParams[name] for name in ("axes.facecolor", "axes.grid", "axes.spines.top", "backend")])
"""
    environment = os.environ | {"MATPLOTLIBRC": str(tmp_path / "yellow")}
    command = [sys.executable, "-P", "-c", code]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    # The settings of exhibits/report/style.py.
    assert run.stdout == "['white', False, False, 'agg']\n", run.stderr
