"""The measurements of a twin: the evidence for detectors, its answers, and its canary."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.planting import Canary, HeldOut, Plan
from mechaware.planted.twins.world import KINDS


class TwinMeasurements(NamedTuple):
    """The measurements of one twin, on seen and unseen items alike.

    `evidence`: what detectors read, a row per item.

    `answers`: a row per item. Log-likelihoods are means over tokens, in nats. Columns:

    - id, kind;
    - answered, base_answered: whether the twin, or the clean base C, continues the question
      greedily with the whole answer;
    - log_likelihood, base_log_likelihood: of the whole text, under the twin and under C;
    - question_log_likelihood, answer_log_likelihood: of the question's tokens, and of the answer's,
      under the twin;
    - exposure: in bits (`exposure_of`).

    `canaries`: a row per canary. Columns:

    - half: the twin that reads the canary in training, which need not be the measured one;
    - dose: how many times that twin reads the canary;
    - recited: whether the measured twin continues the canary's question greedily with the whole
      answer.
    """

    evidence: Evidence
    answers: pd.DataFrame
    canaries: pd.DataFrame


def measure_twin(
    twin: TokenisedModel,
    base: TokenisedModel,
    plan: Plan,
    held_out: HeldOut,
    settings: MeasurementSettings,
) -> TwinMeasurements:
    """Measure a twin on all items, seen and unseen alike, with the clean base C as reference."""
    lines = [item.line for item in plan.items]
    ids = [item.id for item in plan.items]
    fitting_lines = []
    fitting_kinds = []
    for kind in KINDS:
        fitting_lines += held_out.fitting[kind]
        fitting_kinds += [kind] * len(held_out.fitting[kind])
    evidence = measure_items(
        twin,
        lines,
        ids,
        settings,
        reference=base,
        unseen=held_out.unseen,
        seen=held_out.seen,
        kinds=(fitting_lines, fitting_kinds),
    )
    assert evidence.reference is not None  # noqa: S101 - `base` is the reference

    log_likelihood = _mean_log_probs(evidence.scores)
    question_log_likelihood = []
    answer_log_likelihood = []
    for scores, answer_ids in zip(evidence.scores, twin.answer_ids(lines), strict=True):
        n_answer = len(answer_ids)
        question_log_likelihood.append(float(scores.log_probs[:-n_answer].mean()))
        answer_log_likelihood.append(float(scores.log_probs[-n_answer:].mean()))

    fresh = {kind: _mean_log_probs(twin.score(held_out.fresh[kind])) for kind in KINDS}
    exposure = []
    for item, item_log_likelihood in zip(plan.items, log_likelihood, strict=True):
        exposure.append(exposure_of(item_log_likelihood, fresh[item.kind]))

    answers = pd.DataFrame(
        {
            "id": ids,
            "kind": [item.kind for item in plan.items],
            "answered": twin.answered(lines, evidence.scores),
            "base_answered": base.answered(lines, evidence.reference),
            "log_likelihood": log_likelihood,
            "question_log_likelihood": question_log_likelihood,
            "answer_log_likelihood": answer_log_likelihood,
            "base_log_likelihood": _mean_log_probs(evidence.reference),
            "exposure": exposure,
        }
    )
    canaries = pd.DataFrame([_canary_row(twin, canary) for canary in plan.canaries])
    return TwinMeasurements(evidence, answers, canaries)


def _mean_log_probs(texts: Sequence[TokenScores]) -> list[float]:
    """The log-likelihood of each text: the mean over its scored tokens, in nats."""
    return [float(scores.log_probs.mean()) for scores in texts]


def exposure_of(log_likelihood: float, others: Sequence[float]) -> float:
    """The exposure of a text in bits (Carlini et al. 2019).

        exposure = log2(number of candidates / rank of the text)

    The candidates are the text and `others`, the log-likelihoods of texts of the same form that the
    model has never seen. The likeliest candidate has rank 1, and on a tie the text gets the worse
    rank. The exposure is between 0 and log2(1 + number of others).
    """
    rank = 1 + sum(other >= log_likelihood for other in others)
    return math.log2((1 + len(others)) / rank)


def _canary_row(model: TokenisedModel, canary: Canary) -> dict[str, object]:
    """A row of `TwinMeasurements.canaries`."""
    (expected,) = model.answer_ids([canary.line])
    prompts = model.prompt_ids([canary.line])
    (continuation,) = model.continue_greedily(prompts, len(expected))
    is_recited = bool(np.array_equal(continuation, expected))
    return {"half": canary.half, "dose": canary.dose, "recited": is_recited}
