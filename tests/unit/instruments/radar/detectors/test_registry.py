"""Properties of every detector, and what is refused of the user's own."""

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

# Refitted in each fold, RADAR takes five times as long as all other detectors: only in the gate, except in one test.
SLOW = {"radar_refitted"}


def each_detector(*marks: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """A case for each detector; the cases of slow detectors have `marks`."""
    cases = []
    for detector in DETECTORS:
        own_marks = marks if detector.name in SLOW else ()
        cases.append(pytest.param(detector, marks=own_marks, id=detector.name))
    return pytest.mark.parametrize("detector", cases)


def test_names_and_labels_are_unique() -> None:
    assert len({detector.name for detector in DETECTORS}) == len(DETECTORS)
    assert len({detector.label for detector in DETECTORS}) == len(DETECTORS)


def test_needed_evidence_is_what_detectors_declare_and_what_is_named() -> None:
    by_name = {detector.name: detector for detector in DETECTORS}
    assert needed_evidence([by_name["loss"], by_name["reference"]]) == []
    assert needed_evidence([by_name["peakedness"]], ["swapped"]) == ["swapped", "samples"]
    # Two detectors read the gradient, which is listed once.
    assert needed_evidence(DETECTORS) == ["lowercase", "swapped", "gradient_norms", "samples"]


def test_a_detector_whose_optional_evidence_is_not_measured_is_refused() -> None:
    """Evidence that is not optional is there, or its detector is left out."""
    by_name = {detector.name: detector for detector in DETECTORS}
    check_needs([by_name["loss"], by_name["reference"], by_name["pac"]], ["swapped"])
    message = "radar/optional_evidence: the detector peakedness needs samples; add samples there"
    with pytest.raises(UserError, match=message):
        check_needs([by_name["loss"], by_name["peakedness"]], ["swapped", "gradient_norms"])


@each_detector()
def test_the_needs_of_a_detector_suffice_and_each_is_read(detector: Detector) -> None:
    not_needed = set(Evidence._fields) - ALWAYS - set(detector.needs)
    least = EVIDENCE._replace(**dict.fromkeys(not_needed))
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
def test_no_detector_scores_the_text_alone(detector: Detector) -> None:
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
def test_scores_of_another_shape_or_not_finite_are_refused_by_the_detectors_name(
    given: list[float], message: str
) -> None:
    detector = Detector("broken", "", "", (), lambda *_: np.array(given))
    with pytest.raises(UserError, match=f"detector broken: {message}"):
        score_items(scored(tokens([-1]), tokens([-2])), (detector,), seed=0)


def test_own_scores_of_a_benchmark_are_joined_by_item_after_ours() -> None:
    rows = pd.DataFrame({"id": ["a", "b", "control/a"], "control": [False, False, True]})
    ours = rows.assign(loss=[1.0, 2.0, 3.0])
    own = rows.assign(mine=[10.0, 20.0, 30.0]).iloc[[2, 0, 1]]
    expected = rows.assign(loss=[1.0, 2.0, 3.0], mine=[10.0, 20.0, 30.0])
    pd.testing.assert_frame_equal(join_own_scores(ours, [own]), expected)
    pd.testing.assert_frame_equal(join_own_scores(ours, []), ours)
