"""The share of pairs that pass each set of rules, in controls of known mechanism and in models."""

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from exhibits.grounding.figures import grounding_verdict
from exhibits.report.style import COLOUR

# Of each run the share of pairs that pass, beyond a guess by position, and the verdict: by R1 to R3 as the paper's
# method reads, and by this project's rules.
COLUMNS = [
    "run",
    "group",
    "paper_corrected",
    "paper_verdict",
    "grounded_corrected",
    "grounded_verdict",
]
RUNS = pd.DataFrame(
    [
        ("grounded_2", "grounded", 0.2, False, 1.0, True),
        ("first_column", "shortcut", 0.8, True, 0.0, False),
        ("schema_blind", "shortcut", 0.0, False, -0.5, False),
        ("schema-s0", "trained", 0.5, True, 0.7, True),
        ("schema-s1", "trained", 0.7, True, 0.1, False),
        ("no_schema-s0", "trained", 0.1, False, 0.0, False),
        ("base-s0", "base", 0.1, False, -0.1, False),
        ("base-s1", "base", 0.3, False, 0.1, False),
        ("smollm2-135m-instruct.few-shot", "pretrained", 0.3, False, 0.2, False),
        ("drawn_01", "drawn", 0.2, False, 1.0, True),
    ],
    columns=COLUMNS,
).assign(paper_both_corrected=1.0, paper_both_verdict=True)
# The smallest bar that is drawn, in percent: a share of 0, or below it, is a mark.
MARK = 0.6


@pytest.fixture(scope="module")
def figure() -> Figure:
    """The figure of `RUNS`, with an AUROC of 0.25 (0.125 to 0.5) for every set of rules on the drawn controls."""
    rows = []
    for rule_set in grounding_verdict.PANELS:
        for half in ("developed", "held_out"):
            rows.append((rule_set, half, 0.25, 0.125, 0.5))
    drawn = pd.DataFrame(rows, columns=["rules", "half", "auroc", "low", "high"])
    return grounding_verdict.draw(verdict=RUNS, drawn=drawn, verdict_share=0.5, width=7.0)


def bars(axes: Axes) -> list[tuple[float, str]]:
    """Length and colour of each bar, from the top."""
    names = {to_rgba(COLOUR[name]): name for name in ("right", "wrong", "faint")}
    lengths_and_colours = []
    for bar in sorted(axes.patches, key=lambda patch: patch.get_y()):
        lengths_and_colours.append((round(bar.get_width(), 6), names[bar.get_facecolor()]))
    return lengths_and_colours


def test_there_is_a_bar_per_control_and_model_in_the_colour_of_its_verdict(figure: Figure) -> None:
    """The seeds of a condition share a bar, which ends at their mean."""
    paper, _, grounded = figure.axes
    assert bars(paper) == [
        (20, "wrong"),
        (80, "wrong"),
        (MARK, "right"),
        (60, "faint"),
        (10, "faint"),
        (20, "faint"),
        (30, "faint"),
    ]
    assert bars(grounded) == [
        (100, "right"),
        (MARK, "right"),
        (MARK, "right"),
        (40, "faint"),
        (MARK, "faint"),
        (5, "faint"),  # the mean of 0 for a share of -10%, and 10
        (20, "faint"),
    ]


def test_wrong_verdicts_are_named(figure: Figure) -> None:
    paper, _, _ = figure.axes
    assert [text.get_text() for text in paper.texts] == [
        "missed: 20%",
        "false alarm: 80%",
        "0%",
        "60%",
        "10%",
        "20%",
        "30%",
    ]


def test_rows_stand_below_the_heading_of_their_group(figure: Figure) -> None:
    paper, _, _ = figure.axes
    headings = []
    names = []
    for label in paper.get_yticklabels():
        if label.get_fontweight() == "bold":
            headings.append(label.get_text())
        else:
            names.append(label.get_text())
    assert headings == list(grounding_verdict.HEADINGS.values())
    assert names == [
        "grounded, read in block 2",
        "first column, read in block 2",
        "blind to the schema",
        "trained: schema",
        "trained: no schema",
        "before SQL",
        "smollm2-135m-instruct, few-shot",
    ]


def test_the_seeds_of_a_row_are_dots_and_the_share_that_decides_is_a_line(figure: Figure) -> None:
    paper, _, _ = figure.axes
    dots = []
    others = []
    for line in paper.lines:
        if line.get_marker() == "o":
            dots.append(list(line.get_xdata()))
        else:
            others.append(line)
    assert dots == [pytest.approx([50, 70]), pytest.approx([10, 30])]

    (deciding,) = others
    assert set(deciding.get_xdata()) == {50}


def test_how_well_the_rules_tell_drawn_controls_apart_is_in_every_title(figure: Figure) -> None:
    for axes in figure.axes:
        _, area, interval = axes.get_title().splitlines()
        assert area == "drawn: AUROC 0.25"
        assert interval == "(0.12 to 0.50)"
