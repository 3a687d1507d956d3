"""The measurements of a twin: the evidence for detectors, its answers, its canary, and its causal features."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.models.patching.ablation import CausalPrompt
from mechaware.radar.causal import causal_table
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.evidence.measuring import MeasurementSettings, measure_items
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.memorisation.items import CONTRADICTED, KINDS, TWINS, Item, ask
from mechaware.radar.memorisation.planting import Canary, HeldOut, Plan


class TwinMeasurements(NamedTuple):
    """The measurements of one twin, on seen and unseen items alike.

    `answers`: a row per item: id, kind, answered (greedily, to the end of the answer), log_likelihood (of the text, in
    nats, per token), both also under C (`base_`), answer_log_likelihood (of the answer's tokens), exposure (in bits).
    `causal`: a row per item of the sample: id, the columns of `causal_table`, and RADAR's features. `canaries`: a row
    per canary: half, dose, recited.
    """

    evidence: Evidence
    answers: pd.DataFrame
    canaries: pd.DataFrame
    causal: pd.DataFrame


def measure_twin(
    twin: TokenisedModel,
    base: TokenisedModel,
    plan: Plan,
    held_out: HeldOut,
    settings: MeasurementSettings,
    *,
    causal_items: int,
) -> TwinMeasurements:
    """Measure a twin on all items, seen and unseen alike; `causal_items` of each kind and twin get causal features."""
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
    fresh = {kind: [scores.log_probs.mean() for scores in twin.score(held_out.fresh[kind])] for kind in KINDS}
    likelihood = [float(scores.log_probs.mean()) for scores in evidence.scores]
    answers = pd.DataFrame(
        {
            "id": ids,
            "kind": [item.kind for item in plan.items],
            "answered": twin.answered(lines, evidence.scores),
            "base_answered": base.answered(lines, evidence.reference),
            "log_likelihood": likelihood,
            "answer_log_likelihood": [
                float(scores.log_probs[-length:].mean())
                for scores, length in zip(evidence.scores, map(len, twin.answer_ids(lines)), strict=True)
            ],
            "base_log_likelihood": [float(scores.log_probs.mean()) for scores in evidence.reference],
            "exposure": [
                _exposure(log_likelihood, fresh[item.kind])
                for log_likelihood, item in zip(likelihood, plan.items, strict=True)
            ],
        }
    )
    canaries = pd.DataFrame([_canary(twin, canary) for canary in plan.canaries])
    return TwinMeasurements(evidence, answers, canaries, _causal(twin, plan.items, evidence, causal_items))


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
    return {"half": canary.half, "dose": canary.dose, "recited": bool(np.array_equal(recited, expected))}


def _causal(model: TokenisedModel, items: Sequence[Item], evidence: Evidence, per_half: int) -> pd.DataFrame:
    """The causal features of `per_half` items of each kind and half, and RADAR's features of them."""
    chosen = _sample(items, per_half)
    prompts, kept = [], []
    for index in chosen:
        prompt = _causal_prompt(model, items[index])
        if prompt.answer_id != prompt.foil_id:  # the margin reads first tokens, which answer and foil may share
            prompts.append(prompt)
            kept.append(index)
    if not prompts:
        raise UserError(
            "no item's answer and foil differ in their first token; raise radar/memorisation/base/vocabulary"
        )
    table = causal_table(model.model, prompts, tokens_per_batch=model.tokens_per_batch)
    assert evidence.features is not None  # noqa: S101 - always measured
    features = evidence.features.iloc[kept].reset_index(drop=True)
    ids = pd.DataFrame({"id": [items[index].id for index in kept], "kind": [items[index].kind for index in kept]})
    return pd.concat([ids, table, features], axis=1)


def _sample(items: Sequence[Item], per_half: int) -> list[int]:
    """Indices of `per_half` items of each kind and twin, spread evenly over the forms and doses.

    Contradicted items are left out: their counterfactual question has the planted answer, not the foil.
    """
    chosen = []
    for kind in KINDS:
        for half in TWINS:
            members = [
                index
                for index, item in enumerate(items)
                if (item.kind, item.half) == (kind, half) and item.form != CONTRADICTED
            ]
            # Items lie in the order of forms and doses, so even steps cover all of them.
            steps = np.linspace(0, len(members) - 1, min(per_half, len(members))).round().astype(int)
            chosen += [members[step] for step in steps]
    return chosen


def _causal_prompt(model: TokenisedModel, item: Item) -> CausalPrompt:
    lines = [item.line, ask(item.operation, item.counterfactual, item.foil)]
    ids, counterfactual = model.prompt_ids(lines)
    answer, foil = model.answer_ids(lines)
    return CausalPrompt(ids, counterfactual, answer[0], foil[0])
