"""The figures of the claims study: their counts, their text, and that they are readable where results are missing."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from mechaware.claims.figures import (
    claims_architecture,
    claims_confusion,
    claims_dimensions,
    claims_planted_bias,
    claims_tiers,
    claims_variance,
)
from mechaware.claims.figures.panels import TIER_COLOUR, confusion
from mechaware.claims.rubric.criteria import CRITERIA, TIERS
from mechaware.claims.schemas import REPORTED_MAIN, REPORTED_SINGLE_RUN
from mechaware.claims.study.means import PLANTED, claims_beside_truth, criterion_bias, dimension_means
from mechaware.frames import read_csv
from mechaware.report.style import save_figure

REPORTED = Path(__file__).resolve().parents[4] / "config/reported"
MAIN = read_csv(REPORTED / "claims_main.csv", REPORTED_MAIN)
SINGLE_RUN = read_csv(REPORTED / "claims_single_run.csv", REPORTED_SINGLE_RUN)
JUDGES = {"a": "Judge A", "b": "Judge B"}
DRAWS = {"level": 0.95, "resamples": 200, "seed": 1}
CONFIGURED = {"confidence_level": 0.95, "bootstrap_resamples": 200, "seed": 1, "width": 7.0}
PAPERS = pd.DataFrame(
    [
        ("a", "p1", 1.4, "Proposed", "Proposed", 1.4, 2.5, 1.9),
        ("a", "p2", 8.3, "Validated", "Mechanistically Supported", 8.3, 9.2, 8.3),
        ("a", "p3", None, "", "Validated", None, None, None),
    ],
    columns=["judge", "paper", "cvs", "tier", "expected_tier", "single_low", "single_high", "voted_cvs"],
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
    [("p1", True, 4.2, 2, 2, 1, 0, 1), ("p2", False, 0.0, 0, 0, 0, 0, 0)], columns=["paper", "system", "cvs", *"CIMEV"]
)
CRITERION = pd.DataFrame(
    [
        ("a", "p1", "I2", "run-0", "YES", "NO"),
        ("a", "p1", "I2", "run-1", "PARTIAL", "NO"),
        ("a", "p2", "I2", "run-10", "", "NO"),
        ("a", "p1", "I2", "voted", "PARTIAL", "NO"),
        ("a", "p1", "I2", "audited", "NO", "NO"),
        ("a", "p2", "I2", "audited", "NO", "PARTIAL"),
    ],
    columns=["judge", "paper", "criterion", "stage", "status", "truth"],
)


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    yield
    plt.close("all")


def drawn(empty: bool) -> dict[str, Figure]:
    """All figures of results, of the tables above or of none."""
    papers, claims, truth, criteria = (
        table.iloc[:0] if empty else table for table in (PAPERS, CLAIMS, TRUTH, CRITERION)
    )
    of_papers = {"papers": papers, "reported_main": MAIN, "judge_labels": JUDGES, "width": 7.0}
    return {
        "tiers": claims_tiers.draw(**of_papers),
        "variance": claims_variance.draw(**of_papers, reported_single_run=SINGLE_RUN),
        "confusion": claims_confusion.draw(**of_papers),
        "dimensions": claims_dimensions.draw(claims=claims, truth=truth, judge_labels=JUDGES, **CONFIGURED),
        "bias": claims_planted_bias.draw(criteria=criteria, judge_labels=JUDGES, **CONFIGURED),
    }


def texts(figure: Figure) -> list[Text]:
    return [text for text in figure.findobj(Text) if text.get_text() and text.get_visible()]


def written(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in texts(figure))


def test_the_papers_own_confusion_has_five_exact_and_four_one_above() -> None:
    counts = confusion(MAIN)
    # Table 3 by hand: rows are predicted tiers, columns expected ones.
    assert counts.tolist() == [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 2, 2, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]]


def test_papers_without_a_tier_or_an_expected_one_are_not_counted() -> None:
    table = pd.concat([PAPERS, PAPERS.iloc[:1].assign(expected_tier="")])
    assert confusion(table).sum() == 2


def test_titles_give_the_agreement_and_the_spread() -> None:
    figures = drawn(empty=False)
    for name in ("tiers", "confusion"):
        assert "reported\nexact 5/9, within one 9/9" in written(figures[name])
        assert "Judge A\nexact 1/2, within one 1/2" in written(figures[name])
    # Table 4's ranges are 2.2 (twice), 0.8, 0.9, 1.3 and four of 0: 7.4 / 9 is 0.8.
    assert "reported\nmean range 0.8, largest 2.2" in written(figures["variance"])
    assert "Judge A\nmean range 1.0, largest 1.1" in written(figures["variance"])  # 1.1 and 0.9


def test_figure_3_compares_claims_about_the_planted_papers_only() -> None:
    beside = claims_beside_truth(CLAIMS, TRUTH)
    assert list(beside["judge"]) == [PLANTED] * 2 + ["a"] * 3
    assert beside["system"].tolist() == [True, False, True, False, False]
    means = dimension_means(beside, **DRAWS).set_index(["judge", "system", "dimension"])
    assert means.loc[("a", False, "C"), "mean"] == 1.5
    assert means.loc[("a", False, "E"), "mean"] == 0  # the open one does not count
    assert (means.loc[("a", False, "C"), "low"], means.loc[("a", False, "C"), "high"]) == (1, 2)
    assert means.loc[PLANTED, ["low", "high"]].isna().all(axis=None)
    assert claims_beside_truth(CLAIMS, TRUTH.iloc[:0])["paper"].tolist() == ["p1", "p1", "p2", "own"]


def test_the_bias_is_the_judges_value_minus_the_truth_by_stage() -> None:
    bias = criterion_bias(CRITERION, **DRAWS).set_index("stage")
    assert bias["mean"].to_dict() == {"single": 0.75, "voted": 0.5, "audited": -0.25}
    assert bias["n"].to_dict() == {"single": 2, "voted": 1, "audited": 2}
    assert (bias.loc["audited", "low"], bias.loc["audited", "high"]) == (-0.5, 0)


@pytest.mark.parametrize("empty", [False, True], ids=["some results", "none"])
def test_no_text_of_a_figure_is_too_small_or_cut_off(empty: bool) -> None:
    for name, figure in drawn(empty).items():
        figure.canvas.draw()
        frame = figure.bbox
        for text in texts(figure):
            assert text.get_fontsize() >= 6
            box = text.get_window_extent()
            assert frame.x0 - 1 <= box.x0 <= box.x1 <= frame.x1 + 1, f"{name}: {text.get_text()}"
            assert frame.y0 - 1 <= box.y0 <= box.y1 <= frame.y1 + 1, f"{name}: {text.get_text()}"


def test_the_same_results_give_the_same_file(tmp_path: Path) -> None:
    for copy in ("first", "second"):
        figure = claims_confusion.draw(papers=PAPERS, reported_main=PAPERS, judge_labels=JUDGES, width=7.0)
        save_figure(figure, tmp_path / f"{copy}.pdf", tmp_path / f"{copy}.png")
    assert (tmp_path / "first.pdf").read_bytes() == (tmp_path / "second.pdf").read_bytes()


def test_judges_without_results_are_said_to_have_none() -> None:
    figures = drawn(empty=True)
    assert written(figures["tiers"]).count("no paper") == len(JUDGES)
    assert written(figures["confusion"]).count("no tier to compare") == len(JUDGES)
    assert "no planted paper" in written(figures["dimensions"])
    assert written(figures["bias"]).replace("\n", " ").count("no claim matched") == len(JUDGES)


def test_an_unscored_paper_is_named_so() -> None:
    assert "unscored" in written(drawn(empty=False)["tiers"])


def test_the_colours_of_the_tiers_darken_so_that_they_keep_their_order_in_grey() -> None:
    red, green, blue = np.array([[int(colour[at : at + 2], 16) for colour in TIER_COLOUR] for at in (1, 3, 5)])
    grey = 0.299 * red + 0.587 * green + 0.114 * blue
    assert len(TIER_COLOUR) == len(TIERS)
    assert all(lighter - darker > 25 for lighter, darker in itertools.pairwise(grey))


@pytest.mark.parametrize(("runs", "boxes"), [(1, 1), (3, 3), (7, 3)])
def test_the_architecture_names_judges_and_runs(runs: int, boxes: int) -> None:
    judges = ["Lexical rules", "SmolLM2", "A third", "A fourth with a name that does not fit"]
    labels = {f"judge-{number}": label for number, label in enumerate(judges)}
    figure = claims_architecture.draw(judge_labels=labels, runs=runs, width=7.0)
    words = written(figure)
    assert f"{runs} independent extractions" in words
    assert words.count(f"{len(CRITERIA)} criteria a claim") == boxes
    assert "Lexical rules\nSmolLM2\nand 2 more" in words
    figure.canvas.draw()
    frame = figure.bbox
    for text in texts(figure):
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1, text.get_text()
