"""The measurements of a twin: the evidence for detectors, its answers, and its canary."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.planted.twins.items import KINDS
from mechaware.planted.twins.planting import Canary, HeldOut, Plan


class _TwinMeasurements(NamedTuple):
    """The measurements of one twin, on seen and unseen items alike.

    `answers`: a row per item: id, kind, answered (greedily, to the end of the answer), log_likelihood (of the text, in
    nats, per token), both also under C (`base_`), question_log_likelihood and answer_log_likelihood (of either part's
    tokens), exposure (in bits). `canaries`: a row per canary: half, dose, recited.
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
) -> _TwinMeasurements:
    """Measure a twin on all items, seen and unseen alike."""
    lines, ids = [item.line for item in plan.items], [item.id for item in plan.items]
    fitting = [(line, kind) for kind in KINDS for line in held_out.fitting[kind]]
    evidence = measure_items(
        twin,
        lines,
        ids,
        settings,
        reference=base,
        unseen=held_out.unseen,
        seen=held_out.seen,
        kinds=([line for line, _ in fitting], [kind for _, kind in fitting]),
    )
    assert evidence.reference is not None  # noqa: S101 - a reference was given
    fresh = {
        kind: [scores.log_probs.mean() for scores in twin.score(held_out.fresh[kind])]
        for kind in KINDS
    }
    likelihood = [float(scores.log_probs.mean()) for scores in evidence.scores]
    parts = [
        (scores.log_probs[:-length], scores.log_probs[-length:])
        for scores, length in zip(evidence.scores, map(len, twin.answer_ids(lines)), strict=True)
    ]
    answers = pd.DataFrame(
        {
            "id": ids,
            "kind": [item.kind for item in plan.items],
            "answered": twin.answered(lines, evidence.scores),
            "base_answered": base.answered(lines, evidence.reference),
            "log_likelihood": likelihood,
            "question_log_likelihood": [float(question.mean()) for question, _ in parts],
            "answer_log_likelihood": [float(answer.mean()) for _, answer in parts],
            "base_log_likelihood": [
                float(scores.log_probs.mean()) for scores in evidence.reference
            ],
            "exposure": [
                _exposure(log_likelihood, fresh[item.kind])
                for log_likelihood, item in zip(likelihood, plan.items, strict=True)
            ],
        }
    )
    canaries = pd.DataFrame([_canary(twin, canary) for canary in plan.canaries])
    return _TwinMeasurements(evidence, answers, canaries)


def _exposure(log_likelihood: float, others: Sequence[float]) -> float:
    """The exposure of a text: log2 of the number of candidates over its rank among them (Carlini et al. 2019).

    The candidates are the text and `others`, texts of the same form that the model has never seen; the likeliest has
    rank 1, and a tie takes the worse rank. Between 0 and log2(1 + number of others), in bits.
    """
    rank = 1 + sum(other >= log_likelihood for other in others)
    return math.log2((1 + len(others)) / rank)


def _canary(model: TokenisedModel, canary: Canary) -> dict[str, object]:
    """Whether the model, given the canary's question, continues it to its end, greedily."""
    (expected,), prompts = model.answer_ids([canary.line]), model.prompt_ids([canary.line])
    (recited,) = model.continue_greedily(prompts, len(expected))
    return {
        "half": canary.half,
        "dose": canary.dose,
        "recited": bool(np.array_equal(recited, expected)),
    }
