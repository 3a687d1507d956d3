"""Detectors that compare a text's likelihood before and after a change of its prefix or the model.

They cost more than a pass for each text. Their evidence is measured separately, only on planted
docstrings.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import required
from mechaware.instruments.radar.evidence.probes import ProbeEvidence


class Probe(NamedTuple):
    """Like `Detector`, with `ProbeEvidence`: a score per row, higher for a more likely seen text.

    `needs`: the fields of `ProbeEvidence` that it reads, besides `log_probs`.
    """

    name: str
    label: str
    source: str
    needs: tuple[str, ...]
    score: Callable[[ProbeEvidence], Float[np.ndarray, " row"]]


def _score_context(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """CoDeC: LL(x) - LL(x | other texts of the benchmark) (Zawalski et al. 2025, arXiv:2510.27055).

    LL is the mean log p(x_t | x_<t), in nats a token. Texts of one source make each other likelier.
    A model that has learnt the benchmark by heart gains nothing from the other texts, so a seen
    text scores higher. The paper scores a whole benchmark, by the share of its texts that become
    less likely: those with a score above 0 here.

    Traps: the score depends on which other texts are drawn, and on whether the model has seen them.
    A text that resembles no other text of its benchmark gains nothing either.
    """
    return np.asarray(evidence.log_probs - required(evidence.behind_others))


def _score_drift(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """G-Drift's loss: LL(x) after a step of gradient ascent on x, minus LL(x) (arXiv:2604.00419).

    A seen text lies in a flat region of the loss, and its loss rises less. The step moves the
    weights by the same distance for every text. The paper also gives the changes of logits and
    hidden states to a classifier that is fitted on known members; the loss by itself needs no
    truth.

    Trap: to first order the loss rises by the length of the step times the norm of the gradient. So
    with a small step the score tells no more than the norm of the gradient.
    """
    return np.asarray(required(evidence.after_ascent) - evidence.log_probs)


def _score_deviation(evidence: ProbeEvidence) -> Float[np.ndarray, " row"]:
    """FSD: LL(x) minus LL(x) after fine-tuning on unseen texts of the same domain.

    By Zhang et al. 2025 (arXiv:2410.10880). Training on a domain helps most on texts that the model
    has not read, so LL rises less for a seen text.

    The paper's FSD is S(x) before the fine-tuning minus S(x) after it, for a score S such as the
    loss, and is smaller for a seen text. With S = -LL it is LL(x) after minus LL(x) before; the
    sign is reversed here, so that a seen text scores higher. The paper trains a LoRA adapter for
    three epochs; here all weights are trained (`models.fine_tuning`).

    Traps: the texts of the fine-tuning gain most, so none of them may be scored, whether as seen or
    as unseen. A text of another domain also gains little: if seen texts and control come from
    different sources, that alone separates them.
    """
    return np.asarray(evidence.log_probs - required(evidence.after_fine_tuning))


# The name in tables, the label in figures, the source, the needed fields, and the score.
CODEC = Probe("codec", "CoDeC", "Zawalski et al. 2025", ("behind_others",), _score_context)
G_DRIFT = Probe("g_drift", "G-Drift, loss", "arXiv:2604.00419", ("after_ascent",), _score_drift)
FSD = Probe("fsd", "FSD, loss", "Zhang et al. 2025", ("after_fine_tuning",), _score_deviation)
PROBES = (CODEC, G_DRIFT, FSD)
PROBE_LABELS = {probe.name: probe.label for probe in PROBES}
