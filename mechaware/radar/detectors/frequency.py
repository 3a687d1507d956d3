"""A detector that calibrates the probability of a token by how often the token occurs anywhere."""

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence

CAP = 0.01  # a: the default of the authors' code


def score_divergence(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """DC-PDD: the mean of min(-p(x_t) log f(x_t), a) over first occurrences (Zhang et al. 2024, arXiv:2409.14781).

    p is the model's probability of the token in its context, f = (count + 1) / (total + vocabulary) its smoothed
    frequency in the reference corpus, and a = 0.01. Only a token's first occurrence among the scored tokens counts.
    From 0 to a. Logarithms are natural, as in the authors' code. Traps: -log f of a rare token is about 10, so that
    every probability above 0.001 reaches the cap, and the score is nearly the share of distinct tokens above it. The
    paper puts a start token before the text; here a text's first token is not scored, and its next occurrence counts.
    """
    counts = measured(evidence.token_counts)
    rarity = -np.log((counts + 1) / (counts.sum() + len(counts)))
    return np.array([_mean_divergence(text, rarity) for text in evidence.scores])


def _mean_divergence(text: TokenScores, rarity: Float[np.ndarray, " vocabulary"]) -> float:
    ids, first = np.unique(text.ids, return_index=True)
    return float(np.minimum(np.exp(text.log_probs[first], dtype=float) * rarity[ids], CAP).mean())


DIVERGENCE = Detector("divergence", "DC-PDD", "Zhang et al. 2024", ("token_counts",), score_divergence)
