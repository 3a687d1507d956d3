"""The evidence that detectors read, per item and model: log-probabilities, activations, samples, and known truth.

Its file is one Parquet table with a row per item; arrays are stored as lists.
"""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.core.frames import write_parquet
from mechaware.models.summaries import TokenScores

# Fields of `Evidence` that cost extra passes and need nothing but the items and the model in question. A user who does
# without the detectors that read them leaves them out.
OPTIONAL_FIELDS = ("lowercase", "swapped", "gradient_norms", "samples")


class Samples(NamedTuple):
    """Continuations of an item's prompt: the greedy one, and several drawn at random."""

    greedy: Int[np.ndarray, " token"]
    drawn: Sequence[Int[np.ndarray, " token"]]


class Evidence(NamedTuple):
    """Rows, each one item under one model; a field that is None was not measured.

    - `texts`: the whole items, prompt and answer.
    - `groups`: the item of each row, which cross-validation never splits.
    - `scores`: the texts under the model in question.
    - `lowercase`: the lowercased texts.
    - `swapped`: log-probabilities of the tokens of each text with words exchanged at random, several times.
    - `reference`: the texts under a reference model.
    - `gains`: d_t = log p(x_t) - log p_reference(x_t) of each token, where the reference has the same tokens.
    - `gradient_norms`: ||grad L(x)|| of each text, over all weights of the model (`models.gradients`).
    - `after_unseen`, `after_seen`: the tokens of `scores` after a prefix of texts that the model has not seen, or has.
    - `samples`: greedy and drawn continuations of the questions.
    - `states`: the residual stream at the last token of the prompt, after each block.
    - `features`: RADAR's.
    - `p_recall`: RADAR's probability of recall, by an ensemble fitted on kinds of prompts.
    - `anomaly`: the score of an isolation forest fitted on the same prompts.
    - `token_counts`: how often each token of the vocabulary occurs in a reference corpus.
    - `corpus`: the texts that the model was trained on, by row; rows of one model share the list.
    - `seen`: whether the model was trained on the item; for detectors that learn from it.
    """

    texts: Sequence[str]
    groups: Sequence[str]
    scores: Sequence[TokenScores]
    lowercase: Sequence[TokenScores] | None = None
    swapped: Sequence[Sequence[Float[np.ndarray, " token"]]] | None = None
    reference: Sequence[TokenScores] | None = None
    gains: Sequence[Float[np.ndarray, " token"]] | None = None
    gradient_norms: Float[np.ndarray, " row"] | None = None
    after_unseen: Sequence[TokenScores] | None = None
    after_seen: Sequence[TokenScores] | None = None
    samples: Sequence[Samples] | None = None
    states: Float[np.ndarray, "row layer d_model"] | None = None
    features: pd.DataFrame | None = None
    p_recall: Float[np.ndarray, " row"] | None = None
    anomaly: Float[np.ndarray, " row"] | None = None
    token_counts: Int[np.ndarray, " vocabulary"] | None = None
    corpus: Sequence[Sequence[str]] | None = None
    seen: Bool[np.ndarray, " row"] | None = None


def same_tokens(scores: Sequence[TokenScores], reference: Sequence[TokenScores]) -> bool:
    """Whether two models read the same tokens of every text."""
    return all(
        np.array_equal(text.ids, other.ids) for text, other in zip(scores, reference, strict=True)
    )


def join_evidence(parts: Sequence[Evidence]) -> Evidence:
    """The rows of several models below one another; a field that one of the models lacks is None.

    Texts [a, b] of one and [c] of the other become [a, b, c]; states of the shapes (2, layer, d_model) and
    (1, layer, d_model) become (3, layer, d_model).
    """
    fields: dict[str, Any] = {}
    for name in Evidence._fields:
        values = [getattr(part, name) for part in parts]
        if any(value is None for value in values):
            fields[name] = None
        elif name == "token_counts":  # a property of the vocabulary, not of a row
            fields[name] = values[0]
        elif isinstance(values[0], pd.DataFrame):
            fields[name] = pd.concat(values, ignore_index=True)
        elif isinstance(values[0], np.ndarray):
            fields[name] = np.concatenate(values)
        else:
            fields[name] = list(chain.from_iterable(values))
    return Evidence(**fields)


# Fields with one number a row.
_NUMBERS = ("gradient_norms", "p_recall", "anomaly")
# Fields with `TokenScores` for each row.
_SCORED = ("scores", "lowercase", "reference", "after_unseen", "after_seen")


def write_evidence(evidence: Evidence, path: Path) -> None:
    """Write what was measured, whole or not at all; `corpus`, `token_counts` and `seen` are not kept."""
    columns: dict[str, Any] = {"texts": evidence.texts, "groups": evidence.groups}
    for name in _SCORED:
        scored = getattr(evidence, name)
        if scored is None:
            continue
        # A column for each array of a text: reference.ids, reference.log_probs and so on.
        for field in TokenScores._fields:
            columns[f"{name}.{field}"] = [getattr(row, field) for row in scored]
    if evidence.swapped is not None:
        columns["swapped"] = [list(texts) for texts in evidence.swapped]
    if evidence.gains is not None:
        columns["gains"] = evidence.gains
    if evidence.samples is not None:
        columns["samples.greedy"] = [row.greedy for row in evidence.samples]
        columns["samples.drawn"] = [list(row.drawn) for row in evidence.samples]
    if evidence.states is not None:
        # A cell holds no array of two dimensions.
        columns["states"] = [list(layers) for layers in evidence.states]
    for name in _NUMBERS:
        values = getattr(evidence, name)
        if values is not None:
            columns[name] = values
    if evidence.features is not None:
        for feature, column in evidence.features.items():
            columns[f"features.{feature}"] = column.to_numpy()
    write_parquet(pd.DataFrame(columns), path)


def read_evidence(path: Path) -> Evidence:
    """Read what `write_evidence` wrote."""
    table = pd.read_parquet(path)
    fields: dict[str, Any] = {"texts": table["texts"].tolist(), "groups": table["groups"].tolist()}
    for name in _SCORED:
        if f"{name}.ids" in table:
            columns = [table[f"{name}.{field}"] for field in TokenScores._fields]
            fields[name] = [TokenScores(*row) for row in zip(*columns, strict=True)]
    if "swapped" in table:
        fields["swapped"] = [list(texts) for texts in table["swapped"]]
    if "gains" in table:
        fields["gains"] = table["gains"].tolist()
    if "samples.greedy" in table:
        pairs = zip(table["samples.greedy"], table["samples.drawn"], strict=True)
        fields["samples"] = [Samples(greedy, list(drawn)) for greedy, drawn in pairs]
    if "states" in table:
        fields["states"] = np.stack([np.stack(list(layers)) for layers in table["states"]])
    for name in _NUMBERS:
        if name in table:
            fields[name] = table[name].to_numpy()
    features = [name for name in map(str, table) if name.startswith("features.")]
    if features:
        names = {name: name.removeprefix("features.") for name in features}
        fields["features"] = table[features].rename(columns=names)
    return Evidence(**fields)
