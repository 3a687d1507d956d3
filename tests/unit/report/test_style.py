"""Figures that look the same are the same files."""

from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from mechaware.report.style import save_figure


@pytest.mark.parametrize("kind", ["pdf", "png", "svg"])
def test_a_layout_that_differs_in_its_last_bit_gives_the_same_file(tmp_path: Path, kind: str) -> None:
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
