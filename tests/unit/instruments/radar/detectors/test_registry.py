"""What all detectors have in common, and their ranks on scores whose areas are counted by hand."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import (
    DETECTORS,
    check_needs,
    join_own_scores,
    needed_evidence,
    rank_detectors,
    score_items,
)
from mechaware.instruments.radar.evidence.evidence import Evidence
from tests.unit.instruments.radar.detectors.made_evidence import (
    items_under_two_models,
    rearranged,
    scored,
    tokens,
)

REPOSITORY = Path(__file__).resolve().parents[5]
ALWAYS = {"texts", "groups", "scores"}
EVIDENCE = items_under_two_models(12, seed=4)

# The ensemble is fitted again in each fold, five times as long as all others together: but for one test in the gate.
SLOW = {"radar_refitted"}


def each_detector(*marks: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """A case for each; those of `SLOW` have `marks`."""
    cases = [
        pytest.param(each, marks=marks if each.name in SLOW else (), id=each.name)
        for each in DETECTORS
    ]
    return pytest.mark.parametrize("detector", cases)


def test_names_and_labels_are_unique() -> None:
    for names in (
        [detector.name for detector in DETECTORS],
        [detector.label for detector in DETECTORS],
    ):
        assert len(set(names)) == len(DETECTORS)


def test_needed_evidence_is_what_detectors_declare_and_what_is_named() -> None:
    by_name = {detector.name: detector for detector in DETECTORS}
    assert needed_evidence([by_name["loss"], by_name["reference"]]) == []
    assert needed_evidence([by_name["peakedness"]], ["swapped"]) == ["swapped", "samples"]
    # Two detectors read the gradient.
    assert needed_evidence(DETECTORS) == ["lowercase", "swapped", "gradient_norms", "samples"]


def test_a_detector_whose_optional_evidence_is_not_measured_is_refused() -> None:
    """Evidence that is not optional is there, or its detector is left out."""
    by_name = {detector.name: detector for detector in DETECTORS}
    check_needs([by_name["loss"], by_name["reference"], by_name["pac"]], ["swapped"])
    message = "radar/optional_evidence: the detector peakedness needs samples; add samples there"
    with pytest.raises(UserError, match=message):
        check_needs([by_name["loss"], by_name["peakedness"]], ["swapped", "gradient_norms"])


@each_detector()
def test_its_needs_suffice_and_each_is_read(detector: Detector) -> None:
    least = EVIDENCE._replace(**dict.fromkeys(set(Evidence._fields) - ALWAYS - set(detector.needs)))
    whole = score_items(EVIDENCE, (detector,), seed=5)
    pd.testing.assert_frame_equal(score_items(least, (detector,), seed=5), whole, check_exact=True)
    assert list(whole) == [detector.name]
    for need in detector.needs:
        without = least._replace(**{need: None})
        assert score_items(without, (detector,), seed=5).shape == (24, 0)
        with pytest.raises(ValueError, match="was not measured"):
            detector.score(without, 5)


@each_detector(pytest.mark.gate)
def test_rows_in_another_order_have_the_same_scores(detector: Detector) -> None:
    order = np.random.default_rng(6).permutation(24)
    shuffled = rearranged(EVIDENCE, order)
    assert detector.score(shuffled, 5).tolist() == detector.score(EVIDENCE, 5)[order].tolist()


@each_detector(pytest.mark.gate)
def test_a_score_of_the_text_alone_cannot_enter(detector: Detector) -> None:
    """The same texts under other models, trained on other texts, have other scores."""
    other = items_under_two_models(12, seed=9)
    assert list(other.texts) == list(EVIDENCE.texts)
    assert other.corpus[0] != EVIDENCE.corpus[0]
    assert detector.score(other, 5).tolist() != detector.score(EVIDENCE, 5).tolist()


def test_columns_come_in_the_lists_order() -> None:
    scores = score_items(EVIDENCE, seed=5)
    assert list(scores) == [detector.name for detector in DETECTORS]
    assert scores.shape == (24, len(DETECTORS))
    assert np.isfinite(scores.to_numpy()).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([0.0, np.nan], "row 1 has no finite score"),
        ([0.0, np.inf], "row 1 has no finite score"),
        ([0.0] * 3, r"scores of shape \(3,\); return one for each row"),
    ],
)
def test_scores_that_are_none_are_refused_by_the_detectors_name(
    given: list[float], message: str
) -> None:
    detector = Detector("broken", "", "", (), lambda *_: np.array(given))
    with pytest.raises(UserError, match=f"detector broken: {message}"):
        score_items(scored(tokens([-1]), tokens([-2])), (detector,), seed=0)


def test_own_scores_of_a_benchmark_are_joined_by_item_behind_ours() -> None:
    rows = pd.DataFrame({"id": ["a", "b", "control/a"], "control": [False, False, True]})
    ours = rows.assign(loss=[1.0, 2.0, 3.0])
    own = rows.assign(mine=[10.0, 20.0, 30.0]).iloc[[2, 0, 1]]
    expected = rows.assign(loss=[1.0, 2.0, 3.0], mine=[10.0, 20.0, 30.0])
    pd.testing.assert_frame_equal(join_own_scores(ours, [own]), expected)
    pd.testing.assert_frame_equal(join_own_scores(ours, []), ours)


SEEN = [True, True, True, False, False, False]
SCORES = pd.DataFrame(
    {
        "id": list("abcdef"),
        "seen": SEEN,
        "loss": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "zlib": [6.0, 5.0, 1.0, 4.0, 2.0, 0.0],  # 6 and 5 win three pairs each, 1 wins one: 7 of 9
        "overlap": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        "radar": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
)


def test_a_row_per_detector_with_the_best_first_and_equal_ones_in_the_lists_order() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1)
    assert table["detector"].tolist() == ["overlap", "zlib", "loss", "radar"]
    assert table["label"].tolist() == ["8-gram overlap", "zlib", "loss", "RADAR"]
    assert table["source"].tolist() == [
        "ours",
        "Carlini et al. 2021",
        "Yeom et al. 2018",
        "Kattamuri et al. 2025",
    ]
    assert table["auroc"].tolist() == pytest.approx([1, 7 / 9, 1 / 2, 1 / 2])
    # No unseen item may be found: the threshold is the highest of their scores. Above 4 lie two of three.
    assert table["tpr_at_5_percent"].tolist() == pytest.approx([1, 2 / 3, 0, 0])
    assert (table["n_seen"] == 3).all()
    assert (table["n_unseen"] == 3).all()


def test_the_interval_holds_the_area_and_has_no_width_where_no_draw_changes_it() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1).set_index("detector")
    assert tuple(table.loc["overlap", ["low", "high"]]) == (1, 1)
    assert tuple(table.loc["loss", ["low", "high"]]) == (0.5, 0.5)
    assert table.loc["zlib", "low"] < 7 / 9 < table.loc["zlib", "high"]
    narrower = rank_detectors(SCORES, resamples=400, seed=1, confidence_level=0.5).set_index(
        "detector"
    )
    assert np.ptp(narrower.loc["zlib", ["low", "high"]]) < np.ptp(
        table.loc["zlib", ["low", "high"]]
    )
