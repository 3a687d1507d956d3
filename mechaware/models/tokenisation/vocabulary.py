"""The tokens that a model knows: the rows of its embedding.

A tokenizer may have ids beyond them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from mechaware.core.errors import UserError

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


def embedding_rows(model: "PreTrainedModel") -> int:
    """The number of tokens that a model knows. Its tokenizer may have more tokens, or fewer."""
    return cast("nn.Embedding", model.get_input_embeddings()).weight.shape[0]


def check_ids(
    ids: Sequence[int | None], tokenizer: "PreTrainedTokenizerBase", n_embeddings: int, place: str
) -> None:
    """Raise `UserError` for an id without an embedding in the model;
    the message says that it occurs at `place`.
    """
    name = tokenizer_name(tokenizer)
    for token in ids:
        if token is None:  # from a slow tokenizer without an unknown token
            raise UserError(f"{name} has no id for a token {place}; use the model's own tokenizer")
        if token >= n_embeddings:
            raise UserError(
                f"{name} puts {tokenizer.convert_ids_to_tokens(token)!r}, id {token}, {place}, but the model's "
                f"embedding has {n_embeddings} rows (ids 0 to {n_embeddings - 1}); use the model's own tokenizer, or "
                "call resize_token_embeddings(len(tokenizer)) on the model and save both again"
            )


def tokenizer_name(tokenizer: "PreTrainedTokenizerBase") -> str:
    """The tokenizer with the folder or the hub's name that it was loaded from, for messages."""
    # A tokenizer made in memory has neither folder nor name.
    return f"the tokenizer of {tokenizer.name_or_path or 'the model'}"
