"""The words that a handwritten transformer must distinguish: columns, request words, and the columns they may mean."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.core.errors import UserError
from mechaware.models.tokenizers import UNKNOWN

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

# The first column follows OPENING; the request precedes CONTEXT.
OPENING, CONTEXT, FINAL = (
    " (",
    " Context",
    " SELECT",
)


class Words(NamedTuple):
    """`columns`: their token ids, sorted. `sought`: by request word, the indices in `columns` that it may mean.

    `tables`: the tables. `gates`: the words that open a gate of `generator.Draw`. `open`: whether it is, by prompt.
    """

    columns: list[int]
    sought: dict[int, list[int]]
    tables: frozenset[int] = frozenset()
    gates: frozenset[int] = frozenset()
    open: tuple[bool, ...] = ()


def read_words(
    tokenizer: "PreTrainedTokenizerFast",
    prompts: Sequence[str],
    wanted: Mapping[str, Collection[str]],
    context_length: int,
    gate: str = "",
    gate_share: float = 0.5,
) -> Words:
    """The words of `prompts`, which have the form `... request word ... Context: CREATE TABLE t ( ... ) ... SELECT`.

    A column is the first word of each entry of the schema. Raises `UserError` for a prompt that is too long or of
    another form, that has not exactly one request word before ` Context`, has column words outside its schema, or has
    two columns that fit the request; for a column that is not one token; and for a request word that means itself.
    """
    encoded = [tokenizer.encode(prompt) for prompt in prompts]
    landmarks = [_column(tokenizer, text) for text in (CONTEXT, OPENING, FINAL)]
    for prompt, ids in zip(prompts, encoded, strict=True):
        _check_form(prompt, ids, landmarks, context_length)
    schemas = [
        [_column(tokenizer, f" {word}") for word in _column_words(prompt)] for prompt in prompts
    ]
    columns = sorted({column for schema in schemas for column in schema})
    sought = {}
    for request, meanings in sorted(wanted.items()):
        if request in meanings:
            raise UserError(
                f"request word '{request}': it means itself; leave it out of the words that it may mean"
            )
        if (token := _token(tokenizer, f" {request}")) is not None:
            tokens = {_token(tokenizer, f" {word}") for word in meanings}
            sought[token] = [index for index, column in enumerate(columns) if column in tokens]
    requests = [ids[1 : ids.index(landmarks[0])] for ids in encoded]
    tables = [ids[ids.index(landmarks[1]) - 1] for ids in encoded]
    gates = frozenset(_gates(gate, gate_share, requests, tables, encoded, sought))
    at_gate = [[table] for table in tables] if gate == "table" else requests
    gate_open = tuple(not gates.isdisjoint(said) for said in at_gate)
    words = Words(columns, sought, frozenset(tables), gates, gate_open)
    for prompt, ids, schema in zip(prompts, encoded, schemas, strict=True):
        _check_words(tokenizer, prompt, ids, ids.index(landmarks[0]), schema, words)
    return words


def _gates(
    gate: str,
    share: float,
    requests: Sequence[Sequence[int]],
    tables: Sequence[int],
    encoded: Sequence[Sequence[int]],
    sought: Collection[int],
) -> list[int]:
    """The words that open a gate: a `share` of the request words or tables, or a word that stands in requests alone.

    Of the latter it is the one that is nearest to standing in that share of the requests.
    """
    if gate in ("request", "table"):
        at_gate = [[table] for table in tables] if gate == "table" else requests
        words = sorted(
            {word for said in at_gate for word in said if gate == "table" or word in sought}
        )
        return [word for index, word in enumerate(words) if index * share % 1 < share]
    if not gate:
        return []
    counts = Counter(word for request in requests for word in set(request))
    elsewhere = {
        word
        for request, ids in zip(requests, encoded, strict=True)
        for word in ids[1 + len(request) :]
    }
    fit = sorted(counts.keys() - elsewhere - set(sought))
    return [min(fit, key=lambda word: abs(counts[word] / len(requests) - share))]


def _column_words(prompt: str) -> list[str]:
    """The first word of each entry of the schema, the text from the first ` (` to the last `)`."""
    entries = prompt[prompt.index(OPENING) + len(OPENING) : prompt.rindex(")")]
    # Without parentheses inside: the comma of DECIMAL(10, 2) separates no entries.
    return [
        entry.split()[0] for entry in re.sub(r"\([^()]*\)", "", entries).split(",") if entry.strip()
    ]


def _token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int | None:
    ids = tokenizer.encode(text)
    return (
        int(ids[0])
        if len(ids) == 1 and ids[0] != tokenizer.convert_tokens_to_ids(UNKNOWN)
        else None
    )


def _column(tokenizer: "PreTrainedTokenizerFast", text: str) -> int:
    token = _token(tokenizer, text)
    if token is None:
        raise UserError(
            f"'{text}': not one token of the prompts; use a single word that occurs in them"
        )
    return token


def _check_form(
    prompt: str, ids: Sequence[int], landmarks: Sequence[int], context_length: int
) -> None:
    if len(ids) > context_length:
        raise UserError(
            f"prompt '{prompt}': {len(ids)} tokens, the context holds {context_length}; raise context_length to "
            f"{len(ids)} or shorten the prompt"
        )
    present = [token for token in ids if token in landmarks]
    if (
        present != list(landmarks)
        or ids[-1] != landmarks[-1]
        or ")" not in prompt.partition(OPENING)[2]
    ):
        raise UserError(
            f"prompt '{prompt}': not of the form 'request{CONTEXT}: ...{OPENING} ... ) ...{FINAL}' with each of "
            f"'{CONTEXT}', '{OPENING}' and '{FINAL}' once; write it so"
        )


def _check_words(
    tokenizer: "PreTrainedTokenizerFast",
    prompt: str,
    ids: Sequence[int],
    context: int,
    schema: Sequence[int],
    words: Words,
) -> None:
    """Raise `UserError` unless one request word precedes ` Context`, and at most one of the columns fits it."""
    # Heads without a match attend to the first token: it cannot be the request.
    requests = [token for token in ids[1:context] if token in words.sought]
    if len(requests) != 1:
        raise UserError(
            f"prompt '{prompt}': {len(requests)} request words between the first token and '{CONTEXT}'; name exactly "
            "one word of `wanted` there"
        )
    column_tokens = [token for token in ids if token in set(words.columns) and token != requests[0]]
    if column_tokens != [token for token in schema if token != requests[0]]:
        raise UserError(
            f"prompt '{prompt}': a word that is a column of some schema lies outside the schema's columns; use another"
        )
    if (
        len(fitting := set(schema) & {words.columns[index] for index in words.sought[requests[0]]})
        > 1
    ):
        names = ", ".join(sorted(str(tokenizer.decode([token])).strip() for token in fitting))
        raise UserError(
            f"prompt '{prompt}': the columns {names} all fit the request; leave one of them"
        )
