"""Scores from log-probabilities, against values worked out by hand."""

import numpy as np
import pytest

from mechaware.models.token_scores import TokenScores
from mechaware.radar.detectors.likelihood import (
    CONTRASTED,
    DIVERGENCE,
    ERROR_ZONE,
    LOSS,
    LOWERCASE,
    MIN_K,
    MIN_K_PLUS_PLUS,
    REFERENCE,
    RELATIVE,
    WINDOW_COMPARISON,
    ZLIB,
)
from tests.unit.radar.detectors.made_evidence import scored, tokens


def test_loss_is_the_mean_log_probability() -> None:
    assert LOSS.score(scored(tokens([-1, -3]), tokens([-0.5])), 0).tolist() == [-2, -0.5]


def test_zlib_divides_the_mean_log_probability_by_the_compressed_bytes() -> None:
    # "abc" repeats nothing: 2 bytes of header, 3 + 3 * 8 + 7 bits (block, letters, end) in 5 bytes, 4 of checksum: 11.
    assert ZLIB.score(scored(tokens([-1.2, -3.2]), texts=["abc"]), 0) == pytest.approx([-2.2 / 11])


def test_the_same_text_scores_differently_under_two_models() -> None:
    evidence = scored(tokens([-1, -1]), tokens([-2, -2]), texts=["abc", "abc"])
    seen, unseen = ZLIB.score(evidence, 0)
    assert seen > unseen


def test_lowercase_is_minus_the_ratio_of_mean_losses() -> None:
    # The lowercased text has a token more: -(1 + 2) / 2 over -(2 + 4 + 9) / 3.
    evidence = scored(tokens([-1, -2]), lowercase=[tokens([-2, -4, -9])])
    assert LOWERCASE.score(evidence, 0) == pytest.approx([-1.5 / 5])


def test_a_text_that_is_certain_in_lower_case_has_a_finite_score() -> None:
    # The least loss is 1e-6.
    assert LOWERCASE.score(scored(tokens([-2]), lowercase=[tokens([0])]), 0) == pytest.approx([-2e6])


def test_min_k_averages_the_lowest_fifth() -> None:
    # 2 of 10 tokens.
    assert MIN_K.score(scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7, -1])), 0).tolist() == [-8.5]


def test_min_k_takes_at_least_one_token() -> None:
    # A fifth of 3 and of 1 is less than a token.
    assert MIN_K.score(scored(tokens([-1, -7, -2]), tokens([-0.25])), 0).tolist() == [-7, -0.25]


def test_min_k_plus_plus_divides_by_the_standard_deviation() -> None:
    # (-1 + 2) / 0.5 = 2 and (-4 + 2) / 4 = -0.5, of which one is taken; by the variance it would be -0.125.
    text = tokens([-1, -4], means=[-2, -2], deviations=[0.5, 4])
    assert MIN_K_PLUS_PLUS.score(scored(text), 0).tolist() == [-0.5]


def test_min_k_plus_plus_is_zero_where_all_tokens_are_equally_likely() -> None:
    # Uniform over 4 tokens: log p is the mean, whatever rounding leaves of the difference, and the deviation is 0.
    uniform = -np.log(4)
    constant = tokens([uniform, uniform], means=[uniform, uniform - 1e-12], deviations=[0, 0])
    assert MIN_K_PLUS_PLUS.score(scored(constant), 0).tolist() == [0]


def test_min_k_plus_plus_of_one_token_is_its_standardised_value() -> None:
    assert MIN_K_PLUS_PLUS.score(scored(tokens([-3], means=[-2], deviations=[2])), 0).tolist() == [-0.5]


def test_log_probabilities_of_single_precision_are_averaged_in_double() -> None:
    # 0.1 in float32 differs from 0.1; the mean of 3 of them is exactly it.
    single = np.full(3, -0.1, dtype=np.float32)
    text = TokenScores(np.arange(3), single, single, single, single)
    assert LOSS.score(scored(text), 0).tolist() == [float(single[0])]


def test_the_score_is_the_difference_of_mean_log_probabilities() -> None:
    evidence = scored(tokens([-1, -2]), tokens([-4]), reference=[tokens([-3, -5]), tokens([-1])])
    assert REFERENCE.score(evidence, 0).tolist() == [2.5, -3]


def test_windows_vote_by_the_sign_of_their_sum() -> None:
    # Gains 1, -2, 3: windows of 2 sum to -1 and 1, so one half; the other nine sizes see the whole text, 2 > 0.
    evidence = scored(tokens([-1, -4, -1]), reference=[tokens([-2, -2, -4])])
    assert WINDOW_COMPARISON.score(evidence, 0) == pytest.approx([(0.5 + 9 * 1) / 10])


def test_windows_of_four_tokens_have_three_sizes() -> None:
    # Gains -3, 1, 1, -3: of 2: -2, 2, -2, so 1/3; of 3: -1, -1, so 0; eight sizes see all four: -4, so 0.
    evidence = scored(tokens([-4, -1, -1, -4]), reference=[tokens([-1, -2, -2, -1])])
    assert WINDOW_COMPARISON.score(evidence, 0) == pytest.approx([(1 / 3) / 10])


def test_a_text_of_one_token_is_one_window_in_every_size() -> None:
    better, equal, worse = tokens([-1]), tokens([-2]), tokens([-3])
    evidence = scored(better, equal, worse, reference=[tokens([-2])] * 3)
    assert WINDOW_COMPARISON.score(evidence, 0).tolist() == [1, 0, 0]


def test_only_tokens_that_the_model_gets_wrong_count() -> None:
    # Errors at the first and last token, gains 2 and -0.5; the gain of 7 at the right token counts for nothing.
    text = tokens([-1, -2, -3], best=[-0.5, -2, -1])
    assert ERROR_ZONE.score(scored(text, reference=[tokens([-3, -9, -2.5])]), 0) == pytest.approx([2 / 2.5])


def test_a_text_without_errors_or_without_losses_counts_as_seen() -> None:
    no_error = tokens([-0.1, -0.2], best=[-0.1, -0.2])
    no_loss = tokens([-3], best=[-0.1])
    evidence = scored(no_error, no_loss, reference=[tokens([-0.05, -0.1]), tokens([-4])])
    assert ERROR_ZONE.score(evidence, 0).tolist() == [1, 1]


def test_a_text_whose_errors_the_reference_predicts_better_scores_zero() -> None:
    assert ERROR_ZONE.score(scored(tokens([-3], best=[-0.1]), reference=[tokens([-2])]), 0).tolist() == [0]


def test_the_ratio_is_of_mean_log_likelihoods() -> None:
    evidence = scored(tokens([-1, -2]), after_unseen=[tokens([-2, -4])])
    assert RELATIVE.score(evidence, 0).tolist() == [2]


def test_a_text_that_an_unseen_prefix_hurts_more_scores_higher() -> None:
    # As in Xie et al.: the prefix takes the seen text from -1 to -1.5, the unseen one from -3 to -3.1.
    evidence = scored(tokens([-1]), tokens([-3]), after_unseen=[tokens([-1.5]), tokens([-3.1])])
    assert RELATIVE.score(evidence, 0) == pytest.approx([1.5, 3.1 / 3])


def test_the_seen_prefix_counts_half() -> None:
    # (-3 + 0.5 * 2) / -1 = 2.
    evidence = scored(tokens([-1]), after_unseen=[tokens([-3])], after_seen=[tokens([-2])])
    assert CONTRASTED.score(evidence, 0).tolist() == [2]


def test_a_memorised_text_of_loss_zero_has_a_finite_score() -> None:
    # The least loss is 1e-6.
    evidence = scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])], after_seen=[tokens([0, 0])])
    assert RELATIVE.score(evidence, 0) == pytest.approx([1e6])
    assert CONTRASTED.score(evidence, 0) == pytest.approx([1e6 - 0.5])


COUNTS = np.array([7, 0, 1])  # of 8 tokens, smoothed to 8/11, 1/11, 2/11


def test_a_token_counts_where_it_occurs_first() -> None:
    # Token 1: 0.001 * ln 11; token 2: 0.002 * ln(11 / 2); the second token 1, of probability 0.9, counts for nothing.
    text = tokens(np.log([0.001, 0.002, 0.9]), ids=[1, 2, 1])
    expected = (0.001 * np.log(11) + 0.002 * np.log(5.5)) / 2
    assert DIVERGENCE.score(scored(text, token_counts=COUNTS), 0) == pytest.approx([expected])


def test_a_tokens_cross_entropy_is_capped_at_a_hundredth() -> None:
    # 0.5 * ln(11 / 8) = 0.16 is cut to 0.01; 0.004 * ln 11 = 0.0096 is not.
    text = tokens(np.log([0.5, 0.004]), ids=[0, 1])
    expected = (0.01 + 0.004 * np.log(11)) / 2
    assert DIVERGENCE.score(scored(text, token_counts=COUNTS), 0) == pytest.approx([expected])


def test_a_text_of_one_repeated_token_is_one_occurrence() -> None:
    text = tokens(np.log([0.001, 1, 1]), ids=[2, 2, 2])
    assert DIVERGENCE.score(scored(text, token_counts=COUNTS), 0) == pytest.approx([0.001 * np.log(5.5)])
