"""Matched pairs of a clean and a corrupted prompt that differ in the schema word alone, in five categories."""

import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mechaware.errors import UserError
from mechaware.files import read_json_lines, write_json_lines
from mechaware.grounding.data.rows import prompt_of
from mechaware.grounding.data.sql import MIN_COLUMNS, TYPES, create_statement, draw_fields
from mechaware.grounding.data.vocabulary import Vocabulary
from mechaware.grounding.names import CATEGORIES
from mechaware.models.patch import TokenPair
from mechaware.seeds import derive_seed

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class Pair(NamedTuple):
    """One pair. The request names the column by `request_word`; the schema's first column is `clean` or `corrupted`.

    Both prompts end right before the first field of the answer, so the logits at the final position predict it.
    """

    id: str
    category: str
    request_word: str
    clean: str
    corrupted: str
    clean_prompt: str
    corrupted_prompt: str


class Words(NamedTuple):
    """The three words of a pair: that of the request, and those of the clean and the corrupted schema."""

    request: str
    clean: str
    corrupted: str


def make_pairs(
    vocabulary: Vocabulary,
    columns: set[str],
    is_token: Callable[[str], bool],
    *,
    per_category: int,
    max_columns: int,
    table_synonym_probability: float,
    seed: int,
) -> list[Pair]:
    """`per_category` pairs of each category; no two pairs of a category have the same clean word.

    A database word is one of `columns`, the column names of the training data; a non-database word is a synonym that
    is not among them. Only words that `is_token` accepts become schema words. The request names the column by a word
    that is neither the clean nor the corrupted one, as in the data. Raises `UserError` for a category that the
    vocabulary cannot fill.
    """
    pools = _pools(vocabulary, columns, is_token)
    pairs = []
    for category in CATEGORIES:
        draw = random.Random(derive_seed(seed, category))  # noqa: S311
        drawn = _draw_words(category, pools, vocabulary, draw)[:per_category]
        if len(drawn) < per_category:
            split = sorted(word for word in vocabulary.words() if not is_token(word))
            reason = f" ({len(split)} words are not one token: {', '.join(split[:5])} ...)" if split else ""
            raise UserError(
                f"category {category}: {len(drawn)} pairs of {per_category} can be made{reason}; "
                "take more fields (grounding/data/fields) or fewer pairs (grounding/pairs_per_category)"
            )
        for number, words in enumerate(drawn, start=1):
            prompts = _prompts(words, vocabulary, columns, max_columns, table_synonym_probability, draw)
            pairs.append(Pair(f"{category}-{number:02d}", category, *words, *prompts))
    return pairs


class Pools(NamedTuple):
    """Fields for each role: `database` with their request words, and in `synonym_columns` with their synonyms among the
    columns; `other` with their two synonyms, neither of which is a column.
    """

    database: dict[str, list[str]]
    synonym_columns: dict[str, list[str]]
    other: dict[str, tuple[str, str]]


def _pools(vocabulary: Vocabulary, columns: set[str], is_token: Callable[[str], bool]) -> Pools:
    database, synonym_columns, other = dict[str, list[str]](), dict[str, list[str]](), dict[str, tuple[str, str]]()
    for field, synonyms in vocabulary.fields.items():
        requests = [synonym for synonym in synonyms if synonym not in columns]
        if field in columns and is_token(field) and requests:
            database[field] = requests
            synonym_columns[field] = [word for word in synonyms if word in columns and is_token(word)]
        if field in columns and len(requests) == len(synonyms) and all(map(is_token, synonyms)):
            other[field] = synonyms
    return Pools(database, synonym_columns, other)


def _draw_words(category: str, pools: Pools, vocabulary: Vocabulary, draw: random.Random) -> list[Words]:
    """All pairs of words of a category in random order, one per clean word."""

    def unrelated(field: str, others: Iterable[str]) -> list[str]:
        return [other for other in others if other != field and not vocabulary.related(field, other)]

    def shuffled(fields: Iterable[str]) -> list[str]:
        ordered = list(fields)
        return draw.sample(ordered, len(ordered))

    database, other = pools.database, pools.other
    match category:
        case "db_synonyms":
            fields = shuffled(field for field in database if pools.synonym_columns[field])
            return [Words(draw.choice(database[f]), f, draw.choice(pools.synonym_columns[f])) for f in fields]
        case "db_scramble":
            fields = shuffled(field for field in database if unrelated(field, database))
            return [Words(draw.choice(database[f]), f, draw.choice(unrelated(f, database))) for f in fields]
        case "non_db_synonyms":
            return [Words(f, *other[f]) for f in shuffled(other)]
        case "non_db_scramble":
            fields = shuffled(field for field in other if unrelated(field, other))
            return [Words(f, other[f][0], draw.choice(other[draw.choice(unrelated(f, other))])) for f in fields]
        case _:
            fields = shuffled(field for field in database if unrelated(field, other))
            return [
                Words(draw.choice(database[f]), f, draw.choice(other[draw.choice(unrelated(f, other))])) for f in fields
            ]


def _prompts(
    words: Words,
    vocabulary: Vocabulary,
    columns: set[str],
    max_columns: int,
    table_synonym_probability: float,
    draw: random.Random,
) -> tuple[str, str]:
    """The clean and the corrupted prompt: one phrasing, one table, the same other columns of the same types."""
    families = [{field, *synonyms} for field, synonyms in vocabulary.fields.items()]
    related = {word for family in families if family & set(words) for word in family}
    excluded = {field for field in vocabulary.fields if field not in columns or field in related}
    others = draw_fields(vocabulary, draw.randint(MIN_COLUMNS, max_columns) - 1, draw, excluded)
    types = [draw.choice(TYPES) for _ in range(len(others) + 1)]
    table = draw.choice(list(vocabulary.tables))
    asked = draw.choice(vocabulary.tables[table]) if draw.random() < table_synonym_probability else table
    request = draw.choice(vocabulary.phrasings).format(fields=words.request, table=asked)

    def prompt(word: str) -> str:
        schema = create_statement(table, list(zip([word, *others], types, strict=True)))
        return f"{prompt_of(request, schema)} SELECT"

    return prompt(words.clean), prompt(words.corrupted)


def write_pairs(pairs: Iterable[Pair], path: Path) -> None:
    """Write pairs as JSON lines, whole or not at all."""
    write_json_lines((pair._asdict() for pair in pairs), path)


def read_pairs(path: Path) -> list[Pair]:
    """The pairs that `write_pairs` wrote."""
    return [Pair(**record) for record in read_json_lines(path)]


def is_one_token(tokenizer: "PreTrainedTokenizerBase", word: str) -> bool:
    """Whether `word`, with the space before it, is one token that `tokenizer` knows."""
    ids = tokenizer(f" {word}", add_special_tokens=False).input_ids
    return len(ids) == 1 and ids[0] != tokenizer.unk_token_id


def tokenise_pairs(pairs: Sequence[Pair], tokenizer: "PreTrainedTokenizerBase") -> list[TokenPair]:
    """Token ids of each pair, the position where its prompts differ, and the ids of its two answers.

    Raises `UserError`, with the pair and the word, for a word that is not one token, and for prompts that differ in
    anything but that word.
    """
    return [_tokenise(pair, tokenizer) for pair in pairs]


def _tokenise(pair: Pair, tokenizer: "PreTrainedTokenizerBase") -> TokenPair:
    for word in (pair.clean, pair.corrupted):
        if not is_one_token(tokenizer, word):
            raise UserError(f"pair {pair.id}: '{word}' is not one token of the model's tokenizer; use another word")
    clean, corrupted = (tokenizer(prompt).input_ids for prompt in (pair.clean_prompt, pair.corrupted_prompt))
    correct, incorrect = (
        tokenizer(f" {word}", add_special_tokens=False).input_ids[0] for word in (pair.clean, pair.corrupted)
    )
    differing = [
        at
        for at, (clean_id, corrupted_id) in enumerate(zip(clean, corrupted, strict=False))
        if clean_id != corrupted_id
    ]
    words = [(clean[at], corrupted[at]) for at in differing]
    if len(clean) != len(corrupted) or words != [(correct, incorrect)]:
        raise UserError(
            f"pair {pair.id}: the prompts must differ in '{pair.clean}' and '{pair.corrupted}' alone, "
            f"but {len(differing)} tokens differ; write the same prompt with the two words in one place"
        )
    return TokenPair(clean, corrupted, differing[0], correct, incorrect)
