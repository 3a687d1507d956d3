"""The grounding study's figures from a few rows each: what is drawn is what the tables hold."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from mechaware.grounding.figures import (
    grounding_layers,
    grounding_recovery,
    grounding_sensitivity,
    grounding_thresholds,
    grounding_training,
)

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
MODES = ("denoise", "noise", "mean_ablation", "zero_ablation")


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_training_has_a_line_per_run_and_an_entry_per_condition() -> None:
    runs = ("no_schema-s0", "schema-s0", "schema-s1")
    history = pd.DataFrame(
        [(run, step, 1.0, 0.25) for run in runs for step in (100, 200)],
        columns=["run", "step", "held_out_loss", "held_out_exact_match"],
    )
    figure = grounding_training.draw(history=history, width=7.0)
    loss, exact_match = figure.axes
    assert len(loss.lines) == len(exact_match.lines) == 3
    assert np.array_equal(exact_match.lines[0].get_ydata(), [25, 25])  # in percent
    assert legend(figure) == ["trained: schema", "trained: no schema"]


def test_sensitivity_has_each_pair_in_its_category_and_overall() -> None:
    rules = pd.DataFrame(
        [("schema-s0", category, gap) for category in CATEGORIES for gap in (3.0, -1.0)],
        columns=["run", "category", "delta"],
    )
    summary = pd.DataFrame(
        [("schema-s0", category, "delta", 1.0, 0.5, 1.5) for category in (*CATEGORIES, "overall")],
        columns=["run", "category", "quantity", "value", "low", "high"],
    )
    figure = grounding_sensitivity.draw(rules=rules, summary=summary, tau=0.4, width=7.0)
    (axes,) = figure.axes
    points = [np.asarray(strip.get_offsets()) for strip in axes.collections if len(strip.get_offsets()) > 1]
    assert [sorted(strip[:, 1]) for strip in points] == [[-1, 3]] * 5 + [[-1] * 5 + [3] * 5]
    assert [strip[:, 0].mean().round() for strip in points] == [0, 1, 2, 3, 4, 5]


def test_recovery_parts_trained_models_from_controls_and_names_empty_panels() -> None:
    recovery = pd.DataFrame(
        [("copy_head", mode, layer, 0.5, 0.4, 0.6, 10) for mode in MODES for layer in (1, 2)],
        columns=["run", "mode", "layer", "recovered", "low", "high", "n"],
    )
    figure = grounding_recovery.draw(recovery=recovery, width=7.0)
    trained, controls = figure.axes[:4], figure.axes[4:]
    assert [len(axes.lines) for axes in trained] == [0] * 4
    assert [axes.texts[0].get_text() for axes in trained] == ["no pair passes R1"] * 4
    assert [len(axes.lines) for axes in controls] == [1] * 4
    assert legend(figure) == ["copy head, read in block 2"]


def test_layers_are_shares_of_the_pairs_that_pass() -> None:
    layers = pd.DataFrame(
        [("schema-s0", 1, 3, 4, 4, True), ("schema-s0", 2, 1, 0, 4, False)]
        + [("schema_blind", layer, 0, 0, 0, False) for layer in (1, 2)],
        columns=["run", "layer", "best", "top", "passing", "most_common"],
    )
    figure = grounding_layers.draw(layers=layers, width=7.0)
    (axes,) = figure.axes
    bars = [patch.get_height() for patch in axes.patches]
    assert bars == [75, 25, 0, 0]  # 3 and 1 of 4; none passes in the twin
    assert axes.lines[0].get_ydata().tolist() == [100]  # layer 1 is a TopLayer of 4 of 4, layer 2 of none
    assert [text.get_text() for text in axes.texts] == ["3", "1"]
    assert legend(figure) == ["trained: schema (4 pass)", "schema-blind twin (0 pass)"]


@pytest.mark.parametrize(("alpha", "corner"), [(0.9, (0.5, 0.5)), (0.8, None)], ids=["in the grid", "not in the grid"])
def test_the_studys_thresholds_are_framed_where_the_grid_has_them(
    alpha: float, corner: tuple[float, float] | None
) -> None:
    thresholds = pd.DataFrame(
        [("schema-s0", tau, share, 1, 4) for tau in (0.4, 1.0) for share in (0.5, 0.9)],
        columns=["run", "tau", "alpha", "r3", "n"],
    )
    figure = grounding_thresholds.draw(thresholds=thresholds, tau=0.4, alpha=alpha, width=7.0)
    (axes,) = figure.axes
    # Rows count down from the largest tau: 0.4 is row 1, and 0.9 is column 1.
    frames = [patch.get_xy() for patch in axes.patches if isinstance(patch, Rectangle)]
    assert frames == ([corner] if corner else [])
    assert [text.get_text() for text in axes.texts] == ["25"] * 4
