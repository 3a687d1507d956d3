"""Scores from log-probabilities, against values worked out by hand."""

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.likelihood import (
    CONTRASTED,
    DIVERGENCE,
    ERROR_ZONE,
    LOSS,
    LOWERCASE,
    MIN_K,
    MIN_K_PLUS_PLUS,
    ORDER,
    REFERENCE,
    RELATIVE,
    REPETITION,
    SLOPE,
    SURPRISE,
    WINDOW_COMPARISON,
    ZLIB,
)
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.models.summaries import TokenScores
from tests.unit.instruments.radar.detectors.made_evidence import scored, tokens

UNIFORM = -np.log(4)
COUNTS = np.array([7, 0, 1])  # of 8 tokens, smoothed to 8/11, 1/11, 2/11

CASES: dict[str, tuple[Detector, Evidence, list[float]]] = {
    "the loss is the mean log-probability": (
        LOSS,
        scored(tokens([-1, -3]), tokens([-0.5])),
        [-2, -0.5],
    ),
    # "abc" repeats nothing: 2 bytes of header, 3 + 3 * 8 + 7 bits (block, letters, end) in 5 bytes,
    # 4 of checksum: 11.
    "zlib divides it by the compressed bytes": (
        ZLIB,
        scored(tokens([-1.2, -3.2]), texts=["abc"]),
        [-2.2 / 11],
    ),
    # The lowercased text has three tokens: -((1 + 2) / 2) / ((2 + 4 + 9) / 3).
    "lowercase is minus the ratio of mean losses": (
        LOWERCASE,
        scored(tokens([-1, -2]), lowercase=[tokens([-2, -4, -9])]),
        [-1.5 / 5],
    ),
    # The least loss is 1e-6.
    "a text that is certain in lower case has a finite score": (
        LOWERCASE,
        scored(tokens([-2]), lowercase=[tokens([0])]),
        [-2e6],
    ),
    # A fifth of 10 tokens are two: -9 and -8.
    "Min-K% averages the lowest fifth": (
        MIN_K,
        scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7, -1])),
        [-8.5],
    ),
    # A fifth of 9 tokens is 1.8: one token.
    "Min-K% rounds the number of tokens down": (
        MIN_K,
        scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7])),
        [-9],
    ),
    # A fifth of 3 and of 1 is less than a token.
    "Min-K% takes at least one token": (
        MIN_K,
        scored(tokens([-1, -7, -2]), tokens([-0.25])),
        [-7, -0.25],
    ),
    # (-1 + 2) / 0.5 = 2 and (-4 + 2) / 4 = -0.5, of which one is taken; by the variance it would be
    # -0.125.
    "Min-K%++ divides by the standard deviation": (
        MIN_K_PLUS_PLUS,
        scored(tokens([-1, -4], means=[-2, -2], deviations=[0.5, 4])),
        [-0.5],
    ),
    # Uniform over 4 tokens: log p is the mean, whatever rounding leaves of the difference, and the
    # deviation is 0.
    "Min-K%++ is zero where all tokens are equally likely": (
        MIN_K_PLUS_PLUS,
        scored(tokens([UNIFORM, UNIFORM], means=[UNIFORM, UNIFORM - 1e-12], deviations=[0, 0])),
        [0],
    ),
    "the reference is a difference of mean log-probabilities": (
        REFERENCE,
        scored(tokens([-1, -2]), tokens([-4]), reference=[tokens([-3, -5]), tokens([-1])]),
        [2.5, -3],
    ),
    # 5 ln 2 nats are 5 bits: under the model 1 bit in 2 bytes ("é" has two), under the reference 5.
    "a reference that reads other tokens is compared in bits per byte": (
        REFERENCE,
        scored(
            tokens([-np.log(2)]), reference=[tokens(np.array([-2, -3]) * np.log(2))], texts=["é"]
        ),
        [(-1 + 5) / 2],
    ),
    # A fifth of 9 tokens is one token: -4, not -3.
    "SURP rounds the number of tokens down": (
        SURPRISE,
        scored(tokens([-1, -4, -3, -1, -1, -1, -1, -1, -1], means=[-1] * 9)),
        [-4],
    ),
    # A fifth of 5 tokens is one, of 10 two; entropies are minus the means. -4 at an entropy of 3
    # does not surprise.
    "SURP averages tokens that are certain and wrong": (
        SURPRISE,
        scored(
            tokens([-1, -4, -2, -1, -1], means=[-1, -1.5, -1, -1, -1]),
            tokens([-1, -4, -2, -1, -1, -1, -1, -1, -1, -1], means=[-1, -3, *[-1] * 8]),
            tokens([-1, -4, -3, -1, -1, -1, -1, -1, -1, -1], means=[-1] * 10),
            tokens([-1, -4], means=[-1, -2]),
        ),
        [-4, -2, -3.5, 0],
    ),
    # Places -1, 0, 1: (1 * -1 + 3) / 2 = 1 nat a token; falling by 2 a token; one token.
    "CAMIA's slope is minus the least-squares slope": (
        SLOPE,
        scored(tokens([-3, -3, -1]), tokens([-1, -3, -5, -7]), tokens([-2])),
        [-1, 2, 0],
    ),
    # Two of four tokens are distinct.
    "CAMIA's repetition divides the loss by the share of distinct tokens": (
        REPETITION,
        scored(tokens([-1, -2, -1, -2], ids=[5, 6, 5, 6]), tokens([-1, -2], ids=[5, 6])),
        [-3, -1.5],
    ),
    # Of 10 tokens the highest one and the three lowest: 0 + 8 for the text; 0 + 4 and -1 + 7 for
    # its copies.
    "PAC is the polarised distance of the copies minus the distance of the text": (
        ORDER,
        scored(
            tokens([0, -9, -8, -7, -1, -1, -1, -1, -1, -1]),
            swapped=[[np.array([0.0, *[-4.0] * 9]), np.array([-1.0, *[-8.0] * 9])]],
        ),
        [(4 + 7) / 2 - 8],
    ),
    # Gains 1, -2, 3: windows of 2 sum to -1 and 1, so one half; the other nine sizes see the whole
    # text, 2 > 0.
    "windows vote by the sign of their sum": (
        WINDOW_COMPARISON,
        scored(tokens([-1] * 3), gains=[np.array([1.0, -2, 3])]),
        [(0.5 + 9 * 1) / 10],
    ),
    # Gains -3, 1, 1, -3: of 2: -2, 2, -2, so 1/3; of 3: -1, -1, so 0; eight sizes see all four: -4,
    # so 0.
    "windows of four tokens have three sizes": (
        WINDOW_COMPARISON,
        scored(tokens([-1] * 4), gains=[np.array([-3.0, 1, 1, -3])]),
        [(1 / 3) / 10],
    ),
    # Better than the reference, equal and worse.
    "a text of one token is one window in every size": (
        WINDOW_COMPARISON,
        scored(*[tokens([-1])] * 3, gains=[np.array([1.0]), np.array([0.0]), np.array([-1.0])]),
        [1, 0, 0],
    ),
    # Errors at the first and last token, gains 2 and -0.5; the gain of 7 at the right token counts
    # for nothing.
    "only tokens that the model gets wrong count": (
        ERROR_ZONE,
        scored(tokens([-1, -2, -3], best=[-0.5, -2, -1]), gains=[np.array([2, 7, -0.5])]),
        [2 / 2.5],
    ),
    "a text without errors or without losses counts as seen": (
        ERROR_ZONE,
        scored(
            tokens([-0.1, -0.2], best=[-0.1, -0.2]),
            tokens([-3], best=[-0.1]),
            gains=[np.array([-0.05, -0.1]), np.array([1.0])],
        ),
        [1, 1],
    ),
    "a text whose errors the reference predicts better scores zero": (
        ERROR_ZONE,
        scored(tokens([-3], best=[-0.1]), gains=[np.array([-1.0])]),
        [0],
    ),
    "ReCaLL is the ratio of mean log-likelihoods": (
        RELATIVE,
        scored(tokens([-1, -2]), after_unseen=[tokens([-2, -4])]),
        [2],
    ),
    # As in Xie et al.: the prefix takes the seen text from -1 to -1.5, the unseen one from -3 to
    # -3.1.
    "a text that an unseen prefix hurts more scores higher": (
        RELATIVE,
        scored(tokens([-1]), tokens([-3]), after_unseen=[tokens([-1.5]), tokens([-3.1])]),
        [1.5, 3.1 / 3],
    ),
    # (-3 + 0.5 * 2) / -1 = 2.
    "the seen prefix counts half": (
        CONTRASTED,
        scored(tokens([-1]), after_unseen=[tokens([-3])], after_seen=[tokens([-2])]),
        [2],
    ),
    # The least loss is 1e-6.
    "ReCaLL of a memorised text of loss zero is finite": (
        RELATIVE,
        scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])]),
        [1e6],
    ),
    "Con-ReCall of a memorised text of loss zero is finite": (
        CONTRASTED,
        scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])], after_seen=[tokens([0, 0])]),
        [1e6 - 0.5],
    ),
    # Token 1: 0.001 * ln 11; token 2: 0.002 * ln(11 / 2); the second token 1, of probability 0.9,
    # counts for nothing.
    "DC-PDD counts a token where it occurs first": (
        DIVERGENCE,
        scored(tokens(np.log([0.001, 0.002, 0.9]), ids=[1, 2, 1]), token_counts=COUNTS),
        [(0.001 * np.log(11) + 0.002 * np.log(5.5)) / 2],
    ),
    # 0.5 * ln(11 / 8) = 0.16 is cut to 0.01; 0.004 * ln 11 = 0.0096 is not.
    "a token's cross-entropy is capped at a hundredth": (
        DIVERGENCE,
        scored(tokens(np.log([0.5, 0.004]), ids=[0, 1]), token_counts=COUNTS),
        [(0.01 + 0.004 * np.log(11)) / 2],
    ),
}


@pytest.mark.parametrize(("detector", "evidence", "expected"), CASES.values(), ids=CASES)
def test_a_score_equals_the_hand_computation(
    detector: Detector, evidence: Evidence, expected: list[float]
) -> None:
    assert detector.score(evidence, 0) == pytest.approx(expected, rel=1e-12, abs=0)


def test_log_probabilities_of_single_precision_are_averaged_in_double() -> None:
    # The mean of seven equal numbers is the number; in float32 rounding makes it -0.10000001.
    single = np.full(7, -0.1, dtype=np.float32)
    assert single.mean() != single[0]
    text = TokenScores(np.arange(7), single, single, single, single)
    assert LOSS.score(scored(text), 0).tolist() == [float(single[0])]
