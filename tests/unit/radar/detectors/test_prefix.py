"""Scores after prefixes, against values worked out by hand."""

import pytest

from mechaware.radar.detectors.prefix import score_contrasted, score_relative
from tests.unit.radar.detectors.made_evidence import scored, tokens


def test_the_ratio_is_of_mean_log_likelihoods() -> None:
    evidence = scored(tokens([-1, -2]), after_unseen=[tokens([-2, -4])])
    assert score_relative(evidence, 0).tolist() == [2]


def test_a_text_that_an_unseen_prefix_hurts_more_scores_higher() -> None:
    # As in Xie et al.: the prefix takes the seen text from -1 to -1.5, the unseen one from -3 to -3.1.
    evidence = scored(tokens([-1]), tokens([-3]), after_unseen=[tokens([-1.5]), tokens([-3.1])])
    assert score_relative(evidence, 0) == pytest.approx([1.5, 3.1 / 3])


def test_the_seen_prefix_counts_half() -> None:
    # (-3 + 0.5 * 2) / -1 = 2.
    evidence = scored(tokens([-1]), after_unseen=[tokens([-3])], after_seen=[tokens([-2])])
    assert score_contrasted(evidence, 0).tolist() == [2]


def test_a_memorised_text_of_loss_zero_has_a_finite_score() -> None:
    # The least loss is 1e-6.
    evidence = scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])], after_seen=[tokens([0, 0])])
    assert score_relative(evidence, 0) == pytest.approx([1e6])
    assert score_contrasted(evidence, 0) == pytest.approx([1e6 - 0.5])
