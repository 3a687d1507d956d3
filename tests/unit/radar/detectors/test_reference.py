"""Scores against a reference model, against values worked out by hand."""

import pytest

from mechaware.radar.detectors.reference import score_errors, score_reference, score_windows
from tests.unit.radar.detectors.made_evidence import scored, tokens


def test_the_score_is_the_difference_of_mean_log_probabilities() -> None:
    evidence = scored(tokens([-1, -2]), tokens([-4]), reference=[tokens([-3, -5]), tokens([-1])])
    assert score_reference(evidence, 0).tolist() == [2.5, -3]


def test_windows_vote_by_the_sign_of_their_sum() -> None:
    # Gains 1, -2, 3: windows of 2 sum to -1 and 1, so one half; the other nine sizes see the whole text, 2 > 0.
    evidence = scored(tokens([-1, -4, -1]), reference=[tokens([-2, -2, -4])])
    assert score_windows(evidence, 0) == pytest.approx([(0.5 + 9 * 1) / 10])


def test_windows_of_four_tokens_have_three_sizes() -> None:
    # Gains -3, 1, 1, -3: of 2: -2, 2, -2, so 1/3; of 3: -1, -1, so 0; eight sizes see all four: -4, so 0.
    evidence = scored(tokens([-4, -1, -1, -4]), reference=[tokens([-1, -2, -2, -1])])
    assert score_windows(evidence, 0) == pytest.approx([(1 / 3) / 10])


def test_a_text_of_one_token_is_one_window_in_every_size() -> None:
    better, equal, worse = tokens([-1]), tokens([-2]), tokens([-3])
    evidence = scored(better, equal, worse, reference=[tokens([-2])] * 3)
    assert score_windows(evidence, 0).tolist() == [1, 0, 0]


def test_only_tokens_that_the_model_gets_wrong_count() -> None:
    # Errors at the first and last token, gains 2 and -0.5; the gain of 7 at the right token counts for nothing.
    text = tokens([-1, -2, -3], best=[-0.5, -2, -1])
    assert score_errors(scored(text, reference=[tokens([-3, -9, -2.5])]), 0) == pytest.approx([2 / 2.5])


def test_a_text_without_errors_or_without_losses_counts_as_seen() -> None:
    no_error = tokens([-0.1, -0.2], best=[-0.1, -0.2])
    no_loss = tokens([-3], best=[-0.1])
    evidence = scored(no_error, no_loss, reference=[tokens([-0.05, -0.1]), tokens([-4])])
    assert score_errors(evidence, 0).tolist() == [1, 1]


def test_a_text_whose_errors_the_reference_predicts_better_scores_zero() -> None:
    assert score_errors(scored(tokens([-3], best=[-0.1]), reference=[tokens([-2])]), 0).tolist() == [0]
