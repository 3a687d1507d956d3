"""Measures items under a model: everything that detectors ask for, from a few passes that they share."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from mechaware.errors import UserError
from mechaware.models.activations import split_prompts, summarise
from mechaware.models.capture import capture
from mechaware.radar.ensemble import Ensemble
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.radar.feature_extraction.measurements import Reduction
from mechaware.radar.prompts import QuestionAnswer

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

# CDD (Dong et al. 2024) samples at temperature 0.8.
SAMPLED_TOKENS, TEMPERATURE = 16, 0.8
_TEXTS_AT_ONCE = 1000  # whose token ids are in memory while a corpus is counted


@dataclass(frozen=True)
class MeasurementSettings:
    """How items are measured: RADAR's two settings, the number of samples for CDD, and the seed of their draws."""

    reduction: Reduction
    specialised_head_entropy: float
    samples: int
    seed: int


def measure_items(
    target: TokenisedModel,
    lines: Sequence[QuestionAnswer],
    ids: Sequence[str],
    settings: MeasurementSettings,
    *,
    reference: TokenisedModel | None = None,
    unseen: Sequence[QuestionAnswer] = (),
    seen: Sequence[QuestionAnswer] = (),
    kinds: tuple[Sequence[QuestionAnswer], Sequence[str]] | None = None,
) -> Evidence:
    """The evidence of the items, except what is known of the training: `corpus`, `token_counts` and `seen`.

    `ids` name the items. `unseen` and `seen`: lines that the model has not, or has, been trained on, as prefixes; an
    empty list leaves their detectors out. `kinds`: prompts and their labels, recall or reasoning, on which RADAR's
    ensemble is fitted. Raises `UserError` for a reference model with another tokenizer, a prefix that holds an item,
    and a text that does not fit the model's context.
    """
    for prefix in (unseen, seen):
        _check_disjoint(prefix, lines, ids)
    if reference is not None and reference.text_ids(lines) != target.text_ids(lines):
        raise UserError("the reference model tokenises the items in another way; take one with the same tokenizer")
    scores = target.score(lines)  # before all others, since it refuses a text that does not fit the context
    states, features = states_and_features(target, lines, settings)
    return Evidence(
        texts=[line.text for line in lines],
        groups=list(ids),
        scores=scores,
        lowercase=target.lowercased(lines),
        reference=None if reference is None else reference.score(lines),
        after_unseen=target.score(lines, unseen) if unseen else None,
        after_seen=target.score(lines, seen) if seen else None,
        samples=target.sample(
            _openings(target, lines),
            samples=settings.samples,
            tokens=SAMPLED_TOKENS,
            temperature=TEMPERATURE,
            seed=settings.seed,
        ),
        states=states,
        features=features,
        p_recall=None if kinds is None else recall_probability(target, features, settings, *kinds),
    )


def states_and_features(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], settings: MeasurementSettings
) -> tuple[Float[np.ndarray, "row layer d_model"], pd.DataFrame]:
    """The residual stream after each block at the last token of each question, and RADAR's features of the question."""
    activations = capture(target.model, target.prompt_ids(lines), tokens_per_batch=target.tokens_per_batch)
    last = activations.token_counts.cumsum(0) - 1
    features = summary_table(
        map(summarise, split_prompts(activations)),
        reduction=settings.reduction,
        specialised_head_entropy=settings.specialised_head_entropy,
    )
    return activations.hidden_states[last].numpy(), features


def _openings(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The tokens that a model continues: the question, or the first half of a text without one."""
    return [
        ids if line.question else ids[: max(1, len(ids) // 2)]
        for line, ids in zip(lines, target.prompt_ids(lines), strict=True)
    ]


def recall_probability(
    target: TokenisedModel,
    features: pd.DataFrame,
    settings: MeasurementSettings,
    prompts: Sequence[QuestionAnswer],
    labels: Sequence[str],
) -> Float[np.ndarray, " row"]:
    """RADAR as published: P(recall) of each row of `features`, the mean probability of an ensemble.

    It is fitted on `prompts` under the same model, whose `labels` are recall or reasoning.
    """
    training = states_and_features(target, prompts, settings)[1].assign(label=list(labels))
    predictions = Ensemble.fit(training, FEATURES, settings.seed).predict(features)
    return predictions["probability"].to_numpy(float)


def count_tokens(texts: Iterable[str], tokenizer: "PreTrainedTokenizerBase") -> Int[np.ndarray, " vocabulary"]:
    """How often each token of the vocabulary occurs in the texts, without special tokens."""
    counts = np.zeros(len(tokenizer), dtype=np.int64)
    remaining = iter(texts)
    while batch := list(itertools.islice(remaining, _TEXTS_AT_ONCE)):
        encoded = tokenizer(batch, add_special_tokens=False, verbose=False).input_ids
        counts += np.bincount(list(itertools.chain.from_iterable(encoded)), minlength=len(tokenizer))
    return counts


def _check_disjoint(prefix: Sequence[QuestionAnswer], lines: Sequence[QuestionAnswer], ids: Sequence[str]) -> None:
    held = {line.text for line in prefix}
    for line, name in zip(lines, ids, strict=True):
        if line.text in held:
            raise UserError(f"item {name} is also a text of the prefix; take it out of one of them")
