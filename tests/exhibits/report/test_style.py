"""Figures that look the same are the same files."""

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
    """As the layout of two runs does: its solver orders constraints by addresses in memory."""
    written = []
    for left in (0.3, 0.1 + 0.2):
        figure = plt.figure()
        figure.set_layout_engine("none")
        figure.add_axes((left, 0.1, 0.5, 0.5)).plot([0, 1], [0, 1])
        paths = {name: tmp_path / f"{left!r}.{name}" for name in ("pdf", "png", "svg")}
        save_figure(figure, *paths.values())
        written.append(paths[kind].read_bytes())
    assert 0.3 != 0.1 + 0.2
    assert written[0] == written[1]


def test_a_matplotlibrc_of_the_users_changes_no_figure_and_stops_none(tmp_path: Path) -> None:
    """Neither one that is not text, in the working directory,
    nor a yellow one that `MATPLOTLIBRC` names.
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

    assert run.stdout == "['white', False, False, 'agg']\n", run.stderr
