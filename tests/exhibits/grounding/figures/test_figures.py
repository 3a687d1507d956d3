"""The grounding study's figures from a few rows each: what is drawn is what the tables hold."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from exhibits.grounding.figures import (
    grounding_map,
    grounding_models,
    grounding_reading,
    grounding_sensitivity,
    grounding_verdict,
)
from exhibits.report.style import COLOUR
from tests.exhibits.grounding.models import two_models

CATEGORIES = ("db_synonyms", "db_scramble", "non_db_synonyms", "non_db_scramble", "super_scramble")
ZERO_SHOT = "smollm2-135m-instruct.zero-shot"
FEW_SHOT = "smollm2-135m-instruct.few-shot"


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("met", [True, False])
def test_every_model_stands_at_its_exact_match_and_its_share_of_each_rule(met: bool) -> None:
    figure = grounding_models.draw(**two_models(met=met), width=7.0)
    assert [axes.get_title() for axes in figure.axes] == ["R1", "R1 and R2", "R1 to R3"]
    # Of the four pairs of a model.
    for axes, schema, no_schema in zip(figure.axes, (75, 50, 25), (25, 25, 0), strict=True):
        joined, *points = axes.lines
        assert joined.get_xydata().tolist() == [[96, schema], [80, no_schema]]
        assert [point.get_xydata().tolist() for point in points] == [
            [[96, schema]],
            [[80, no_schema]],
        ]
        filled = [point.get_markerfacecolor() for point in points]
        assert filled == ([COLOUR["schema"], COLOUR["no_schema"]] if met else ["none", "none"])
    assert len(legend(figure)) == (2 if met else 3)


@pytest.mark.parametrize("seeds", [1, 2])
def test_sensitivity_has_each_pair_in_its_category_with_the_range_of_the_seeds(seeds: int) -> None:
    rules = pd.DataFrame(
        [
            (f"{condition}-s{seed}", f"{category} {gap}", category, sign * gap + seed)
            for condition, sign in (("schema", 1.0), ("no_schema", -1.0))
            for seed in range(seeds)
            for category in CATEGORIES
            for gap in (3.0, -1.0)
        ],
        columns=["run", "pair", "category", "delta"],
    )
    figure = grounding_sensitivity.draw(rules=rules, tau=0.4, width=7.0)
    (axes,) = figure.axes
    strips = [np.asarray(strip.get_offsets()) for strip in axes.collections]
    middle = (seeds - 1) / 2  # the mean over the seeds 0 and 1 raises every gap by it
    gaps = {tuple(sorted(strip[:, 1].round(9))) for strip in strips if len(strip) > 1}
    assert gaps == {(-1 + middle, 3 + middle), (-3 + middle, 1 + middle)}
    means = [line.get_ydata().tolist() for line in axes.lines]
    assert means == [[1 + middle] * 5, [-1 + middle] * 5]  # of 3 and -1, and signs
    ranges = [
        lines.get_segments()[0][:, 1].tolist()
        for lines in axes.collections
        if hasattr(lines, "get_segments")
    ]
    assert ranges == [[1.0, seeds], [-1.0, seeds - 2]]
    assert legend(figure) == ["trained: schema", "trained: no schema"]


# Where the schema word is read


def draw_reading(*runs: str) -> Figure:
    recovered = [(run, layer, 0.1 * layer, 0.05, 0.3, 10) for run in runs for layer in (1, 2)]
    read = [
        (run, mode, block, share, 0.0, 0.9, 10)
        for run in runs
        for mode, sign in (("denoise", 1), ("noise", -1))
        for block, share in (("1", 0.2 * sign), ("2", 0.6 * sign), ("interaction", 0.2))
    ]
    recovery = pd.DataFrame(recovered, columns=["run", "layer", "recovered", "low", "high", "n"])
    reading = pd.DataFrame(read, columns=["run", "mode", "block", "share", "low", "high", "n"])
    return grounding_reading.draw(recovery=recovery, reading=reading, width=7.0)


def test_reading_has_both_places_of_each_condition_and_of_pretrained_models_on_the_right() -> None:
    figure = draw_reading(
        "schema-s0", "schema-s1", "no_schema-s0", "grounded_2", "first_column", ZERO_SHOT, FEW_SHOT
    )
    curves = [[line for line in axes.lines if line.get_marker() != "None"] for axes in figure.axes]
    assert [len(lines) for lines in curves] == [4, 2, 4]
    leaves = curves[0][0]
    after = curves[0][2]
    # In percent.
    assert (leaves.get_xdata().tolist(), leaves.get_ydata().tolist()) == (
        [1, 2],
        [20, 60],
    )
    assert (after.get_xdata().tolist(), after.get_ydata().tolist()) == ([1, 2], [10, 20])
    assert leaves.get_linestyle() != after.get_linestyle()


def test_reading_says_where_no_pair_of_a_model_passes_r1() -> None:
    figure = draw_reading("grounded_1")  # of a control alone
    assert [axes.get_title() for axes in figure.axes] == ["no pair passes R1"]
    figure.draw_without_rendering()


def residual_map(layers: int = 3, **of_runs: float | None) -> pd.DataFrame:
    """A map whose value at position p and layer l is the run's value plus p and l tenths."""
    rows = [
        (run, position, layer, None if value is None else value + (number + layer) / 10)
        for run, value in of_runs.items()
        for number, position in enumerate(("schema word", "final"))
        for layer in range(layers)
    ]
    table = pd.DataFrame(rows, columns=["run", "position", "layer", "recovered"])
    return table.astype({"recovered": float})


def draw_map(table: pd.DataFrame, control: str = "grounded_2") -> Figure:
    return grounding_map.draw(residual_map=table, control=control, width=7.0)


def test_the_map_has_a_panel_for_the_condition_schema_the_control_and_each_pretrained_model() -> (
    None
):
    runs = {
        "schema-s0": 0.0,
        "schema-s1": 0.2,
        "no_schema-s0": 0.9,
        "grounded_1": 0.5,
        "grounded_2": 0.3,
    }
    figure = draw_map(residual_map(**runs, **{ZERO_SHOT: 0.4}))
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == [
        "trained: schema",
        "grounded,\nread in block 2",
        "smollm2-135m-instruct,\nzero-shot",
    ]
    # The mean of the seeds is 0.1: 10, 20 and 30% at the schema word, and 10% more at the end.
    assert [text.get_text() for text in panels[0].texts] == ["10", "20", "30", "20", "30", "40"]
    assert [text.get_text() for text in panels[1].texts] == ["30", "40", "50", "40", "50", "60"]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == ["schema word", "final"]


def test_the_map_of_a_deep_model_has_no_numbers_in_its_cells() -> None:
    figure = draw_map(residual_map(layers=31, **{ZERO_SHOT: 0.0, FEW_SHOT: 0.5}))
    (axes,) = (axes for axes in figure.axes if axes.get_title())
    assert not axes.texts
    assert [label.get_text() for label in axes.get_xticklabels()] == ["0", "15", "30"]


def test_a_run_of_which_no_pair_has_a_gap_has_an_empty_panel() -> None:
    figure = draw_map(
        residual_map(**{"schema-s0": 0.0, "schema_blind": None}), control="schema_blind"
    )
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["trained: schema", "blind to the schema"]
    assert not panels[1].texts
    assert [label.get_text() for label in panels[1].get_xticklabels()] == ["0", "1", "2"]
    figure.draw_without_rendering()


# The verdict


VERDICT = pd.DataFrame(
    [
        ("grounded_2", "grounded", 0.2, False, 1.0, True),
        ("first_column", "shortcut", 0.8, True, 0.0, False),
        ("schema_blind", "shortcut", 0.0, False, -0.5, False),
        ("schema-s0", "trained", 0.5, True, 0.7, True),
        ("schema-s1", "trained", 0.7, True, 0.1, False),
        ("no_schema-s0", "trained", 0.1, False, 0.0, False),
        ("base-s0", "base", 0.1, False, -0.1, False),
        ("base-s1", "base", 0.3, False, 0.1, False),
        (FEW_SHOT, "pretrained", 0.3, False, 0.2, False),
    ],
    columns=[
        "run",
        "group",
        "paper_corrected",
        "paper_verdict",
        "grounded_corrected",
        "grounded_verdict",
    ],
)
VERDICT = VERDICT.assign(paper_both_corrected=1.0, paper_both_verdict=True)
DRAWN = pd.DataFrame(
    [
        (name, half, 0.25, 0.125, 0.5)
        for name in grounding_verdict.PANELS
        for half in ("developed", "held_out")
    ],
    columns=["rules", "half", "auroc", "low", "high"],
)


def bars(axes: Axes) -> list[tuple[float, str]]:
    """Length and colour of each bar, from the top."""
    found = sorted((patch for patch in axes.patches), key=lambda patch: patch.get_y())
    names = {to_rgba(COLOUR[name]): name for name in ("right", "wrong", "faint")}
    return [(round(bar.get_width(), 6), names[bar.get_facecolor()]) for bar in found]


def test_the_verdict_has_a_bar_per_control_and_model_and_names_the_wrong_ones() -> None:
    drawn_run = VERDICT.iloc[:1].assign(run="drawn_01", group="drawn")
    verdict = pd.concat([VERDICT, drawn_run], ignore_index=True)
    figure = grounding_verdict.draw(verdict=verdict, drawn=DRAWN, verdict_share=0.5, width=7.0)
    paper, _, grounded = figure.axes
    titles = {tuple(axes.get_title().splitlines()[1:]) for axes in figure.axes}
    assert titles == {("drawn: AUROC 0.25", "(0.12 to 0.50)")}
    # The mean of two seeds is one bar.
    models = [
        (60, "faint"),
        (10, "faint"),
        (20, "faint"),
        (30, "faint"),
    ]
    # A bar of 0 is a mark.
    assert bars(paper) == [
        (20, "wrong"),
        (80, "wrong"),
        (0.6, "right"),
        *models,
    ]
    assert [text.get_text() for text in paper.texts] == [
        "missed: 20% pass",
        "false alarm: 80% pass",
        "0%",
        "60%",
        "10%",
        "20%",
        "30%",
    ]
    models = [(40, "faint"), (0.6, "faint"), (5, "faint"), (20, "faint")]
    assert bars(grounded) == [(100, "right"), *[(0.6, "right")] * 2, *models]
    rows = [(label.get_text(), label.get_fontweight()) for label in paper.get_yticklabels()]
    assert [name for name, weight in rows if weight == "bold"] == list(
        grounding_verdict.HEADINGS.values()
    )
    assert [name for name, weight in rows if weight == "normal"] == [
        "grounded, read in block 2",
        "first column, read in block 2",
        "blind to the schema",
        "trained: schema",
        "trained: no schema",
        "before SQL",
        "smollm2-135m-instruct, few-shot",
    ]
    dots = [line.get_xdata() for line in paper.lines if line.get_marker() == "o"]
    # The seeds.
    assert [list(of_row) for of_row in dots] == [
        pytest.approx([50, 70]),
        pytest.approx([10, 30]),
    ]
    (threshold,) = (line for line in paper.lines if line.get_marker() != "o")
    assert set(threshold.get_xdata()) == {50}
