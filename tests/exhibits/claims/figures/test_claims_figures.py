"""The figures of the claims study: what they draw from small tables of results, and that they stay
readable where results are missing.
"""

from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
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
WIDTH = 7.0  # inches

# Judge A has no score for the third paper, and judge B has judged no paper.
PAPERS = pd.DataFrame(
    [
        {
            "judge": "a",
            "paper": "p1",
            "cvs": 1.4,
            "tier": "Proposed",
            "expected_tier": "Proposed",
            "single_low": 1.4,
            "single_high": 2.5,
            "voted_cvs": 1.9,
        },
        {
            "judge": "a",
            "paper": "p2",
            "cvs": 8.3,
            "tier": "Validated",
            "expected_tier": "Mechanistically Supported",
            "single_low": 8.3,
            "single_high": 9.2,
            "voted_cvs": 8.3,
        },
        {
            "judge": "a",
            "paper": "p3",
            "cvs": None,
            "tier": "",
            "expected_tier": "Validated",
            "single_low": None,
            "single_high": None,
            "voted_cvs": None,
        },
    ]
)

# The papers p1 and p2 are planted, and `own` is not.
CLAIMS = pd.DataFrame(
    [
        {"paper": "p1", "system": True, "cvs": 5.6, "C": 3, "I": 2, "M": 1, "E": 1, "V": 2},
        {"paper": "p1", "system": False, "cvs": 1.4, "C": 1, "I": 1, "M": 0, "E": 0, "V": 0},
        {"paper": "p2", "system": False, "cvs": 1.9, "C": 2, "I": 0, "M": 0, "E": np.nan, "V": 1},
        {"paper": "own", "system": True, "cvs": 10.0, "C": 3, "I": 3, "M": 3, "E": 3, "V": 3},
    ]
).assign(judge="a")
TRUTH = pd.DataFrame(
    [
        {"paper": "p1", "system": True, "cvs": 4.2, "C": 2, "I": 2, "M": 1, "E": 0, "V": 1},
        {"paper": "p2", "system": False, "cvs": 0.0, "C": 0, "I": 0, "M": 0, "E": 0, "V": 0},
    ]
)

# The numbers that a row does not give are missing.
PLANTED_SHARES = pd.DataFrame(
    [
        {
            "judge": "a",
            "stage": "single",
            "criterion": "",
            "n": 9,
            "found_claims": 3,
            "exact": 0.5,
            "exact_low": 0.4,
            "exact_high": 0.6,
            "always_no": 0.3,
            "always_yes": 0.2,
        },
        {
            "judge": "a",
            "stage": "audited",
            "criterion": "",
            "n": 9,
            "found_claims": 2,
            "exact": 0.6,
            "exact_low": 0.5,
            "exact_high": 0.7,
            "always_no": 0.3,
            "always_yes": 0.2,
            "sensitivity": 0.7,
            "sensitivity_low": 0.6,
            "sensitivity_high": 0.8,
            "false_yes": 0.1,
            "false_yes_low": 0.0,
            "false_yes_high": 0.3,
        },
        # Of criterion I2 no YES is planted, and NO in too few papers for an interval.
        {"judge": "a", "stage": "audited", "criterion": "I2", "false_yes": 0.25},
        # Judge B found no planted claim.
        {"judge": "b", "stage": "audited", "criterion": "", "n": 0, "found_claims": 0},
        {
            "judge": "always NO",
            "stage": "",
            "criterion": "",
            "n": 9,
            "found_claims": 3,
            "exact": 0.4,
            "exact_low": 0.3,
            "exact_high": 0.5,
            "always_no": 0.4,
            "always_yes": 0.3,
            "sensitivity": 0,
            "false_yes": 0,
        },
    ]
)

# Without errors downwards the minimum leads the median by 0.04, and at 2% it is 0.12 behind. On
# straight lines between these rates they are equal at 2% x 0.04 / (0.04 + 0.12) = 0.5%.
INDEPENDENT_VOTES = pd.DataFrame(
    [
        {"down": 0.00, "vote": "minimum", "exact": 0.99},
        {"down": 0.02, "vote": "minimum", "exact": 0.83},
        {"down": 0.00, "vote": "median", "exact": 0.95},
        {"down": 0.02, "vote": "median", "exact": 0.95},
        {"down": 0.00, "vote": "one run", "exact": 0.90},
        {"down": 0.02, "vote": "one run", "exact": 0.85},
    ]
).assign(up=0.1, shared=0.0, leaked=0.0, claims="paper")
VOTES = pd.concat([INDEPENDENT_VOTES, INDEPENDENT_VOTES.assign(shared=0.5)], ignore_index=True)
VOTES["exact_low"] = VOTES["exact"] - 0.02
VOTES["exact_high"] = VOTES["exact"] + 0.01

TRUST_SHARES = pd.DataFrame(
    [
        {
            "judge": "a",
            "moved": 0.4,
            "moved_low": 0.3,
            "moved_high": 0.5,
            "stayed": 0.9,
            "stayed_low": 0.8,
            "stayed_high": 1.0,
            "could": 12,
        },
        # No targeted status of judge B could move.
        {
            "judge": "b",
            "moved": 0.0,
            "moved_low": 0.0,
            "moved_high": 0.0,
            "stayed": 1,
            "stayed_low": 1,
            "stayed_high": 1,
            "could": 0,
        },
        {
            "judge": "at random",
            "moved": 0.5,
            "moved_low": 0.4,
            "moved_high": 0.6,
            "stayed": 0.3,
            "stayed_low": 0.2,
            "stayed_high": 0.4,
            "could": 20,
        },
    ]
)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close all figures after a test."""
    yield
    plt.close("all")


def draw_all(*, with_results: bool = True) -> dict[str, Figure]:
    """All figures, of the tables above or of tables of judges' results without rows.

    The printed tables and the table of votes have no results of judges: they are never empty.
    """
    n_rows = None if with_results else 0
    papers = PAPERS.iloc[:n_rows]
    claims = CLAIMS.iloc[:n_rows]
    truth = TRUTH.iloc[:n_rows]
    planted = PLANTED_SHARES.iloc[:n_rows]
    trust = TRUST_SHARES.iloc[:n_rows]
    return {
        "tiers": claims_tiers.draw(
            papers=papers,
            reported_main=MAIN,
            reported_single_run=SINGLE_RUN,
            judge_labels=JUDGES,
            width=WIDTH,
        ),
        "confusion": claims_confusion.draw(
            papers=papers, reported_main=MAIN, judge_labels=JUDGES, width=WIDTH
        ),
        "dimensions": claims_dimensions.draw(
            claims=claims,
            truth=truth,
            judge_labels=JUDGES,
            confidence_level=CONFIDENCE_LEVEL,
            width=WIDTH,
        ),
        "errors": claims_planted_errors.draw(planted=planted, judge_labels=JUDGES, width=WIDTH),
        "vote": claims_vote.draw(votes=VOTES, width=WIDTH),
        "finding": claims_finding.draw(
            planted=planted, trust=trust, judge_labels=JUDGES, width=WIDTH
        ),
    }


def visible_texts(figure: Figure) -> list[Text]:
    """The texts of a figure that are visible and not empty."""
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def all_words(figure: Figure) -> str:
    """The words of all visible texts of a figure."""
    return "\n".join(text.get_text() for text in visible_texts(figure))


def test_the_papers_own_confusion_has_five_exact_and_four_one_above() -> None:
    counts = confusion(MAIN)
    # Table 3 by hand: rows are predicted tiers from the lowest, columns are expected tiers.
    assert counts.tolist() == [
        [1, 0, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 2, 2, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 0, 1],
    ]


def test_titles_give_the_agreement() -> None:
    figures = draw_all()
    for name in ("tiers", "confusion"):
        words = all_words(figures[name])
        assert "reported\n5 of 9 in the expected tier" in words
        # The third paper of judge A has no tier.
        assert "Judge A\n1 of 2 in the expected tier" in words


def test_a_score_is_drawn_upon_its_expected_tier_with_the_range_of_its_single_runs() -> None:
    _, judge_a = draw_all()["tiers"].axes
    # The scores of p1 and p2, in rows 0 and 1. The third paper is unscored.
    scores = judge_a.lines[0]
    assert scores.get_xydata()[:2].tolist() == [[1.4, 0], [8.3, 1]]

    (ranges,) = judge_a.collections
    ends = [segment[:, 0].tolist() for segment in ranges.get_segments()[:2]]
    assert ends == [[1.4, 2.5], [8.3, 9.2]]

    # The bars of all three: Proposed is 0 to 2, Mechanistically Supported 4 to 6, Validated 8 to
    # 10.
    bars = [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in judge_a.patches]
    assert bars == [(0, 2), (4, 6), (8, 10)]


def test_a_judge_whose_scores_are_all_alike_has_no_panel() -> None:
    alike = pd.concat([PAPERS, PAPERS.assign(judge="b", cvs=0.0)])
    panels = paper_panels(MAIN, alike, JUDGES)

    assert list(panels) == ["reported", "Judge A"]


def dimension_means(claims: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The means of Figure 3 by judge, kind of claim (system-level or not) and dimension."""
    means = _dimension_means(claims, truth, confidence_level=CONFIDENCE_LEVEL)
    return means.set_index(["judge", "system", "dimension"])


def test_figure_3_has_room_for_whole_markers_at_the_lowest_and_the_highest_score() -> None:
    figure = draw_all()["dimensions"]
    figure.canvas.draw()
    for axes in figure.axes:
        low, high = axes.get_xlim()
        # An inch has 72 points; the radius of a marker is in points, then in scores.
        width_in_points = 72 * figure.get_figwidth() * axes.get_position().width
        for line in axes.lines:
            radius = line.get_markersize() / 2 * (high - low) / width_in_points
            assert low <= 0 - radius
            assert high >= 3 + radius


def test_figure_3_compares_claims_about_the_planted_papers_only() -> None:
    means = dimension_means(CLAIMS, TRUTH)

    assert means.loc[(PLANTED_TRUTH, True, "C"), "mean"] == 2
    assert means.loc[("a", False, "C"), "mean"] == 1.5
    # The external score of p2 is open (NaN), and does not count.
    assert means.loc[("a", False, "E"), "mean"] == 0
    # The claim about `own` does not count: its external score is 3.
    assert means.loc[("a", True, "E"), "mean"] == 1
    assert means.loc[("a", True, "C"), "mean"] == 3
    # Fewer than six papers have no interval.
    assert means[["low", "high"]].isna().all(axis=None)


def test_without_planted_papers_figure_3_compares_all_claims() -> None:
    means = dimension_means(CLAIMS, TRUTH.iloc[:0])

    # The external scores of judge A's two system-level claims are 1, about p1, and 3, about `own`.
    assert means.loc[("a", True, "E"), "mean"] == pytest.approx(2)


def test_a_criterions_error_rates_are_in_its_row_and_rates_without_a_case_are_noted() -> None:
    # Judge B found no claim, and has no panel.
    (axes,) = draw_all()["errors"].axes
    assert axes.get_title() == "Judge A"

    # Each rate has two lines of markers: shares with an interval, then shares without (hollow).
    # Sensitivities are drawn 0.17 above the middle of a row, false YES 0.17 below.
    sensitivity, _, false_yes, false_yes_hollow = axes.lines[:4]
    assert sensitivity.get_xydata()[0].tolist() == [70, -0.17]
    assert false_yes.get_xydata()[0].tolist() == [10, 0.17]

    # The hollow markers begin with row 1, since the row of all criteria, row 0, has an interval.
    row = list(claims_planted_errors.ROWS).index("I2")
    assert false_yes_hollow.get_xydata()[row - 1].tolist() == [25, row + 0.17]
    assert false_yes_hollow.get_markerfacecolor() == "white"

    untested = [text.get_position()[1] for text in axes.texts if text.get_text() == "not tested"]
    # Both rates of the 26 other criteria, and the sensitivity of I2.
    assert len(untested) == 2 * 26 + 1
    assert untested.count(row - 0.17) == 1


def test_each_vote_has_a_line_and_the_rate_where_minimum_and_median_are_equal_is_marked() -> None:
    independent, shared = draw_all()["vote"].axes
    assert independent.get_title() == "10% up"
    assert shared.get_title() == "10% up, half shared"

    # The first vote is the minimum.
    minimum, _, (intervals,) = independent.containers[0].lines
    assert minimum.get_xydata().tolist() == pytest.approx(np.array([[0, 99], [2, 83]]))
    # From 2 points below the share to 1 point above it.
    without_errors, at_two_percent = intervals.get_segments()
    assert without_errors == pytest.approx(np.array([[0, 97], [0, 100]]))
    assert at_two_percent == pytest.approx(np.array([[2, 81], [2, 84]]))
    assert [text.get_text() for text in independent.texts] == ["0.5%"]


def test_no_rate_is_marked_where_minimum_and_median_do_not_cross_for_the_papers_claims() -> None:
    """The papers' claims are given at one rate of errors, so that nothing can cross.

    The claims about parts cross, but are not drawn.
    """
    of_papers = VOTES[VOTES["down"] == 0]
    of_parts = VOTES.assign(claims="parts")
    votes = pd.concat([of_papers, of_parts])

    for axes in claims_vote.draw(votes=votes, width=WIDTH).axes:
        assert list(axes.texts) == []


@pytest.mark.parametrize("with_results", [True, False], ids=["some results", "none"])
def test_no_text_of_a_figure_is_too_small_or_cut_off(with_results: bool) -> None:
    for name, figure in draw_all(with_results=with_results).items():
        figure.canvas.draw()
        frame = figure.bbox
        for text in visible_texts(figure):
            assert text.get_fontsize() >= MIN_FONT_SIZE
            # A text may be over the edge by 1 pixel.
            box = text.get_window_extent()
            assert frame.x0 - 1 <= box.x0 <= box.x1 <= frame.x1 + 1, f"{name}: {text.get_text()}"
            assert frame.y0 - 1 <= box.y0 <= box.y1 <= frame.y1 + 1, f"{name}: {text.get_text()}"


def test_judges_without_results_have_no_panel() -> None:
    figures = draw_all(with_results=False)
    assert len(figures["tiers"].axes) == len(figures["confusion"].axes) == 1
    for name, figure in figures.items():
        for label in JUDGES.values():
            assert label not in all_words(figure), name


def row_labels(axes: Axes) -> list[str]:
    """The names of the rows of a panel."""
    return [label.get_text() for label in axes.get_yticklabels()]


def drawn_shares(axes: Axes) -> list[list[float]]:
    """The shares of each line of markers in a panel, in per cent."""
    return [line.get_xdata().tolist() for line in axes.lines]


def test_the_finding_has_each_judge_beside_its_rivals_and_its_moves_beside_controls() -> None:
    right, moved, stayed = draw_all()["finding"].axes

    # The judge after the audit, and constant answers on the same criteria.
    assert row_labels(right) == ["Judge A, 2 claims", "always NO", "always YES"]
    assert drawn_shares(right) == [[60], [30], [20]]

    assert row_labels(moved) == ["Judge A", "at random"]
    assert drawn_shares(moved) == [[40], [50]]
    assert drawn_shares(stayed) == [[90], [30]]
    # Every share has an interval, so that no marker is hollow.
    assert {line.get_markerfacecolor() for line in stayed.lines}.isdisjoint({"white"})
