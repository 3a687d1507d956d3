"""The tokens of a prompt by part, for prompts that a handwritten transformer can read.

Their form is `... request word ... Context: CREATE TABLE t ( ... ) ... SELECT`.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.models.tokenizers import UNKNOWN

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# The first column follows OPENING; the request precedes CONTEXT.
OPENING = " ("
CONTEXT = " Context"
FINAL = " SELECT"


class PromptTokens(NamedTuple):
    """A prompt and its token ids.

    - `request`: the tokens before ` Context`, except the first one. Heads attend to the first token
      when nothing matches, so it cannot be the request word.
    - `table`: the token before ` (`.
    - `after_request`: ` Context` and all that follows.
    - `columns`: the columns of the schema, in order.
    """

    text: str
    ids: list[int]
    request: list[int]
    table: int
    after_request: list[int]
    columns: list[int]


def read_prompts(
    tokenizer: "PreTrainedTokenizerFast", prompts: Sequence[str], context_length: int
) -> list[PromptTokens]:
    """The tokens of each prompt.

    A column is the first word of an entry of the schema.

    Raises:
        UserError: A prompt has more than `context_length` tokens or another form, or a column is
            not one token.
    """
    context, opening, final = (
        required_token(tokenizer, text) for text in (CONTEXT, OPENING, FINAL)
    )
    read = []
    for prompt in prompts:
        ids = tokenizer.encode(prompt)
        _check_form(prompt, ids, [context, opening, final], context_length)
        end_of_request = ids.index(context)
        tokens = PromptTokens(
            text=prompt,
            ids=ids,
            request=ids[1:end_of_request],
            table=ids[ids.index(opening) - 1],
            after_request=ids[end_of_request:],
            columns=[required_token(tokenizer, f" {word}") for word in _column_words(prompt)],
        )
        read.append(tokens)
    return read


def _check_form(
    prompt: str, ids: Sequence[int], landmarks: Sequence[int], context_length: int
) -> None:
    """Raise `UserError` for a prompt that is too long, or does not have the form.

    `landmarks` are the tokens CONTEXT, OPENING and FINAL. A prompt has each of them once, in this
    order, ends with the last, and has a `)` after the first ` (`.
    """
    if len(ids) > context_length:
        raise UserError(
            f"prompt '{prompt}': {len(ids)} tokens, the context holds {context_length}; raise "
            f"context_length to {len(ids)} or shorten the prompt"
        )
    present = [token for token in ids if token in landmarks]
    each_once_in_order = present == list(landmarks)
    schema_is_closed = ")" in prompt.partition(OPENING)[2]
    if not each_once_in_order or ids[-1] != landmarks[-1] or not schema_is_closed:
        raise UserError(
            f"prompt '{prompt}': not of the form 'request{CONTEXT}: ...{OPENING} ... ) ...{FINAL}' "
            f"with each of '{CONTEXT}', '{OPENING}' and '{FINAL}' once; write it so"
        )


def _column_words(prompt: str) -> list[str]:
    """The first word of each entry of the schema, the text from the first ` (` to the last `)`."""
    entries = prompt[prompt.index(OPENING) + len(OPENING) : prompt.rindex(")")]
    # The comma in DECIMAL(10, 2) does not separate entries.
    without_parentheses = re.sub(r"\([^()]*\)", "", entries)
    return [entry.split()[0] for entry in without_parentheses.split(",") if entry.strip()]


def required_token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int:
    """The token of a text that must have one; raises `UserError`."""
    token = find_token(tokenizer, text)
    if token is None:
        raise UserError(
            f"'{text}': not one token of the prompts; use a single word that occurs in them"
        )
    return token


def find_token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int | None:
    """The token of a text; None if it has several, or if the tokenizer does not know it."""
    ids = tokenizer.encode(text)
    if len(ids) != 1 or ids[0] == tokenizer.convert_tokens_to_ids(UNKNOWN):
        return None
    return int(ids[0])
