"""Detectors that compare the model with a reference model of the same tokenizer, which cancels how hard a text is.

Trap of all three: a reference that was trained on the other half of the items flatters them, because the reference
itself then tells which items are seen. A reference must not have been trained on any of the items.
"""

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.detectors.likelihood import mean_log_probs
from mechaware.radar.evidence.evidence import Evidence

WINDOWS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)  # tokens; the sizes in the configuration of Chen et al.


def score_reference(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) - LL_reference(x), the log of the ratio of perplexities (Carlini et al. 2021, arXiv:2012.07805)."""
    return np.asarray(mean_log_probs(evidence.scores) - mean_log_probs(measured(evidence.reference)))


def score_windows(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """WBC: the share of windows of tokens in which the model beats the reference, averaged over the window sizes.

    Chen et al. 2026 (arXiv:2601.02751, section 4.1): with d_t = log p(x_t) - log p_reference(x_t), T(w) is the share of
    the windows of w tokens whose sum of d_t is above 0, and the score is the mean of T(w) over `WINDOWS`. From 0 to 1.
    Traps: the sizes are those of the authors' configuration; their geometric formula gives other ones. A text shorter
    than a window is one window, as in the authors' code.
    """
    pairs = zip(evidence.scores, measured(evidence.reference), strict=True)
    return np.array([_share_of_windows(_gains(text, reference)) for text, reference in pairs])


def score_errors(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """EZ-MIA: P / (P + N) at the tokens that the model gets wrong (Ilić et al. 2026, arXiv:2601.12104).

    With d_t = log p(x_t) - log p_reference(x_t) at the tokens x_t that are not the model's most likely ones, P is the
    sum of the positive d_t and N of the absolute negative ones. The paper's score is P / N, which P / (P + N) orders
    alike and which is infinite at N = 0. Trap: a memorised text has no errors, or none that the reference predicts
    better; both count as seen (1), as in the paper's appendix E. The released code scores them as unseen.
    """
    pairs = zip(evidence.scores, measured(evidence.reference), strict=True)
    return np.array([_share_of_gains(text, _gains(text, reference)) for text, reference in pairs])


def _gains(text: TokenScores, reference: TokenScores) -> Float[np.ndarray, " token"]:
    return np.asarray(np.subtract(text.log_probs, reference.log_probs, dtype=float))


def _share_of_windows(gains: Float[np.ndarray, " token"]) -> float:
    sizes = [min(size, len(gains)) for size in WINDOWS]
    sums = [np.lib.stride_tricks.sliding_window_view(gains, size).sum(axis=1) for size in sizes]
    return float(np.mean([(windows > 0).mean() for windows in sums]))


def _share_of_gains(text: TokenScores, gains: Float[np.ndarray, " token"]) -> float:
    gains = gains[text.log_probs < text.best]
    positive, absolute = gains[gains > 0].sum(), np.abs(gains).sum()
    return float(positive / absolute) if absolute > 0 else 1.0


REFERENCE = Detector("reference", "reference", "Carlini et al. 2021", ("reference",), score_reference)
WINDOW_COMPARISON = Detector("window_comparison", "WBC", "Chen et al. 2026", ("reference",), score_windows)
ERROR_ZONE = Detector("error_zone", "EZ-MIA", "Ilić et al. 2026", ("reference",), score_errors)
