"""Detectors that change what a model is asked or what it knows, and see how likely a text is then.

They cost more than a pass for each text. Their evidence is measured separately, only on planted docstrings.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import required
from mechaware.instruments.radar.evidence.probes import ProbeEvidence


class Probe(NamedTuple):
    """As `Detector`, of other evidence: a score per row, higher for a text that was more likely seen.

    `needs`: the fields of `ProbeEvidence`, besides `log_probs`.
    """

    name: str
    label: str
    source: str
    needs: tuple[str, ...]
    score: Callable[[ProbeEvidence], Float[np.ndarray, " row"]]


def _score_context(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """CoDeC: LL(x) - LL(x | other texts of the benchmark) (Zawalski et al. 2025, arXiv:2510.27055).

    Texts of one source make each other likelier; a model that has learnt the benchmark by heart gains nothing from
    them. The paper scores a whole benchmark: the share of its texts that become less likely, whose score here is above
    0. Traps: the score depends on which other texts are drawn, and on whether these were seen. A text that is like no
    other of its benchmark gains nothing either.
    """
    return np.asarray(evidence.log_probs - required(evidence.behind_others))


def _score_drift(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """G-Drift's loss: LL(x) after one step of gradient ascent on the text, minus LL(x) before (arXiv:2604.00419).

    A seen text lies in a flat place, and its loss rises less. Every text is moved by the same distance. The paper
    also gives the changes of logits and hidden states to a classifier that is fitted on known members; the loss by
    itself needs no truth. Trap: to first order the rise is the length of the step times the norm of the gradient, so
    that a small step has nothing to add to the gradient norm.
    """
    return np.asarray(required(evidence.after_ascent) - evidence.log_probs)


def _score_deviation(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """FSD: LL(x) minus LL(x) after a fine-tuning on unseen texts of the domain (Zhang et al. 2025, arXiv:2410.10880).

    The paper's FSD is S(x) before the fine-tuning minus S(x) after it, for a score S such as the loss, and a seen text
    has a smaller FSD: training on a domain helps most on texts that the model has not read. With S = -LL the paper's
    FSD is LL(x) after - LL(x) before; the sign is reversed here, so that a seen text scores higher. The paper trains a
    LoRA adapter for three epochs; here all weights are trained (`models.fine_tuning`). Traps: a text of the fine-tuning
    gains most, so no such text may be scored, whether as seen or as unseen. A text of another domain also gains little:
    if seen texts and control come from different sources, that alone separates them.
    """
    return np.asarray(evidence.log_probs - required(evidence.after_fine_tuning))


CODEC = Probe("codec", "CoDeC", "Zawalski et al. 2025", ("behind_others",), _score_context)
G_DRIFT = Probe("g_drift", "G-Drift, loss", "arXiv:2604.00419", ("after_ascent",), _score_drift)
FSD = Probe("fsd", "FSD, loss", "Zhang et al. 2025", ("after_fine_tuning",), _score_deviation)
PROBES = (CODEC, G_DRIFT, FSD)
PROBE_LABELS = {probe.name: probe.label for probe in PROBES}
