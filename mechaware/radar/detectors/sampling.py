"""A detector that reads sampled continuations only: what a model memorised it says the same way each time."""

import numpy as np
from jaxtyping import Float

from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence, Samples

ALPHA = 0.05


def score_peakedness(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CDD: the share of drawn continuations within alpha * l edits of the greedy one (Dong et al. 2024).

    arXiv:2402.15938. Edits are insertions, deletions and substitutions of tokens, l is the length of the longest
    continuation, greedy or drawn, and alpha is 0.05. From 0 to 1; an item without drawn continuations scores 0. Traps:
    the distance counts tokens, not characters. Continuations shorter than 20 tokens have to be equal. The authors draw
    50 at temperature 0.8 and cut them at 100 tokens; here they are compared whole.
    """
    return np.array([_peakedness(samples) for samples in measured(evidence.samples)])


def _peakedness(samples: Samples) -> float:
    if not samples.drawn:
        return 0.0
    from rapidfuzz.distance import Levenshtein  # figures, which import the list of detectors, need none of it

    reach = ALPHA * max(len(samples.greedy), *map(len, samples.drawn))
    greedy = samples.greedy.tolist()
    return float(np.mean([Levenshtein.distance(greedy, drawn.tolist()) <= reach for drawn in samples.drawn]))


PEAKEDNESS = Detector("peakedness", "CDD", "Dong et al. 2024", ("samples",), score_peakedness)
