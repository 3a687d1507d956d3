"""Peakedness of sampled continuations, against values worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from mechaware.radar.detectors.sampling import score_peakedness
from mechaware.radar.evidence.evidence import Samples
from tests.unit.radar.detectors.made_evidence import scored, tokens

GREEDY = list(range(100, 120))  # 20 tokens: one edit is allowed


def peakedness(greedy: Sequence[int], *drawn: Sequence[int]) -> float:
    samples = Samples(np.array(greedy, dtype=int), [np.array(ids, dtype=int) for ids in drawn])
    (score,) = score_peakedness(scored(tokens([-1]), samples=[samples]), 0)
    return float(score)


def test_the_score_is_the_share_of_samples_within_one_edit_in_twenty() -> None:
    one_edit, two_edits = [7, *GREEDY[1:]], [7, 8, *GREEDY[2:]]
    assert peakedness(GREEDY, GREEDY, one_edit, two_edits) == pytest.approx(2 / 3)


def test_an_edit_is_of_a_token_not_of_a_digit() -> None:
    assert peakedness(GREEDY, [*GREEDY[:-1], 98765]) == 1


def test_a_token_left_out_shifts_the_others_and_is_one_edit() -> None:
    assert peakedness(GREEDY, GREEDY[1:]) == 1


def test_the_length_is_that_of_the_longest_continuation() -> None:
    # A sample of 40 tokens allows two edits, which the other sample needs; itself it needs at least 20.
    assert peakedness(GREEDY, [7, 8, *GREEDY[2:]], range(40)) == 0.5


def test_short_continuations_have_to_be_equal() -> None:
    assert peakedness([1, 2], [1, 2], [1, 3], [1], [1, 2, 3]) == 0.25


def test_empty_continuations_are_equal_and_no_continuations_score_zero() -> None:
    assert peakedness([], []) == 1
    assert peakedness([], [1]) == 0
    assert peakedness([1]) == 0
