"""The token ids of a text as a model reads it: the start tokens once, then the text, and nothing
after it.

Every reader of a model takes its ids from here, so that activations, scores, continuations and
patched prompts belong to the same tokens. A tokenizer by itself may give other ids: it may put an
end token after a text, and a second start token before a text that begins with one. For the
tokenizer `<s> $A </s>` with the ids <s> 1, </s> 2, Rome 7 and is 8:

    text            the tokenizer's own ids     `token_ids`
    Rome is         1 7 8 2                     1 7 8
    <s>Rome is      1 1 7 8 2                   1 7 8
    Rome</s> is     1 7 2 8 2                   1 7 2 8
    <s>             1 1 2                       1

Inside a chat template (`chat.py`) the ids are of the template's whole text. If the template writes
start tokens, as most do, no others are put before them.
"""

from collections.abc import Sequence
from itertools import dropwhile
from typing import TYPE_CHECKING, cast

from mechaware.core.errors import UserError
from mechaware.models.tokenisation.chat import Template, ask
from mechaware.models.tokenisation.start import StartToken, start_ids, without_start
from mechaware.models.tokenisation.vocabulary import check_ids, tokenizer_name

if TYPE_CHECKING:
    from transformers import BatchEncoding, PreTrainedTokenizerBase

_SHOWN = 40  # characters of a text in a message


def token_ids(
    tokenizer: "PreTrainedTokenizerBase",
    texts: Sequence[str],
    n_embeddings: int,
    start: StartToken = "auto",
    *,
    template: Template = "none",
    answers: Sequence[str] | None = None,
) -> list[list[int]]:
    """The start tokens and the ids of each text, which may itself begin with the start tokens.

    Special tokens inside a text, or at its end, are the user's and stay. An empty text has the
    start tokens alone.

    Args:
        tokenizer: Fast or not. Its padding, truncation and end tokens are ignored.
        texts: Any number of texts.
        n_embeddings: The rows of the model's embedding (`embedding_rows`); ids are 0 to
            `n_embeddings` - 1.
        start: Which tokens come before a text, as for `start_ids`.
        template: The text around each prompt (`ask`).
        answers: The model's answer to each text, which follows the text, or in a chat begins the
            reply. Default: none.

    Raises:
        UserError: The tokenizer lacks the start token or the template, cannot read a text, or gives
            a text a token that the model lacks.
    """
    start_tokens = start_ids(tokenizer, n_embeddings, start)
    bare = [without_start(text, tokenizer, start_tokens) for text in texts]
    prompts = ask(tokenizer, bare, template)
    replies = answers or [""] * len(texts)
    whole = []
    for prompt, answer in zip(prompts, replies, strict=True):
        whole.append(prompt.text + prompt.reply(answer))
    encoded = encode_bare(tokenizer, whole, n_embeddings)
    if template == "chat":
        encoded = [ids_without_start(ids, start_tokens) for ids in encoded]
    return [[*start_tokens, *ids] for ids in encoded]


def encode_prompts(
    texts: Sequence[str],
    names: Sequence[str],
    tokenizer: "PreTrainedTokenizerBase",
    *,
    model: str,
    context_length: int,
    n_embeddings: int,
    template: Template = "none",
) -> list[list[int]]:
    """The token ids of each prompt (`token_ids`), which has to fit the model's context.

    Args:
        texts: The prompts.
        names: Their names, for messages.
        tokenizer: Of the model.
        model: The model's name, for messages.
        context_length: The most tokens that the model reads.
        n_embeddings: The rows of the model's embedding.
        template: The text around a prompt.

    Raises:
        UserError: A prompt is longer than the context, or what `token_ids` raises.
    """
    prompts = token_ids(tokenizer, texts, n_embeddings, template=template)
    for name, ids in zip(names, prompts, strict=True):
        if len(ids) > context_length:
            raise UserError(
                f"{name}: {len(ids)} tokens, but {model} reads at most {context_length}; "
                "shorten the prompt or choose a model with a longer context"
            )
    return prompts


def ids_without_start(ids: Sequence[int], start_tokens: Sequence[int]) -> list[int]:
    """The ids of a chat without the start tokens that its template writes first.

    They are removed from the ids and not from the text, because a word after a start token may have
    other tokens than the same word at the start of a text.
    """
    return list(dropwhile(lambda token: token in start_tokens, ids))


def encode_bare(
    tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], n_embeddings: int
) -> list[list[int]]:
    """The ids of each text, without start and end tokens.

    Raises `UserError` as `token_ids` does.
    """
    if not texts:
        return []  # tokenizers refuse an empty list
    return cast(list[list[int]], _encode(tokenizer, texts, n_embeddings).input_ids)


def encode_with_ends(
    tokenizer: "PreTrainedTokenizerBase", texts: Sequence[str], n_embeddings: int
) -> list[tuple[list[int], list[int]]]:
    """The ids of each text as in `encode_bare`, and for each token its end: the number of the
    text's characters up to and including the token's last.

    Raises `UserError` as `encode_bare` does, and for a slow tokenizer (in Python), which does not
    know the ends.
    """
    if not tokenizer.is_fast:
        raise UserError(
            f"{tokenizer_name(tokenizer)} is not a fast one, so that question and answer cannot be told apart; "
            "save it again with a tokenizer.json"
        )
    if not texts:
        return []
    encoded = _encode(tokenizer, texts, n_embeddings, offsets=True)
    with_ends = []
    for ids, offsets in zip(encoded.input_ids, encoded.offset_mapping, strict=True):
        with_ends.append((ids, [end for _, end in offsets]))
    return with_ends


def _encode(
    tokenizer: "PreTrainedTokenizerBase",
    texts: Sequence[str],
    n_embeddings: int,
    *,
    offsets: bool = False,
) -> "BatchEncoding":
    """The tokenizer's encoding of the texts, to which it adds no special tokens.

    With `offsets`, it includes the span of characters of each token. Raises `UserError` for a text
    that the tokenizer cannot read, and for ids that the model does not know.
    """
    name = tokenizer_name(tokenizer)
    try:
        encoded = tokenizer(
            list(texts), add_special_tokens=False, return_offsets_mapping=offsets, verbose=False
        )
    except Exception as error:
        # The tokenizers library raises nothing narrower for a word that it does not know.
        raise UserError(
            f"{name} cannot read a text ({error}); use the model's own tokenizer"
        ) from error

    for text, ids in zip(texts, encoded.input_ids, strict=True):
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        place = f"in the text {shown!r}"
        if text.strip() and not ids:
            raise UserError(f"{name} knows no token {place}; use the model's own tokenizer")
        check_ids(ids, tokenizer, n_embeddings, place)
    return cast("BatchEncoding", encoded)
