"""The evidence that detectors read: what was measured of items under models, and known truth.

`write_evidence` stores it as one Parquet table with a row per item, in which arrays are lists;
`read_evidence` reads the table.
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

# Fields of `Evidence` that cost extra passes, and that need nothing but the items and the model in
# question. They are not measured for a user who does without the detectors that read them.
OPTIONAL_FIELDS = ("lowercase", "swapped", "gradient_norms", "samples")
# Fields with `TokenScores` for each row.
_SCORED_FIELDS = ("scores", "lowercase", "reference", "after_unseen", "after_seen")
# Fields with one number a row.
_NUMBER_FIELDS = ("gradient_norms", "p_recall", "anomaly")


class Samples(NamedTuple):
    """Continuations of an item's prompt: the greedy one, and several drawn at random."""

    greedy: Int[np.ndarray, " token"]
    drawn: Sequence[Int[np.ndarray, " token"]]


class Evidence(NamedTuple):
    """Measurements of rows, each one item under one model; a field not measured is None.

    - `texts`: the whole items, prompt and answer.
    - `groups`: the item of each row; cross-validation never splits the rows of an item.
    - `scores`: the scores of the texts' tokens under the model in question.
    - `lowercase`: as `scores`, of the lowercased texts.
    - `swapped`: for each text, the log-probabilities of the tokens of several copies, each with
      words exchanged at random.
    - `reference`: as `scores`, under a reference model.
    - `gains`: d_t = log p(x_t | x_<t) - log p_reference(x_t | x_<t) of each token, where the
      reference has the same tokens.
    - `gradient_norms`: ||grad L(x)|| of each text, over all weights of the model
      (`models.gradients`).
    - `after_unseen`: as `scores`, of the same tokens after a prefix of texts that the model has not
      seen.
    - `after_seen`: as `after_unseen`, with a prefix of texts that the model has seen.
    - `samples`: greedy and drawn continuations of the questions.
    - `states`: the residual stream at the last token of the prompt, after each block.
    - `features`: RADAR's features of the prompts, a column each.
    - `p_recall`: RADAR's probability of recall, by an ensemble fitted on prompts of known kinds.
    - `anomaly`: the score of an isolation forest, fitted on the prompts of that ensemble.
    - `token_counts`: how often each token of the vocabulary occurs in a reference corpus.
    - `corpus`: for each row, the texts that its model was trained on; rows of one model share the
      list.
    - `seen`: whether the row's model was trained on the item; for detectors that learn from it.
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
    """The rows of several models, one model after another.

    A field that one of the models lacks is None. `token_counts` are those of the first model. Texts
    [a, b] of one model and [c] of the other become [a, b, c]; states of the shapes
    (2, layer, d_model) and (1, layer, d_model) become (3, layer, d_model).
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


def write_evidence(evidence: Evidence, path: Path) -> None:
    """Write the fields that were measured: the whole file or, after an error, none.

    `corpus`, `token_counts` and `seen` are not written.
    """
    columns: dict[str, Any] = {"texts": evidence.texts, "groups": evidence.groups}
    for name in _SCORED_FIELDS:
        scores_of_rows = getattr(evidence, name)
        if scores_of_rows is None:
            continue
        # A column for each array of a text, such as reference.ids and reference.log_probs.
        for array in TokenScores._fields:
            columns[f"{name}.{array}"] = [getattr(scores, array) for scores in scores_of_rows]
    if evidence.swapped is not None:
        columns["swapped"] = [list(copies) for copies in evidence.swapped]
    if evidence.gains is not None:
        columns["gains"] = evidence.gains
    if evidence.samples is not None:
        columns["samples.greedy"] = [row.greedy for row in evidence.samples]
        columns["samples.drawn"] = [list(row.drawn) for row in evidence.samples]
    if evidence.states is not None:
        # A cell cannot hold an array of two dimensions, but it can hold a list of arrays.
        columns["states"] = [list(layers) for layers in evidence.states]
    for name in _NUMBER_FIELDS:
        values = getattr(evidence, name)
        if values is not None:
            columns[name] = values
    if evidence.features is not None:
        for feature, column in evidence.features.items():
            columns[f"features.{feature}"] = column.to_numpy()
    write_parquet(pd.DataFrame(columns), path)


def read_evidence(path: Path) -> Evidence:
    """Read what `write_evidence` wrote; fields without columns are None."""
    table = pd.read_parquet(path)
    fields: dict[str, Any] = {"texts": table["texts"].tolist(), "groups": table["groups"].tolist()}
    for name in _SCORED_FIELDS:
        if f"{name}.ids" in table:
            arrays = [table[f"{name}.{array}"] for array in TokenScores._fields]
            fields[name] = [TokenScores(*row) for row in zip(*arrays, strict=True)]
    if "swapped" in table:
        fields["swapped"] = [list(copies) for copies in table["swapped"]]
    if "gains" in table:
        fields["gains"] = table["gains"].tolist()
    if "samples.greedy" in table:
        pairs = zip(table["samples.greedy"], table["samples.drawn"], strict=True)
        fields["samples"] = [Samples(greedy, list(drawn)) for greedy, drawn in pairs]
    if "states" in table:
        fields["states"] = np.stack([np.stack(list(layers)) for layers in table["states"]])
    for name in _NUMBER_FIELDS:
        if name in table:
            fields[name] = table[name].to_numpy()

    columns_of_features = [name for name in map(str, table) if name.startswith("features.")]
    if columns_of_features:
        names = {name: name.removeprefix("features.") for name in columns_of_features}
        fields["features"] = table[columns_of_features].rename(columns=names)
    return Evidence(**fields)
