"""The figure of verdicts: the share of pairs that pass each set of rules, in controls and models.

A panel shows one set of rules: the paper's rules by its method (`paper`), the same with a signed
gap and the embedding as a layer (`paper_both`), and this project's rules (`grounded`).
"""

import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from exhibits.grounding.figures import grounding_verdict
from exhibits.report.style import COLOUR

# `..._corrected` is the share of pairs that pass, beyond a guess by position; `..._verdict` is
# whether the run grounds. A control of the group `grounded` should pass, a `shortcut` should not.
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
# The length of the shortest bar, in percent: a share of 0 or less is still a mark.
MIN_LENGTH = 0.6


@pytest.fixture(scope="module")
def figure() -> Figure:
    """The figure of `RUNS`, where all sets of rules have the AUROC 0.25 on the drawn controls."""
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
    """The bars are those of the three controls, then of the trained, base and pretrained models.

    A wrong verdict has the colour `wrong`; the truth on a model is unknown, and its bar is faint.
    The seeds of a condition share a bar, which ends at their mean. The drawn control has no bar.
    """
    paper, _, grounded = figure.axes
    assert bars(paper) == [
        (20, "wrong"),
        (80, "wrong"),
        (MIN_LENGTH, "right"),
        (60, "faint"),
        (10, "faint"),
        (20, "faint"),
        (30, "faint"),
    ]
    assert bars(grounded) == [
        (100, "right"),
        (MIN_LENGTH, "right"),
        (MIN_LENGTH, "right"),
        (40, "faint"),
        (MIN_LENGTH, "faint"),
        (5, "faint"),  # the mean of 10% and of -10%, which counts as 0
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
    lines_without_dots = []
    for line in paper.lines:
        if line.get_marker() == "o":
            dots.append(list(line.get_xdata()))
        else:
            lines_without_dots.append(line)
    # The two seeds with the schema, and the two seeds before SQL.
    assert dots == [pytest.approx([50, 70]), pytest.approx([10, 30])]

    (line_at_verdict_share,) = lines_without_dots
    assert set(line_at_verdict_share.get_xdata()) == {50}


def test_the_auroc_of_the_rules_on_the_drawn_controls_is_in_every_title(figure: Figure) -> None:
    for axes in figure.axes:
        _, auroc, interval = axes.get_title().splitlines()
        assert auroc == "drawn: AUROC 0.25"
        assert interval == "(0.12 to 0.50)"
