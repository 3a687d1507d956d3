"""Properties that every detector has, and what is refused: missing evidence and unusable scores."""

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

ALWAYS_MEASURED = {"texts", "groups", "scores"}
N_ITEMS = 12
N_ROWS = 2 * N_ITEMS  # each item under two models
EVIDENCE = items_under_two_models(N_ITEMS, seed=4)

# RADAR, refitted in each fold, takes five times as long as all other detectors together. So only
# the gate runs its cases, except those of one test.
SLOW = {"radar_refitted"}
BY_NAME = {detector.name: detector for detector in DETECTORS}


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


def test_needed_evidence_is_the_optional_fields_that_detectors_need_or_that_are_named() -> None:
    # The loss needs no field, and the reference none that is optional.
    assert needed_evidence([BY_NAME["loss"], BY_NAME["reference"]]) == []
    assert needed_evidence([BY_NAME["peakedness"]], ["swapped"]) == ["swapped", "samples"]
    # GRADIENT_NORM and MIN_K_PLUS_PLUS_WITH_GRADIENT need the same field, which is listed once.
    assert needed_evidence(DETECTORS) == ["lowercase", "swapped", "gradient_norms", "samples"]


def test_a_detector_whose_optional_evidence_is_not_measured_is_refused() -> None:
    # The reference's field is not optional: without it the detector is left out, not refused.
    check_needs([BY_NAME["loss"], BY_NAME["reference"], BY_NAME["pac"]], ["swapped"])
    message = "radar/optional_evidence: the detector peakedness needs samples; add samples there"
    with pytest.raises(UserError, match=message):
        check_needs([BY_NAME["loss"], BY_NAME["peakedness"]], ["swapped", "gradient_norms"])


@each_detector()
def test_the_needs_of_a_detector_suffice_and_each_is_read(detector: Detector) -> None:
    not_needed = set(Evidence._fields) - ALWAYS_MEASURED - set(detector.needs)
    needed = EVIDENCE._replace(**dict.fromkeys(not_needed))  # all other fields are None
    expected = score_items(EVIDENCE, (detector,), seed=5)
    scores = score_items(needed, (detector,), seed=5)
    pd.testing.assert_frame_equal(scores, expected, check_exact=True)
    assert list(scores) == [detector.name]
    for need in detector.needs:
        without = needed._replace(**{need: None})
        assert score_items(without, (detector,), seed=5).shape == (N_ROWS, 0)
        with pytest.raises(ValueError, match="was not measured"):
            detector.score(without, 5)


@each_detector(pytest.mark.gate)
def test_rows_in_another_order_have_the_same_scores(detector: Detector) -> None:
    order = np.random.default_rng(6).permutation(N_ROWS)
    shuffled = rearranged(EVIDENCE, order)
    assert detector.score(shuffled, 5).tolist() == detector.score(EVIDENCE, 5)[order].tolist()


@each_detector(pytest.mark.gate)
def test_the_same_texts_have_other_scores_under_other_models(detector: Detector) -> None:
    """No detector reads the text alone. The other models are trained on other texts, too."""
    other = items_under_two_models(N_ITEMS, seed=9)
    assert list(other.texts) == list(EVIDENCE.texts)
    assert other.corpus[0] != EVIDENCE.corpus[0]
    assert detector.score(other, 5).tolist() != detector.score(EVIDENCE, 5).tolist()


def test_columns_come_in_the_order_of_the_list() -> None:
    scores = score_items(EVIDENCE, seed=5)
    assert list(scores) == [detector.name for detector in DETECTORS]
    assert scores.shape == (N_ROWS, len(DETECTORS))
    assert np.isfinite(scores.to_numpy()).all()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param([0.0, np.nan], "row 1 has no finite score", id="not a number"),
        pytest.param([0.0, np.inf], "row 1 has no finite score", id="infinite"),
        pytest.param(
            [0.0, 0.0, 0.0],
            r"scores of shape \(3,\); return one for each row",
            id="three scores of two rows",
        ),
    ],
)
def test_unusable_scores_are_refused_with_the_detectors_name(
    given: list[float], message: str
) -> None:
    def score(evidence: Evidence, seed: int) -> np.ndarray:
        return np.array(given)

    detector = Detector("broken", label="", source="", needs=(), score=score)
    with pytest.raises(UserError, match=f"detector broken: {message}"):
        score_items(scored(tokens([-1]), tokens([-2])), (detector,), seed=0)


def test_the_users_own_scores_of_a_benchmark_are_joined_by_item_as_the_last_column() -> None:
    rows = pd.DataFrame({"id": ["a", "b", "control/a"], "control": [False, False, True]})
    ours = rows.assign(loss=[1.0, 2.0, 3.0])
    own = rows.assign(mine=[10.0, 20.0, 30.0]).iloc[[2, 0, 1]]  # in another order
    expected = rows.assign(loss=[1.0, 2.0, 3.0], mine=[10.0, 20.0, 30.0])
    pd.testing.assert_frame_equal(join_own_scores(ours, [own]), expected)
    pd.testing.assert_frame_equal(join_own_scores(ours, []), ours)
