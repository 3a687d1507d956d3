"""The words that a handwritten transformer must distinguish, and the columns they may mean."""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.planted.controls.gates import gate_words, is_open
from mechaware.planted.controls.prompt_tokens import (
    CONTEXT,
    PromptTokens,
    find_token,
    read_prompts,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast


class Words(NamedTuple):
    """The words of some prompts, as token ids.

    - `columns`: all columns, sorted.
    - `sought`: by request word, the indices in `columns` of the columns that it may mean.
    - `tables`: all tables.
    - `gates`: the words that open the gate of a control (`gates.gate_words`).
    - `gate_open`: by prompt, whether the gate is open there; False without a gate. Empty where no
      prompts are read: a control of `lookups` has only `columns`, `sought` and `gates`.
    """

    columns: list[int]
    sought: dict[int, list[int]]
    tables: frozenset[int] = frozenset()
    gates: frozenset[int] = frozenset()
    gate_open: tuple[bool, ...] = ()


def read_words(
    tokenizer: "PreTrainedTokenizerFast",
    prompts: Sequence[str],
    wanted: Mapping[str, Collection[str]],
    context_length: int,
    gate: str = "",
    gate_share: float = 0.5,
) -> Words:
    """The words of `prompts`, which have the form of `prompt_tokens`.

    Args:
        tokenizer: With one token for each word.
        prompts: All prompts that the model must be able to read.
        wanted: By request word, the columns that it may mean.
        context_length: In tokens.
        gate: As in `draw.Draw`.
        gate_share: As in `draw.Draw`.

    Raises:
        UserError: A prompt is too long or has another form, no or several request words before
            ` Context`, column words outside its schema, or several columns that fit the request; a
            column is not one token; or a request word means itself.
    """
    read = read_prompts(tokenizer, prompts, context_length)
    columns = sorted(set[int]().union(*(prompt.columns for prompt in read)))
    sought = _sought_columns(tokenizer, wanted, columns)
    gates = frozenset(gate_words(gate, gate_share, read, sought))
    words = Words(
        columns=columns,
        sought=sought,
        tables=frozenset(prompt.table for prompt in read),
        gates=gates,
        gate_open=tuple(is_open(gate, prompt, gates) for prompt in read),
    )
    for prompt in read:
        _check_words(tokenizer, prompt, words)
    return words


def _sought_columns(
    tokenizer: "PreTrainedTokenizerFast",
    wanted: Mapping[str, Collection[str]],
    columns: Sequence[int],
) -> dict[int, list[int]]:
    """By request word, the indices in `columns` of the columns that it may mean.

    Request words and columns that occur in no prompt are left out. Raises `UserError` for a request
    word that means itself.
    """
    sought = {}
    for request, meanings in sorted(wanted.items()):
        if request in meanings:
            raise UserError(
                f"request word '{request}': it means itself; leave it out of the words that it may "
                "mean"
            )
        token = find_token(tokenizer, f" {request}")
        if token is not None:
            meant = {find_token(tokenizer, f" {column}") for column in meanings}
            sought[token] = [index for index, column in enumerate(columns) if column in meant]
    return sought


def _check_words(tokenizer: "PreTrainedTokenizerFast", prompt: PromptTokens, words: Words) -> None:
    """Raise `UserError` for a prompt whose words could be confused.

    One request word must precede ` Context`. Apart from this word, columns of any prompt may occur
    only as columns of the schema. At most one column of the schema may fit the request.
    """
    requests = [token for token in prompt.request if token in words.sought]
    if len(requests) != 1:
        raise UserError(
            f"prompt '{prompt.text}': {len(requests)} request words between the first token and "
            f"'{CONTEXT}'; name exactly one word of `wanted` there"
        )
    request = requests[0]

    columns = set(words.columns)
    anywhere = [token for token in prompt.ids if token in columns and token != request]
    in_schema = [token for token in prompt.columns if token != request]
    if anywhere != in_schema:
        raise UserError(
            f"prompt '{prompt.text}': a word that is a column of some schema lies outside the "
            "schema's columns; use another"
        )

    fitting = set(prompt.columns) & {words.columns[index] for index in words.sought[request]}
    if len(fitting) > 1:
        names = ", ".join(sorted(str(tokenizer.decode([token])).strip() for token in fitting))
        raise UserError(
            f"prompt '{prompt.text}': the columns {names} all fit the request; leave one of them"
        )
