"""Start tokens: which of them come before every text, and how to remove them from a text that begins with some."""

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
    """The special tokens before every text.

    For `auto` these are the tokens that the tokenizer itself puts there, for `always` its start token (`bos`), for
    `never` none.
    Raises `UserError` for a start token that the tokenizer or the model lacks.
    """
    if start == "never":
        return []

    if start == "always":
        if tokenizer.bos_token_id is None:
            raise UserError(
                f"start_token: always, but {tokenizer_name(tokenizer)} has no start token (bos_token); "
                "write auto or never, or name another reference"
            )
        ids = [tokenizer.bos_token_id]
    else:
        encoded = tokenizer(_known_text(tokenizer), return_special_tokens_mask=True)
        # Only those before the text: special tokens may also follow it.
        ids = list(encoded.input_ids[: encoded.special_tokens_mask.index(0)])

    check_ids(ids, tokenizer, n_embeddings, "before every text")
    return ids


def without_start(
    text: str, tokenizer: "PreTrainedTokenizerBase", start_tokens: Sequence[int]
) -> str:
    """`text` without the start tokens with which it begins, however many, and the white space before each.

    `start_tokens` are ids. A text that begins with none of them is returned unchanged.
    """
    spelled = tokenizer.convert_ids_to_tokens(list(start_tokens))
    while True:
        stripped = text.lstrip()
        begins = [token for token in spelled if stripped.startswith(token)]
        if not begins:
            return text
        text = stripped.removeprefix(begins[0])


def _known_text(tokenizer: "PreTrainedTokenizerBase") -> str:
    """A text that has a token: a tokenizer with few words and no unknown token cannot read any other text."""
    if tokenizer.all_special_tokens:
        return str(tokenizer.all_special_tokens[0])
    vocabulary = tokenizer.get_vocab()
    return min(vocabulary, key=lambda token: vocabulary[token])
