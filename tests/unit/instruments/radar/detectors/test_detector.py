"""Folds: groups whole, classes balanced, and scores of rows that were not fitted on."""

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.detector import _assign_folds, score_held_out

# 20 items with a seen and an unseen row each: item 0, item 0, item 1, item 1, ...
SEEN = np.array([True, False] * 20)
ITEMS = [f"item {row // 2}" for row in range(40)]


def test_groups_are_never_split() -> None:
    fold_of_row = _assign_folds(SEEN, ITEMS, seed=3)
    assert (fold_of_row[::2] == fold_of_row[1::2]).all()


def test_every_fold_has_as_many_seen_as_unseen_rows() -> None:
    """Five folds of 40 rows have 8 rows each, of which 4 are seen."""
    fold_of_row = _assign_folds(SEEN, ITEMS, seed=3)
    assert np.bincount(fold_of_row).tolist() == [8] * 5
    assert np.bincount(fold_of_row[SEEN]).tolist() == [4] * 5


def test_there_are_no_more_folds_than_items_of_the_rarer_class() -> None:
    seen = np.arange(40) < 3  # two rows of the first item, and one of the second
    assert set(_assign_folds(seen, ITEMS, seed=0)) == {0, 1}


@pytest.mark.parametrize(
    "seen",
    [np.arange(40) < 2, np.zeros(40, dtype=bool)],
    ids=["one item is seen", "no item is seen"],
)
def test_a_class_of_fewer_than_two_items_cannot_be_held_out(seen: np.ndarray) -> None:
    with pytest.raises(ValueError, match="two items with a seen row and two with an unseen row"):
        _assign_folds(seen, ITEMS, seed=0)


def test_a_row_is_scored_by_what_was_fitted_on_the_other_folds() -> None:
    """The score is 1000 times the row's value, plus the values of the seen rows it was fitted on.

    The value of a row is its number. The rows with even numbers are seen; their sum is below 1000.
    """
    values = np.arange(40.0)[:, None]
    fold_of_row = _assign_folds(SEEN, ITEMS, seed=3)

    def fit_score(training: np.ndarray, seen: np.ndarray, held_out: np.ndarray) -> np.ndarray:
        return held_out[:, 0] * 1000 + training[seen, 0].sum()

    scores = score_held_out(values, SEEN, ITEMS, fit_score, seed=3)
    seen_rows = np.arange(0, 40, 2)
    for row in range(40):
        is_in_other_fold = fold_of_row[seen_rows] != fold_of_row[row]
        assert scores[row] == row * 1000 + seen_rows[is_in_other_fold].sum()
