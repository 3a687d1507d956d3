"""Scores from log-probabilities, against values computed by hand."""

from typing import NamedTuple

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

LOG_QUARTER = -np.log(4)  # log p of each of four tokens that are equally likely
# How often the tokens 0, 1 and 2 occur in a corpus of 8 tokens: smoothed frequencies of 8/11, 1/11
# and 2/11.
COUNTS = np.array([7, 0, 1])


class Case(NamedTuple):
    """A detector, the evidence that it reads, and the expected score of each row."""

    detector: Detector
    evidence: Evidence
    expected: list[float]


# The comment above a case computes its scores by hand.
CASES = {
    "the loss is the mean log-probability": Case(
        LOSS,
        scored(tokens([-1, -3]), tokens([-0.5])),
        [-2, -0.5],
    ),
    # "abc" repeats nothing. Its 11 bytes are 2 of header, 5 of content and 4 of checksum. The
    # content is 34 bits: 3 for the type of the block, 8 for each letter, and 7 for the end.
    "zlib divides the mean log-probability by the compressed bytes": Case(
        ZLIB,
        scored(tokens([-1.2, -3.2]), texts=["abc"]),
        [-2.2 / 11],
    ),
    # The lowercased text has three tokens. The mean losses are (1 + 2) / 2 = 1.5 and
    # (2 + 4 + 9) / 3 = 5.
    "lowercase is minus the ratio of mean losses": Case(
        LOWERCASE,
        scored(tokens([-1, -2]), lowercase=[tokens([-2, -4, -9])]),
        [-1.5 / 5],
    ),
    # The lowercased text has the least loss, 1e-6: -2 / 1e-6.
    "a text that is certain in lower case has a finite score": Case(
        LOWERCASE,
        scored(tokens([-2]), lowercase=[tokens([0])]),
        [-2e6],
    ),
    # A fifth of 10 tokens is two: -9 and -8.
    "Min-K% averages the lowest fifth": Case(
        MIN_K,
        scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7, -1])),
        [-8.5],
    ),
    # A fifth of 9 tokens is 1.8: one token.
    "Min-K% rounds the number of tokens down": Case(
        MIN_K,
        scored(tokens([-3, -9, -1, -2, -8, -4, -5, -6, -7])),
        [-9],
    ),
    # A fifth of 3 tokens, and a fifth of 1, is less than a token.
    "Min-K% takes at least one token": Case(
        MIN_K,
        scored(tokens([-1, -7, -2]), tokens([-0.25])),
        [-7, -0.25],
    ),
    # The quotients are (-1 + 2) / 0.5 = 2 and (-4 + 2) / 4 = -0.5, of which the lower one is taken.
    # Divided by the variance, 4^2, it would be -0.125.
    "Min-K%++ divides by the standard deviation": Case(
        MIN_K_PLUS_PLUS,
        scored(tokens([-1, -4], means=[-2, -2], deviations=[0.5, 4])),
        [-0.5],
    ),
    # With 4 equally likely tokens log p equals its mean, but rounding may leave a difference. The
    # deviation is 0.
    "Min-K%++ is zero where all tokens are equally likely": Case(
        MIN_K_PLUS_PLUS,
        scored(
            tokens(
                [LOG_QUARTER, LOG_QUARTER],
                means=[LOG_QUARTER, LOG_QUARTER - 1e-12],
                deviations=[0, 0],
            )
        ),
        [0],
    ),
    # -1.5 + 4 and -4 + 1.
    "the reference is a difference of mean log-probabilities": Case(
        REFERENCE,
        scored(tokens([-1, -2]), tokens([-4]), reference=[tokens([-3, -5]), tokens([-1])]),
        [2.5, -3],
    ),
    # A bit is ln 2 nats. The log-probability of the text is -1 bit under the model and -2 - 3 = -5
    # bits under the reference; "é" has two bytes.
    "a reference that reads other tokens is compared in bits per byte": Case(
        REFERENCE,
        scored(
            tokens([-np.log(2)]), reference=[tokens(np.array([-2, -3]) * np.log(2))], texts=["é"]
        ),
        [(-1 + 5) / 2],
    ),
    # A fifth of 9 tokens is one token: -4, not -3.
    "SURP rounds the number of tokens down": Case(
        SURPRISE,
        scored(tokens([-1, -4, -3, -1, -1, -1, -1, -1, -1], means=[-1] * 9)),
        [-4],
    ),
    # The entropy of a prediction is minus its mean, and must be below 2. The lowest fifth:
    # - of 5 tokens, one: -4, of entropy 1.5;
    # - of 10 tokens, two: -4, which has an entropy of 3 and is left out, and -2;
    # - of 10 tokens, two: -4 and -3;
    # - of 2 tokens, at least one: -4, whose entropy of 2 is not below 2, so no token counts.
    "SURP averages tokens that are certain and wrong": Case(
        SURPRISE,
        scored(
            tokens([-1, -4, -2, -1, -1], means=[-1, -1.5, -1, -1, -1]),
            tokens([-1, -4, -2, -1, -1, -1, -1, -1, -1, -1], means=[-1, -3, *[-1] * 8]),
            tokens([-1, -4, -3, -1, -1, -1, -1, -1, -1, -1], means=[-1] * 10),
            tokens([-1, -4], means=[-1, -2]),
        ),
        [-4, -2, -3.5, 0],
    ),
    # From the middle the places of the first text are -1, 0 and 1, so its slope is
    # (-1 * -3 + 0 * -3 + 1 * -1) / 2 = 1. The second text falls by 2 a token. The third has one
    # token.
    "CAMIA's slope is minus the least-squares slope": Case(
        SLOPE,
        scored(tokens([-3, -3, -1]), tokens([-1, -3, -5, -7]), tokens([-2])),
        [-1, 2, 0],
    ),
    # Two of four tokens are distinct: -1.5 / (2 / 4). Both tokens of the second text are.
    "CAMIA's repetition divides the mean log-probability by the share of distinct tokens": Case(
        REPETITION,
        scored(tokens([-1, -2, -1, -2], ids=[5, 6, 5, 6]), tokens([-1, -2], ids=[5, 6])),
        [-3, -1.5],
    ),
    # Of 10 tokens the highest one minus the mean of the three lowest: 0 + 8 for the text, and 0 + 4
    # and -1 + 8 for its copies.
    "PAC is the polarised distance of the copies minus the distance of the text": Case(
        ORDER,
        scored(
            tokens([0, -9, -8, -7, -1, -1, -1, -1, -1, -1]),
            swapped=[[np.array([0.0, *[-4.0] * 9]), np.array([-1.0, *[-8.0] * 9])]],
        ),
        [(4 + 7) / 2 - 8],
    ),
    # Windows of 2 tokens sum to -1 and 1, a share of 1/2. In each of the nine larger sizes the
    # whole text is one window, with a sum of 2.
    "WBC averages the shares of windows with a positive sum over the sizes": Case(
        WINDOW_COMPARISON,
        scored(tokens([-1] * 3), gains=[np.array([1.0, -2, 3])]),
        [(0.5 + 9 * 1) / 10],
    ),
    # Windows of 2 tokens sum to -2, 2 and -2, a share of 1/3; windows of 3 tokens to -1 and -1. In
    # each of the eight larger sizes the whole text is one window, with a sum of -4.
    "WBC reads a text of four tokens in windows of 2, 3 and 4": Case(
        WINDOW_COMPARISON,
        scored(tokens([-1] * 4), gains=[np.array([-3.0, 1, 1, -3])]),
        [(1 / 3) / 10],
    ),
    # The model is better than the reference at the first text, equal at the second, and worse at
    # the third.
    "WBC reads a text of one token as one window in every size": Case(
        WINDOW_COMPARISON,
        scored(*[tokens([-1])] * 3, gains=[np.array([1.0]), np.array([0.0]), np.array([-1.0])]),
        [1, 0, 0],
    ),
    # The errors are the first and last token, with gains of 2 and -0.5. The gain of 7 at the right
    # token counts for nothing.
    "EZ-MIA counts only tokens that the model gets wrong": Case(
        ERROR_ZONE,
        scored(tokens([-1, -2, -3], best=[-0.5, -2, -1]), gains=[np.array([2, 7, -0.5])]),
        [2 / 2.5],
    ),
    # The first text has no errors. The second has one, at which the model beats the reference.
    "EZ-MIA counts a text without errors, or without negative gains at errors, as seen": Case(
        ERROR_ZONE,
        scored(
            tokens([-0.1, -0.2], best=[-0.1, -0.2]),
            tokens([-3], best=[-0.1]),
            gains=[np.array([-0.05, -0.1]), np.array([1.0])],
        ),
        [1, 1],
    ),
    "EZ-MIA is zero for a text whose errors the reference predicts better": Case(
        ERROR_ZONE,
        scored(tokens([-3], best=[-0.1]), gains=[np.array([-1.0])]),
        [0],
    ),
    # -3 / -1.5.
    "ReCaLL is the ratio of mean log-likelihoods": Case(
        RELATIVE,
        scored(tokens([-1, -2]), after_unseen=[tokens([-2, -4])]),
        [2],
    ),
    # As in Xie et al.: the prefix takes the seen text from -1 to -1.5, the unseen one from -3 to
    # -3.1.
    "ReCaLL is higher for a text that an unseen prefix hurts more": Case(
        RELATIVE,
        scored(tokens([-1]), tokens([-3]), after_unseen=[tokens([-1.5]), tokens([-3.1])]),
        [1.5, 3.1 / 3],
    ),
    # (-3 + 0.5 * 2) / -1 = 2.
    "Con-ReCall subtracts half of the mean after the seen prefix": Case(
        CONTRASTED,
        scored(tokens([-1]), after_unseen=[tokens([-3])], after_seen=[tokens([-2])]),
        [2],
    ),
    # The least loss is 1e-6: -1 / -1e-6.
    "ReCaLL of a memorised text of loss zero is finite": Case(
        RELATIVE,
        scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])]),
        [1e6],
    ),
    # (-1 + 0.5 * 1e-6) / -1e-6.
    "Con-ReCall of a memorised text of loss zero is finite": Case(
        CONTRASTED,
        scored(tokens([0, 0]), after_unseen=[tokens([-1, -1])], after_seen=[tokens([0, 0])]),
        [1e6 - 0.5],
    ),
    # p * -log f is 0.001 * ln 11 for token 1 and 0.002 * ln(11 / 2) for token 2. The second
    # occurrence of token 1, with a probability of 0.9, counts for nothing.
    "DC-PDD counts a token where it occurs first": Case(
        DIVERGENCE,
        scored(tokens(np.log([0.001, 0.002, 0.9]), ids=[1, 2, 1]), token_counts=COUNTS),
        [(0.001 * np.log(11) + 0.002 * np.log(5.5)) / 2],
    ),
    # 0.5 * ln(11 / 8) = 0.16 is cut to 0.01; 0.004 * ln 11 = 0.0096 is not.
    "DC-PDD caps the cross-entropy of a token at a hundredth": Case(
        DIVERGENCE,
        scored(tokens(np.log([0.5, 0.004]), ids=[0, 1]), token_counts=COUNTS),
        [(0.01 + 0.004 * np.log(11)) / 2],
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_score_equals_the_hand_computation(case: Case) -> None:
    seed = 0  # which these detectors ignore
    scores = case.detector.score(case.evidence, seed)
    assert scores == pytest.approx(case.expected, rel=1e-12, abs=0)


def test_log_probabilities_of_single_precision_are_averaged_in_double() -> None:
    # The mean of seven equal numbers is the number, but in float32 rounding changes it.
    single = np.full(7, -0.1, dtype=np.float32)
    assert single.mean() != single[0]
    text = TokenScores(np.arange(7), single, means=single, deviations=single, best=single)
    assert LOSS.score(scored(text), 0).tolist() == [float(single[0])]
