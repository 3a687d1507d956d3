"""Scores from log-probabilities, against values worked out by hand."""

import numpy as np
import pytest

from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.likelihood import (
    score_loss,
    score_lowercase,
    score_min_k,
    score_min_k_plus_plus,
    score_zlib,
)
from tests.unit.radar.detectors.made_evidence import scored, tokens


def test_loss_is_the_mean_log_probability() -> None:
    assert score_loss(scored(tokens([-1, -3]), tokens([-0.5])), 0).tolist() == [-2, -0.5]


def test_zlib_divides_the_mean_log_probability_by_the_compressed_bytes() -> None:
    # "abc" repeats nothing: 2 bytes of header, 3 + 3 * 8 + 7 bits (block, letters, end) in 5 bytes, 4 of checksum: 11.
    assert score_zlib(scored(tokens([-1.2, -3.2]), texts=["abc"]), 0) == pytest.approx([-2.2 / 11])


def test_the_same_text_scores_differently_under_two_models() -> None:
    evidence = scored(tokens([-1, -1]), tokens([-2, -2]), texts=["abc", "abc"])
    seen, unseen = score_zlib(evidence, 0)
    assert seen > unseen


def test_lowercase_is_minus_the_ratio_of_mean_losses() -> None:
    # The lowercased text has a token more: -(1 + 2) / 2 over -(2 + 4 + 9) / 3.
    evidence = scored(tokens([-1, -2]), lowercase=[tokens([-2, -4, -9])])
    assert score_lowercase(evidence, 0) == pytest.approx([-1.5 / 5])


def test_a_text_that_is_certain_in_lower_case_has_a_finite_score() -> None:
    # The least loss is 1e-6.
    assert score_lowercase(scored(tokens([-2]), lowercase=[tokens([0])]), 0) == pytest.approx([-2e6])


def test_min_k_averages_the_lowest_fifth() -> None:
    # 2 of 10 tokens.
    assert score_min_k(scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7, -1])), 0).tolist() == [-8.5]


def test_min_k_takes_at_least_one_token() -> None:
    # A fifth of 3 and of 1 is less than a token.
    assert score_min_k(scored(tokens([-1, -7, -2]), tokens([-0.25])), 0).tolist() == [-7, -0.25]


def test_min_k_plus_plus_divides_by_the_standard_deviation() -> None:
    # (-1 + 2) / 0.5 = 2 and (-4 + 2) / 4 = -0.5, of which one is taken; by the variance it would be -0.125.
    text = tokens([-1, -4], means=[-2, -2], deviations=[0.5, 4])
    assert score_min_k_plus_plus(scored(text), 0).tolist() == [-0.5]


def test_min_k_plus_plus_is_zero_where_all_tokens_are_equally_likely() -> None:
    # Uniform over 4 tokens: log p is the mean, whatever rounding leaves of the difference, and the deviation is 0.
    uniform = -np.log(4)
    constant = tokens([uniform, uniform], means=[uniform, uniform - 1e-12], deviations=[0, 0])
    assert score_min_k_plus_plus(scored(constant), 0).tolist() == [0]


def test_min_k_plus_plus_of_one_token_is_its_standardised_value() -> None:
    assert score_min_k_plus_plus(scored(tokens([-3], means=[-2], deviations=[2])), 0).tolist() == [-0.5]


def test_log_probabilities_of_single_precision_are_averaged_in_double() -> None:
    # 0.1 in float32 differs from 0.1; the mean of 3 of them is exactly it.
    single = np.full(3, -0.1, dtype=np.float32)
    text = TokenScores(np.arange(3), single, single, single, single)
    assert score_loss(scored(text), 0).tolist() == [float(single[0])]
