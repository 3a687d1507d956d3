"""What each head of a model contributes to the gap of a pair, estimated by integrated gradients."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.patching.components import attribute, components_of, run_pair
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Of the table of `attribute_heads`.
COLUMNS = ["pair", "block", "head", "attribution"]


def attribute_heads(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    *,
    tokens_per_batch: int,
) -> pd.DataFrame:
    """A row per pair and head: pair, block and head (from 1), attribution (EAP-IG, in logits:
    `components.attribute`).

    Only heads move what a word holds to other positions, so MLPs are left out. The two prompts of
    each pair must have equally many tokens.
    """
    n_embeddings = embedding_rows(model)
    components = components_of(model)
    parts = []
    for pair in pairs:
        tokens = exchange(pair, tokenise(pair, tokenizer, n_embeddings))
        attributions = attribute(model, run_pair(model, tokens), tokens_per_batch)
        part = pd.DataFrame(components).assign(
            pair=pair.id, attribution=attributions.double().numpy()
        )
        # An MLP has no head.
        parts.append(part.dropna(subset="head").astype({"head": int}))
    return pd.concat(parts, ignore_index=True)[COLUMNS]
