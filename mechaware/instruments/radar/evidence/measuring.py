"""Measures the evidence of items under a model, in a few passes that all detectors share.

`measure_items` fills the fields of `Evidence`. The functions below it measure RADAR's fields
(`states_and_features`, `recall_probability`), the copies with exchanged words (`score_swapped`, for
PAC) and the continuations (`_sample_continuations`, for CDD).
"""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.ensemble import Ensemble
from mechaware.instruments.radar.evidence.evidence import (
    OPTIONAL_FIELDS,
    Evidence,
    Samples,
    same_tokens,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.activations import split_prompts, summarise
from mechaware.models.capture import capture
from mechaware.models.families.supported import internals_refusal
from mechaware.models.summaries import TokenScores

# CDD (Dong et al. 2024) samples at temperature 0.8 and cuts continuations at 100 tokens.
SAMPLED_TOKENS = 100
TEMPERATURE = 0.8
# PAC (Ye et al. 2024) makes 5 copies of a text and in each exchanges two random words, 0.3 times as
# often as the text has words.
_COPIES = 5
_EXCHANGES_PER_WORD = 0.3


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
        samples = _sample_continuations(target, lines, settings)

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


def score_swapped(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], seed: int
) -> list[list[Float[np.ndarray, " token"]]]:
    """The log-probabilities of the tokens, in nats, of `_COPIES` copies of each line.

    Each copy has other words exchanged. A copy that does not fit the model's context is cut.
    """
    generator = random.Random(seed)  # noqa: S311
    copies = []
    for line in lines:
        for _ in range(_COPIES):
            exchanged = _exchange_words(line.text, generator)
            copies.append(_split_after(exchanged, line.question))

    # An exchange may change the number of tokens, so that a copy is longer than its text.
    log_probs = [text.log_probs for text in target.score(copies, cut=True)]
    # All copies of the first line come first, then those of the second.
    by_line = []
    for start in range(0, len(copies), _COPIES):
        by_line.append(log_probs[start : start + _COPIES])
    return by_line


def _exchange_words(text: str, generator: random.Random) -> str:
    """The text after repeated exchanges of two random words; a text of one word stays as it is."""
    words = text.split(" ")
    if len(words) == 1:
        return text
    n_exchanges = max(1, int(_EXCHANGES_PER_WORD * len(words)))
    for _ in range(n_exchanges):
        first, second = generator.sample(range(len(words)), 2)
        words[first], words[second] = words[second], words[first]
    return " ".join(words)


def _split_after(text: str, question: str) -> QuestionAnswer:
    """`text` split into question and answer where the question has as many words as `question`.

    For the question "the cat" the text "sat mat the cat" has the question "sat mat" and the answer
    " the cat". A chat template surrounds only the question. Without a question all is answer.
    """
    if not question:
        return QuestionAnswer("", text)
    words = text.split(" ")
    new_question = " ".join(words[: len(question.split(" "))])
    return QuestionAnswer(new_question, text.removeprefix(new_question))


def _sample_continuations(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], settings: MeasurementSettings
) -> list[Samples]:
    """The greedy and the drawn continuations of each line, for CDD."""
    return target.sample(
        _openings(target, lines),
        samples=settings.samples,
        tokens=SAMPLED_TOKENS,
        temperature=TEMPERATURE,
        seed=settings.seed,
    )


def _openings(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The tokens of each line that the model continues.

    They are the question, or the first half of a text without a question, and the whole prompt
    inside a chat template, to which the model replies.
    """
    prompts = target.prompt_ids(lines)
    if target.template == "chat":
        return prompts
    openings = []
    for line, ids in zip(lines, prompts, strict=True):
        n_half = max(1, len(ids) // 2)
        openings.append(ids if line.question else ids[:n_half])
    return openings
