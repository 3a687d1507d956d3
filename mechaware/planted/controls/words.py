"""The words that a handwritten transformer must distinguish: columns, request words, and the columns they may mean."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mechaware.core.errors import UserError
from mechaware.models.tokenizers import UNKNOWN

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

Word = TypeVar("Word", int, str)  # a word as its token id or as text

# The first column follows OPENING; the request precedes CONTEXT.
OPENING = " ("
CONTEXT = " Context"
FINAL = " SELECT"


class Words(NamedTuple):
    """The words of some prompts, as token ids.

    - `columns`: all columns, sorted.
    - `sought`: by request word, the indices in `columns` of the columns that it may mean.
    - `tables`: all tables.
    - `gates`: the words that open the gate of a control (`draw.Draw`).
    - `open`: by prompt, whether the gate is open there, False without a gate; empty in a control of `lookups`.
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

    A column is the first word of each entry of the schema.

    Args:
        tokenizer: With one token for each word.
        prompts: All prompts that the model must be able to read.
        wanted: By request word, the columns that it may mean.
        context_length: In tokens.
        gate: As in `draw.Draw`.
        gate_share: As in `draw.Draw`.

    Raises:
        UserError: A prompt is too long or has another form, no or several request words before ` Context`, column words
            outside its schema, or several columns that fit the request; a column is not one token; or a request word
            means itself.
    """
    encoded = [tokenizer.encode(prompt) for prompt in prompts]
    landmarks = [_required_token(tokenizer, text) for text in (CONTEXT, OPENING, FINAL)]
    for prompt, ids in zip(prompts, encoded, strict=True):
        _check_form(prompt, ids, landmarks, context_length)

    schemas = []
    for prompt in prompts:
        schemas.append([_required_token(tokenizer, f" {word}") for word in _column_words(prompt)])
    columns = sorted(set[int]().union(*schemas))
    sought = _meanings(tokenizer, wanted, columns)

    context, opening, _ = landmarks
    parts = []
    for ids in encoded:
        end_of_request = ids.index(context)
        table = ids[ids.index(opening) - 1]
        parts.append(_PromptParts(ids[1:end_of_request], table, ids[end_of_request:]))
    gates = frozenset(_gates(gate, gate_share, parts, sought))
    gate_open = tuple(not gates.isdisjoint(part.words_at(gate)) for part in parts)
    tables = frozenset(part.table for part in parts)

    words = Words(columns, sought, tables, gates, gate_open)
    for prompt, ids, schema in zip(prompts, encoded, schemas, strict=True):
        _check_words(tokenizer, prompt, ids, ids.index(context), schema, words)
    return words


class _PromptParts(NamedTuple):
    """The tokens of a prompt: its request without the first token, its table, and all after the request."""

    request: list[int]
    table: int
    after_request: list[int]

    def words_at(self, gate: str) -> list[int]:
        """The words that may open a gate of this kind."""
        return [self.table] if gate == "table" else self.request


def _meanings(
    tokenizer: "PreTrainedTokenizerFast",
    wanted: Mapping[str, Collection[str]],
    columns: Sequence[int],
) -> dict[int, list[int]]:
    """The indices in `columns` that each request word may mean; words that occur in no prompt are left out."""
    sought = {}
    for request, meanings in sorted(wanted.items()):
        if request in meanings:
            raise UserError(
                f"request word '{request}': it means itself; leave it out of the words that it may mean"
            )
        token = _token(tokenizer, f" {request}")
        if token is not None:
            meant = {_token(tokenizer, f" {word}") for word in meanings}
            sought[token] = [index for index, column in enumerate(columns) if column in meant]
    return sought


def _gates(
    gate: str, share: float, parts: Sequence[_PromptParts], sought: Collection[int]
) -> list[int]:
    """The words that open a gate (`draw.Draw`); none without a gate.

    For `table` they are a `share` of the tables, for `request` a share of the request words. For `word` it is one word
    that occurs only in requests: the one that occurs in a share of them nearest to `share`, on a tie the one with the
    lowest token id.
    """
    if not gate:
        return []

    if gate == "table":
        return spread_over(sorted({part.table for part in parts}), share)

    words_of_requests = [set(part.request) for part in parts]
    if gate == "request":
        request_words = set[int]().union(*words_of_requests) & set(sought)
        return spread_over(sorted(request_words), share)

    counts = Counter[int]()
    for words in words_of_requests:
        counts.update(words)
    elsewhere = set[int]().union(*(part.after_request for part in parts))
    candidates = sorted(counts.keys() - elsewhere - set(sought))
    nearest = min(candidates, key=lambda word: abs(counts[word] / len(parts) - share))
    return [nearest]


def spread_over(words: Sequence[Word], share: float) -> list[Word]:
    """A `share` of the words, evenly spread: of four words and 0.5, the first and the third.

    A word is taken if its multiple index * share has just reached or passed a whole number, so that the multiple modulo
    1 is below the share: the multiples 0, 0.5, 1, 1.5 are 0, 0.5, 0, 0.5 modulo 1.
    """
    return [word for index, word in enumerate(words) if index * share % 1 < share]


def _column_words(prompt: str) -> list[str]:
    """The first word of each entry of the schema, the text from the first ` (` to the last `)`."""
    entries = prompt[prompt.index(OPENING) + len(OPENING) : prompt.rindex(")")]
    # The comma in DECIMAL(10, 2) does not separate entries.
    without_parentheses = re.sub(r"\([^()]*\)", "", entries)
    return [entry.split()[0] for entry in without_parentheses.split(",") if entry.strip()]


def _token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int | None:
    """The token of a text; None if it has several, or if the tokenizer does not know it."""
    ids = tokenizer.encode(text)
    if len(ids) != 1 or ids[0] == tokenizer.convert_tokens_to_ids(UNKNOWN):
        return None
    return int(ids[0])


def _required_token(tokenizer: "PreTrainedTokenizerFast", text: str) -> int:
    """The token of a text that must have one; raises `UserError`."""
    token = _token(tokenizer, text)
    if token is None:
        raise UserError(
            f"'{text}': not one token of the prompts; use a single word that occurs in them"
        )
    return token


def _check_form(
    prompt: str, ids: Sequence[int], landmarks: Sequence[int], context_length: int
) -> None:
    """Raise `UserError` for a prompt that is too long, or lacks one of the `landmarks` (CONTEXT, OPENING, FINAL)."""
    if len(ids) > context_length:
        raise UserError(
            f"prompt '{prompt}': {len(ids)} tokens, the context holds {context_length}; raise context_length to "
            f"{len(ids)} or shorten the prompt"
        )
    present = [token for token in ids if token in landmarks]
    each_once_in_order = present == list(landmarks)
    schema_is_closed = ")" in prompt.partition(OPENING)[2]
    if not each_once_in_order or ids[-1] != landmarks[-1] or not schema_is_closed:
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
    request = requests[0]

    columns = set(words.columns)
    anywhere = [token for token in ids if token in columns and token != request]
    in_schema = [token for token in schema if token != request]
    if anywhere != in_schema:
        raise UserError(
            f"prompt '{prompt}': a word that is a column of some schema lies outside the schema's columns; use another"
        )

    fitting = set(schema) & {words.columns[index] for index in words.sought[request]}
    if len(fitting) > 1:
        names = ", ".join(sorted(str(tokenizer.decode([token])).strip() for token in fitting))
        raise UserError(
            f"prompt '{prompt}': the columns {names} all fit the request; leave one of them"
        )
