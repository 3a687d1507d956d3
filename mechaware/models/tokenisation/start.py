"""Finds the start tokens that come before every text, and removes them where a text begins so."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from mechaware.core.errors import UserError
from mechaware.models.tokenisation.vocabulary import check_ids, tokenizer_name

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

StartToken = Literal["auto", "always", "never"]


def start_ids(
    tokenizer: "PreTrainedTokenizerBase", n_embeddings: int, start: StartToken = "auto"
) -> list[int]:
    """The ids of the special tokens before every text.

    - `auto`: the tokens that the tokenizer itself puts there, perhaps none.
    - `always`: the tokenizer's start token (`bos`).
    - `never`: none.

    Raises `UserError` for a start token that the tokenizer lacks, and for a token without one of
    the model's `n_embeddings` embeddings.
    """
    if start == "never":
        return []

    if start == "always":
        if tokenizer.bos_token_id is None:
            raise UserError(
                f"start_token: always, but {tokenizer_name(tokenizer)} has no start token "
                "(bos_token); write auto or never, or name another reference"
            )
        ids = [tokenizer.bos_token_id]
    else:
        # The mask is 1 for the tokens that the tokenizer adds before and after the text, and 0 for
        # the tokens of the text: [1, 0, 1] for `<s> text </s>`.
        encoded = tokenizer(_known_text(tokenizer), return_special_tokens_mask=True)
        n_before = encoded.special_tokens_mask.index(0)
        ids = list(encoded.input_ids[:n_before])

    check_ids(ids, tokenizer, n_embeddings, "before every text")
    return ids


def without_start(
    text: str, tokenizer: "PreTrainedTokenizerBase", start_tokens: Sequence[int]
) -> str:
    """`text` without the start tokens with which it begins, however many.

    White space before each of them goes too. `start_tokens` are ids. A text that begins with none
    of them is returned unchanged.
    """
    start_texts = tokenizer.convert_ids_to_tokens(list(start_tokens))
    while True:
        stripped = text.lstrip()
        first = next((start for start in start_texts if stripped.startswith(start)), None)
        if first is None:
            return text
        text = stripped.removeprefix(first)


def _known_text(tokenizer: "PreTrainedTokenizerBase") -> str:
    """A text of one token that the tokenizer surely has.

    A tokenizer with few words and no unknown token reads no token from other texts.
    """
    if tokenizer.all_special_tokens:
        return str(tokenizer.all_special_tokens[0])
    vocabulary = tokenizer.get_vocab()
    return min(vocabulary, key=lambda token: vocabulary[token])
