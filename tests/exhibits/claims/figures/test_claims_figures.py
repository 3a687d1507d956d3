"""The figures of the claims study: their counts, their text,
and that they are readable where results are missing.
"""

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from exhibits.claims.figures import (
    claims_confusion,
    claims_dimensions,
    claims_finding,
    claims_planted_errors,
    claims_tiers,
    claims_vote,
)
from exhibits.claims.figures.claims_dimensions import PLANTED_TRUTH, _dimension_means
from exhibits.claims.figures.panels import confusion, paper_panels
from exhibits.claims.schemas import REPORTED_MAIN, REPORTED_SINGLE_RUN
from exhibits.report.style import MIN_FONT_SIZE
from mechaware.core.frames import read_csv

REPORTED = Path(__file__).resolve().parents[4] / "config/reported"
MAIN = read_csv(REPORTED / "claims_main.csv", REPORTED_MAIN)
SINGLE_RUN = read_csv(REPORTED / "claims_single_run.csv", REPORTED_SINGLE_RUN)
JUDGES = {"a": "Judge A", "b": "Judge B"}
CONFIDENCE_LEVEL = 0.95
CONFIGURED = {"confidence_level": 0.95, "width": 7.0}
PAPERS = pd.DataFrame(
    [
        ("a", "p1", 1.4, "Proposed", "Proposed", 1.4, 2.5, 1.9),
        ("a", "p2", 8.3, "Validated", "Mechanistically Supported", 8.3, 9.2, 8.3),
        ("a", "p3", None, "", "Validated", None, None, None),
    ],
    columns=[
        "judge",
        "paper",
        "cvs",
        "tier",
        "expected_tier",
        "single_low",
        "single_high",
        "voted_cvs",
    ],
)
CLAIMS = pd.DataFrame(
    [
        ("a", "p1", True, 5.6, 3, 2, 1, 1, 2),
        ("a", "p1", False, 1.4, 1, 1, 0, 0, 0),
        ("a", "p2", False, 1.9, 2, 0, 0, np.nan, 1),
        ("a", "own", True, 10.0, 3, 3, 3, 3, 3),
    ],
    columns=["judge", "paper", "system", "cvs", *"CIMEV"],
)
TRUTH = pd.DataFrame(
    [("p1", True, 4.2, 2, 2, 1, 0, 1), ("p2", False, 0.0, 0, 0, 0, 0, 0)],
    columns=["paper", "system", "cvs", *"CIMEV"],
)
RATES = [f"{rate}{end}" for rate in ("sensitivity", "false_yes") for end in ("", "_low", "_high")]
PLANTED_SHARES = pd.DataFrame(
    [
        ("a", "single", "", 9, 3, 0.5, 0.4, 0.6, 0.3, 0.2, *[None] * 6),
        ("a", "audited", "", 9, 2, 0.6, 0.5, 0.7, 0.3, 0.2, 0.7, 0.6, 0.8, 0.1, 0.0, 0.3),
        ("b", "audited", "", 0, 0, *[None] * 11),
        ("always NO", "", "", 9, 3, 0.4, 0.3, 0.5, 0.4, 0.3, 0, None, None, 0, None, None),
        # Of this criterion no YES is planted, and NO in too few papers for an interval.
        ("a", "audited", "I2", *[None] * 10, 0.25, None, None),
    ],
    columns=[
        "judge",
        "stage",
        "criterion",
        "n",
        "found_claims",
        "exact",
        "exact_low",
        "exact_high",
        "always_no",
        "always_yes",
        *RATES,
    ],
)
# The minimum leads by 0.04 without errors downwards and is 0.12 behind at 2%: they are equal at
# 0.5%.
INDEPENDENT_VOTES = pd.DataFrame(
    [
        (0.00, "minimum", 0.99),
        (0.02, "minimum", 0.83),
        (0.00, "median", 0.95),
        (0.02, "median", 0.95),
        (0.00, "one run", 0.90),
        (0.02, "one run", 0.85),
    ],
    columns=["down", "vote", "exact"],
).assign(up=0.1, shared=0.0, leaked=0.0, claims="paper")
VOTES = pd.concat([INDEPENDENT_VOTES, INDEPENDENT_VOTES.assign(shared=0.5)], ignore_index=True)
VOTES["exact_low"] = VOTES["exact"] - 0.02
VOTES["exact_high"] = VOTES["exact"] + 0.01
TRUST_SHARES = pd.DataFrame(
    [
        ("a", 0.4, 0.3, 0.5, 0.9, 0.8, 1.0, 12),
        ("b", 0.0, 0.0, 0.0, 1, 1, 1, 0),  # nothing could move
        ("at random", 0.5, 0.4, 0.6, 0.3, 0.2, 0.4, 20),
    ],
    columns=[
        "judge",
        "moved",
        "moved_low",
        "moved_high",
        "stayed",
        "stayed_low",
        "stayed_high",
        "could",
    ],
)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close all figures after a test."""
    yield
    plt.close("all")


def drawn(*, empty: bool) -> dict[str, Figure]:
    """All figures of the tables above, or of tables without rows."""
    n_rows = 0 if empty else None
    papers = PAPERS.iloc[:n_rows]
    claims = CLAIMS.iloc[:n_rows]
    truth = TRUTH.iloc[:n_rows]
    planted = PLANTED_SHARES.iloc[:n_rows]
    of_papers = {"papers": papers, "reported_main": MAIN, "judge_labels": JUDGES, "width": 7.0}
    return {
        "tiers": claims_tiers.draw(**of_papers, reported_single_run=SINGLE_RUN),
        "confusion": claims_confusion.draw(**of_papers),
        "dimensions": claims_dimensions.draw(
            claims=claims, truth=truth, judge_labels=JUDGES, **CONFIGURED
        ),
        "errors": claims_planted_errors.draw(planted=planted, judge_labels=JUDGES, width=7.0),
        "vote": claims_vote.draw(votes=VOTES, width=7.0),
        "finding": claims_finding.draw(
            planted=planted,
            trust=TRUST_SHARES.iloc[: 0 if empty else None],
            judge_labels=JUDGES,
            width=7.0,
        ),
    }


def texts(figure: Figure) -> list[Text]:
    """The visible texts of a figure."""
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def written(figure: Figure) -> str:
    """All words of a figure."""
    return "\n".join(text.get_text() for text in texts(figure))


def test_the_papers_own_confusion_has_five_exact_and_four_one_above() -> None:
    counts = confusion(MAIN)
    # Table 3 by hand: rows are predicted tiers, columns expected ones.
    assert counts.tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 2, 2, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1],
    ]


def test_titles_give_the_agreement() -> None:
    figures = drawn(empty=False)
    for name in ("tiers", "confusion"):
        assert "reported\n5 of 9 in the expected tier" in written(figures[name])
        assert "Judge A\n1 of 2 in the expected tier" in written(figures[name])


def test_a_score_stands_over_its_expected_tier_with_the_range_of_its_runs() -> None:
    _, axes = drawn(empty=False)["tiers"].axes
    assert axes.lines[0].get_xydata()[:2].tolist() == [[1.4, 0], [8.3, 1]]

    (runs,) = axes.collections
    assert [segment[:, 0].tolist() for segment in runs.get_segments()[:2]] == [
        [1.4, 2.5],
        [8.3, 9.2],
    ]
    # Proposed is 0 to 2, Mechanistically Supported 4 to 6, Validated 8 to 10.
    assert [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches] == [
        (0, 2),
        (4, 6),
        (8, 10),
    ]


def test_a_judge_whose_scores_are_all_alike_has_no_panel() -> None:
    alike = pd.concat([PAPERS, PAPERS.assign(judge="b", cvs=0.0)])
    panels = paper_panels(MAIN, alike, JUDGES)

    assert list(panels) == ["reported", "Judge A"]


def dimension_means(claims: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The means of Figure 3 by judge, kind of claim and dimension."""
    means = _dimension_means(claims, truth, confidence_level=CONFIDENCE_LEVEL)
    return means.set_index(["judge", "system", "dimension"])


def test_figure_3_has_room_for_whole_markers_at_the_lowest_and_the_highest_score() -> None:
    figure = drawn(empty=False)["dimensions"]
    figure.canvas.draw()
    for axes in figure.axes:
        low, high = axes.get_xlim()
        width_in_points = 72 * figure.get_figwidth() * axes.get_position().width
        for line in axes.lines:
            radius = line.get_markersize() / 2 * (high - low) / width_in_points
            assert low <= 0 - radius
            assert high >= 3 + radius


def test_figure_3_compares_claims_about_the_planted_papers_only() -> None:
    means = dimension_means(CLAIMS, TRUTH)

    assert means.loc[(PLANTED_TRUTH, True, "C"), "mean"] == 2
    assert means.loc[("a", False, "C"), "mean"] == 1.5
    assert means.loc[("a", False, "E"), "mean"] == 0  # the open one does not count
    assert means.loc[("a", True, "C"), "mean"] == 3
    assert means[["low", "high"]].isna().all(axis=None)  # fewer than six papers


def test_without_planted_papers_figure_3_compares_all_claims() -> None:
    means = dimension_means(CLAIMS, TRUTH.iloc[:0])

    # The external scores of the two system claims of judge A are 1 and 3; one of them is about
    # another paper.
    assert means.loc[("a", True, "E"), "mean"] == pytest.approx(2)


def test_the_error_rates_of_a_criterion_stand_in_its_row_and_untested_ones_say_so() -> None:
    (axes,) = drawn(empty=False)["errors"].axes  # judge B found nothing and has no panel
    assert axes.get_title() == "Judge A"

    row = list(claims_planted_errors.ROWS).index("I2")
    found, _, called, few = axes.lines[:4]

    assert found.get_xydata()[0].tolist() == [70, -0.17]
    assert called.get_xydata()[0].tolist() == [10, 0.17]
    assert few.get_xydata()[row - 1].tolist() == [25, row + 0.17]
    assert few.get_markerfacecolor() == "white"  # without an interval

    untested = [text.get_position()[1] for text in axes.texts if text.get_text() == "not tested"]
    # Both rates of the 26 other criteria, and the sensitivity of I2.
    assert len(untested) == 2 * 26 + 1
    assert untested.count(row - 0.17) == 1


def test_each_vote_has_a_line_in_each_panel_and_the_crossing_is_marked() -> None:
    alone, shared = drawn(empty=False)["vote"].axes
    assert (alone.get_title(), shared.get_title()) == ("10% up", "10% up, half shared")

    minimum, _, (intervals,) = alone.containers[0].lines
    assert minimum.get_xydata().tolist() == pytest.approx(np.array([[0, 99], [2, 83]]))
    # Two points below the share, and one above it.
    without_errors, at_two_percent = intervals.get_segments()
    assert without_errors == pytest.approx(np.array([[0, 97], [0, 100]]))
    assert at_two_percent == pytest.approx(np.array([[2, 81], [2, 84]]))
    assert [text.get_text() for text in alone.texts] == ["0.5%"]


def test_without_a_crossing_of_the_papers_own_claims_nothing_is_marked() -> None:
    of_parts = VOTES.assign(claims="parts", exact=0.1)
    votes = pd.concat([VOTES[VOTES["down"] == 0], of_parts])

    for axes in claims_vote.draw(votes=votes, width=7.0).axes:
        assert list(axes.texts) == []


@pytest.mark.parametrize("empty", [False, True], ids=["some results", "none"])
def test_no_text_of_a_figure_is_too_small_or_cut_off(empty: bool) -> None:
    for name, figure in drawn(empty=empty).items():
        figure.canvas.draw()
        frame = figure.bbox
        for text in texts(figure):
            assert text.get_fontsize() >= MIN_FONT_SIZE
            box = text.get_window_extent()
            assert frame.x0 - 1 <= box.x0 <= box.x1 <= frame.x1 + 1, f"{name}: {text.get_text()}"
            assert frame.y0 - 1 <= box.y0 <= box.y1 <= frame.y1 + 1, f"{name}: {text.get_text()}"


def test_judges_without_results_have_no_panel() -> None:
    figures = drawn(empty=True)
    assert len(figures["tiers"].axes) == len(figures["confusion"].axes) == 1
    for name, figure in figures.items():
        for label in JUDGES.values():
            assert label not in written(figure), name


def test_the_finding_has_each_judge_beside_its_rivals_and_its_moves_beside_controls() -> None:
    figure = claims_finding.draw(
        planted=PLANTED_SHARES, trust=TRUST_SHARES, judge_labels=JUDGES, width=7.0
    )
    right, moved, stayed = figure.axes

    assert [label.get_text() for label in right.get_yticklabels()] == [
        "Judge A, 2 claims",
        "always NO",
        "always YES",
    ]
    # After the audit, in percent.
    assert [line.get_xdata().tolist() for line in right.lines] == [[60], [30], [20]]
    assert [label.get_text() for label in moved.get_yticklabels()] == ["Judge A", "at random"]
    assert [line.get_xdata().tolist() for line in moved.lines] == [[40], [50]]
    assert [line.get_xdata().tolist() for line in stayed.lines] == [[90], [30]]
    assert {line.get_markerfacecolor() for line in stayed.lines}.isdisjoint({"white"})
