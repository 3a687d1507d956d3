"""Folds: groups whole, classes balanced, and scores of rows that were not fitted on."""

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.detector import _assign_folds, score_held_out

BOTH = np.array([True, False] * 20)  # each item has a seen and an unseen row
ITEMS = [f"item {row // 2}" for row in range(40)]


def test_groups_are_never_split() -> None:
    fold = _assign_folds(BOTH, ITEMS, seed=3)
    assert (fold[::2] == fold[1::2]).all()


def test_every_fold_has_as_many_seen_as_unseen_rows() -> None:
    fold = _assign_folds(BOTH, ITEMS, seed=3)
    assert np.bincount(fold).tolist() == [8] * 5
    assert np.bincount(fold[BOTH]).tolist() == [4] * 5


def test_there_are_no_more_folds_than_items_of_the_rarer_class() -> None:
    seen = np.arange(40) < 3  # two rows of the first item, one of the second
    assert set(_assign_folds(seen, ITEMS, seed=0)) == {0, 1}


@pytest.mark.parametrize("seen", [np.arange(40) < 2, np.zeros(40, dtype=bool)])
def test_a_class_of_one_item_cannot_be_held_out(seen: np.ndarray) -> None:
    with pytest.raises(ValueError, match="two items with a seen row and two with an unseen row"):
        _assign_folds(seen, ITEMS, seed=0)


def test_a_row_is_scored_by_what_was_fitted_on_the_other_folds() -> None:
    values = np.arange(40.0)[:, None]
    fold = _assign_folds(BOTH, ITEMS, seed=3)

    def fit_score(training: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        return held_out[:, 0] * 1000 + training[seen, 0].sum()

    scores = score_held_out(values, BOTH, ITEMS, fit_score, seed=3)
    for row in range(40):
        in_other_folds = [other for other in range(0, 40, 2) if fold[other] != fold[row]]  # seen
        assert scores[row] == row * 1000 + sum(in_other_folds)
