"""What detectors read: per item and model, log-probabilities of the text, activations, samples, and what is known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.models.summaries import TokenScores


class Samples(NamedTuple):
    """Continuations of an item's prompt: the greedy one, and several drawn at random."""

    greedy: Int[np.ndarray, " token"]
    drawn: Sequence[Int[np.ndarray, " token"]]


class Evidence(NamedTuple):
    """Rows, each one item under one model; a field that is None was not measured.

    `texts`: the whole items, prompt and answer. `groups`: the item of each row, which cross-validation never splits.
    `scores`: the texts under the model in question. `lowercase`: the lowercased texts. `reference`: the texts under a
    reference model with the same tokenizer. `after_unseen` and `after_seen`: the same tokens after a prefix of texts
    that the model has not seen, or has seen. `samples`: greedy and drawn continuations of the questions. `states`: the
    residual stream at the last token of the prompt, after each block. `features`: RADAR's. `p_recall`: RADAR's
    probability of recall, by an ensemble fitted on kinds of prompts. `token_counts`: how often each token of the
    vocabulary occurs in a reference corpus. `corpus`: the texts that the model was trained on. `seen`: whether the
    model was trained on the item; for detectors that learn from it.
    """

    texts: Sequence[str]
    groups: Sequence[str]
    scores: Sequence[TokenScores]
    lowercase: Sequence[TokenScores] | None = None
    reference: Sequence[TokenScores] | None = None
    after_unseen: Sequence[TokenScores] | None = None
    after_seen: Sequence[TokenScores] | None = None
    samples: Sequence[Samples] | None = None
    states: Float[np.ndarray, "row layer d_model"] | None = None
    features: pd.DataFrame | None = None
    p_recall: Float[np.ndarray, " row"] | None = None
    token_counts: Int[np.ndarray, " vocabulary"] | None = None
    corpus: Sequence[Sequence[str]] | None = None  # by row: rows of one model share the list
    seen: Bool[np.ndarray, " row"] | None = None


def join_evidence(parts: Sequence[Evidence]) -> Evidence:
    """The rows of several models below one another; a field that one of them lacks is left out."""
    joined: dict[str, Any] = {}
    for name in Evidence._fields:
        values = [getattr(part, name) for part in parts]
        if any(value is None for value in values):
            joined[name] = None
        elif name == "token_counts":
            joined[name] = values[0]
        elif isinstance(values[0], pd.DataFrame):
            joined[name] = pd.concat(values, ignore_index=True)
        elif isinstance(values[0], np.ndarray):
            joined[name] = np.concatenate(values)
        else:
            joined[name] = [row for value in values for row in value]
    return Evidence(**joined)
