"""Measures the evidence of items under a model, in a few passes that all detectors share.

`measure_items` fills the fields of `Evidence`. The functions below it measure RADAR's fields
(`states_and_features`, `recall_probability`) and the gains over a reference model. Copies with
exchanged words are measured by `swapped_words`, continuations by `continuations`.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.ensemble import Ensemble
from mechaware.instruments.radar.evidence.continuations import sample_continuations
from mechaware.instruments.radar.evidence.evidence import (
    OPTIONAL_FIELDS,
    Evidence,
    same_tokens,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.evidence.swapped_words import score_swapped
from mechaware.instruments.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.activations import split_prompts, summarise
from mechaware.models.capture import capture
from mechaware.models.families.supported import internals_refusal
from mechaware.models.summaries import TokenScores


@dataclass(frozen=True)
class MeasurementSettings:
    """How items are measured.

    - `reduction`, `specialised_head_entropy`: RADAR's two settings (`summary_table`); the latter is
      tau, in nats.
    - `samples`: the number of continuations drawn of each item, for CDD.
    - `seed`: the seed of every random draw.
    """

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
    optional: Collection[str] = OPTIONAL_FIELDS,
    reference: TokenisedModel | None = None,
    unseen: Sequence[QuestionAnswer] = (),
    seen: Sequence[QuestionAnswer] = (),
    kinds: tuple[Sequence[QuestionAnswer], Sequence[str]] | None = None,
) -> Evidence:
    """The evidence of the items, without `corpus`, `token_counts` and `seen`.

    These three are not measured: they are what is known of the model's training.

    Args:
        target: The model in question. A line that begins with the text of the model's start token
            is measured without that text.
        lines: The items.
        ids: The id of each item.
        settings: How the items are measured.
        optional: Those of `OPTIONAL_FIELDS` that are measured; the others are None.
        reference: A model that has not seen the items; without it `reference` and `gains` are None.
            `gains` are also None if this model reads other tokens.
        unseen: A prefix of lines, none of them an item, that the model has not been trained on; if
            it is empty, `after_unseen` is None.
        seen: Likewise of lines that the model has been trained on, for `after_seen`.
        kinds: The prompts on which RADAR's ensemble is fitted, and their labels, recall or
            reasoning; without them `p_recall` is None.

    Returns:
        A row per item, in their order. `anomaly` is None here. `states`, `features` and `p_recall`
        are None for a model whose internals cannot be read, and `gradient_norms` for a model
        without gradients (`models.gradients`).

    Raises:
        UserError: A text does not fit the model's context.
    """
    lines = target.without_start(lines)
    # The first measurement, because it refuses a text that does not fit the context.
    scores = target.score(lines)
    reference_scores = None
    gains = None
    if reference is not None:
        reference_scores = reference.score(lines)
        gains = _gains(scores, reference_scores)

    states = None
    features = None
    p_recall = None
    if internals_refusal(target.model) is None:
        states, features = states_and_features(target, lines, settings)
        if kinds is not None:
            kind_lines, labels = kinds
            _, kind_features = states_and_features(target, kind_lines, settings)
            p_recall = recall_probability(kind_features, labels, features, settings.seed)

    lowercase = None
    if "lowercase" in optional:
        lowercase = target.lowercased(lines)
    swapped = None
    if "swapped" in optional:
        swapped = score_swapped(target, lines, derive_seed(settings.seed, "swapped words"))
    gradient_norms = None
    if "gradient_norms" in optional:
        gradient_norms = target.gradient_norms(lines)
    samples = None
    if "samples" in optional:
        samples = sample_continuations(target, lines, samples=settings.samples, seed=settings.seed)

    return Evidence(
        texts=[line.text for line in lines],
        groups=list(ids),
        scores=scores,
        lowercase=lowercase,
        swapped=swapped,
        reference=reference_scores,
        gains=gains,
        gradient_norms=gradient_norms,
        after_unseen=target.score(lines, unseen) if unseen else None,
        after_seen=target.score(lines, seen) if seen else None,
        samples=samples,
        states=states,
        features=features,
        p_recall=p_recall,
    )


def states_and_features(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], settings: MeasurementSettings
) -> tuple[Float[np.ndarray, "row layer d_model"], pd.DataFrame]:
    """The states and RADAR's features of each question.

    The states are the residual stream after each block at the question's last token.
    """
    activations = capture(
        target.model, target.prompt_ids(lines), tokens_per_batch=target.tokens_per_batch
    )
    # The tokens of all prompts lie one after another: of counts 3, 2 the last tokens are 2, 4.
    last_tokens = activations.token_counts.cumsum(0) - 1
    features = summary_table(
        map(summarise, split_prompts(activations)),
        reduction=settings.reduction,
        specialised_head_entropy=settings.specialised_head_entropy,
    )
    return activations.hidden_states[last_tokens].numpy(), features


def recall_probability(
    fitting: pd.DataFrame, labels: Sequence[str], features: pd.DataFrame, seed: int
) -> Float[np.ndarray, " row"]:
    """RADAR as published: P(recall) of each row of `features`, the mean over four classifiers.

    The ensemble of classifiers is fitted on `fitting`, the features of prompts under the same
    model, whose `labels` are recall or reasoning.
    """
    predictions = Ensemble.fit(fitting.assign(label=list(labels)), FEATURES, seed).predict(features)
    return predictions["probability"].to_numpy(float)


def _gains(
    scores: Sequence[TokenScores], reference: Sequence[TokenScores]
) -> list[Float[np.ndarray, " token"]] | None:
    """Of each token, log p(x_t) - log p_reference(x_t) in nats; None if the tokens differ."""
    if not same_tokens(scores, reference):
        return None
    return [text.log_probs - other.log_probs for text, other in zip(scores, reference, strict=True)]
