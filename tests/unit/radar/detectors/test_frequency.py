"""Calibration by token frequencies, against values worked out by hand."""

import numpy as np
import pytest

from mechaware.radar.detectors.frequency import score_divergence
from tests.unit.radar.detectors.made_evidence import scored, tokens

COUNTS = np.array([7, 0, 1])  # of 8 tokens, smoothed to 8/11, 1/11, 2/11


def test_a_token_counts_where_it_occurs_first() -> None:
    # Token 1: 0.001 * ln 11; token 2: 0.002 * ln(11 / 2); the second token 1, of probability 0.9, counts for nothing.
    text = tokens(np.log([0.001, 0.002, 0.9]), ids=[1, 2, 1])
    expected = (0.001 * np.log(11) + 0.002 * np.log(5.5)) / 2
    assert score_divergence(scored(text, token_counts=COUNTS), 0) == pytest.approx([expected])


def test_a_tokens_cross_entropy_is_capped_at_a_hundredth() -> None:
    # 0.5 * ln(11 / 8) = 0.16 is cut to 0.01; 0.004 * ln 11 = 0.0096 is not.
    text = tokens(np.log([0.5, 0.004]), ids=[0, 1])
    expected = (0.01 + 0.004 * np.log(11)) / 2
    assert score_divergence(scored(text, token_counts=COUNTS), 0) == pytest.approx([expected])


def test_a_text_of_one_repeated_token_is_one_occurrence() -> None:
    text = tokens(np.log([0.001, 1, 1]), ids=[2, 2, 2])
    assert score_divergence(scored(text, token_counts=COUNTS), 0) == pytest.approx([0.001 * np.log(5.5)])
