"""Detectors that put other texts before the text: a strange context costs most where a text was memorised."""

import numpy as np
from jaxtyping import Float

from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.detectors.likelihood import mean_losses
from mechaware.radar.evidence.evidence import Evidence

GAMMA = 0.5  # weight of the seen prefix, fixed beforehand


def score_relative(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """ReCaLL: LL(x | P_unseen) / LL(x) (Xie et al. 2024, arXiv:2406.15968).

    Both LL are negative. An unseen prefix lowers LL more for a seen text: LL(x | P) is further from 0 than LL(x), and
    the ratio is larger. Higher means seen. Traps: the difference LL(x | P) - LL(x) has the opposite sign. Both LL are
    means over the same tokens; a prefix also gives the first token a context, and that token must not be counted.
    """
    return np.asarray(mean_losses(measured(evidence.after_unseen)) / mean_losses(evidence.scores))


def score_contrasted(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Con-ReCall: (LL(x | P_unseen) - gamma LL(x | P_seen)) / LL(x) (Wang et al. 2024, arXiv:2409.03363).

    The sign is that of ReCaLL. Trap: the authors' code has no default gamma and scores with each from 0.1 to 1; to
    choose among them needs the truth, so gamma is 0.5 here.
    """
    after_unseen, after_seen = mean_losses(measured(evidence.after_unseen)), mean_losses(measured(evidence.after_seen))
    return np.asarray((after_unseen - GAMMA * after_seen) / mean_losses(evidence.scores))


RELATIVE = Detector("relative_likelihood", "ReCaLL", "Xie et al. 2024", ("after_unseen",), score_relative)
CONTRASTED = Detector(
    "contrasted_likelihood", "Con-ReCall", "Wang et al. 2024", ("after_unseen", "after_seen"), score_contrasted
)
