"""Measures a task's pairs: the tables that the rules read, heads and MLPs, and unequal lengths."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.tasks.components import measure_components
from mechaware.instruments.grounding.tasks.tables import TaskMeasurements
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def measure_task(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    path: Path,
    *,
    tokens_per_batch: int,
    template: Template = "none",
) -> TaskMeasurements:
    """Measure the pairs of a task, whose answers count by all of their tokens.

    `path` is what messages call the pairs' table. Raises what `measure_pairs` raises.
    """
    tables = measure_pairs(
        model,
        tokenizer,
        pairs,
        path,
        tokens_per_batch=tokens_per_batch,
        template=template,
        whole_answers=True,
    )
    n_embeddings = embedding_rows(model)
    token_pairs = []
    unequal = []
    for pair in pairs:
        token_pair = exchange(pair, tokenise(pair, tokenizer, n_embeddings, template))
        token_pairs.append(token_pair)
        if not token_pair.equal_lengths:
            unequal.append(pair.id)
    components = measure_components(model, token_pairs, tokens_per_batch=tokens_per_batch)
    return TaskMeasurements(tables, tuple(unequal), components)
