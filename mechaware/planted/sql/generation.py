"""Generates NL-to-SQL rows with the statistics of TinySQL's first command set with synonyms.

Its words are read from a vocabulary: tables and fields with their synonyms, and the phrasings that ask for them.
"""

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.schema import check, read_yaml
from mechaware.instruments.grounding.data.rows import Row, create_statement

TYPES = ("TEXT", "INTEGER", "REAL", "DATE", "BOOLEAN", "TIMESTAMP")
MIN_COLUMNS = 2
_TRIES = 100  # average draws per row after which the vocabulary counts as exhausted: a clear error, not an endless loop

_WORD = {
    "type": "string",
    "pattern": "^[a-z]+$",
    "description": "one lower-case word of the letters a to z",
}
_SYNONYMS = {
    "type": "object",
    "propertyNames": _WORD,
    "additionalProperties": {"type": "array", "items": _WORD},
}
_PHRASING = {
    "type": "string",
    "pattern": r"^(?=.*\{fields\})(?=.*\{table\})[^{}]*\{\w+\}[^{}]*\{\w+\}[^{}]*$",
    "description": "a request with {fields} and {table}, once each",
}
_SCHEMA = {
    "type": "object",
    "required": ["phrasings", "tables", "fields"],
    "additionalProperties": False,
    "properties": {
        "phrasings": {"type": "array", "items": _PHRASING, "minItems": 1, "uniqueItems": True},
        "tables": _SYNONYMS,
        "fields": _SYNONYMS,
    },
}


class Vocabulary(NamedTuple):
    """Phrasings of a request, and the two synonyms of each table and field. A field's synonym may itself be a field."""

    phrasings: tuple[str, ...]
    tables: dict[str, tuple[str, str]]
    fields: dict[str, tuple[str, str]]

    def related(self, field: str, other: str) -> bool:
        """Whether one of two fields is a synonym of the other, or a request may mean both by one word."""
        one, two = self.fields[field], self.fields[other]
        return other in one or field in two or not set(one).isdisjoint(two)

    def words(self) -> set[str]:
        """Every table, field and synonym."""
        entries = [*self.tables.items(), *self.fields.items()]
        return {word for base, synonyms in entries for word in (base, *synonyms)}


def read_vocabulary(path: Path, *, tables: int, fields: int) -> Vocabulary:
    """The phrasings and the first `tables` tables and `fields` fields of a YAML file.

    Raises `UserError` for a file of another form, a synonym of two bases, a word that names a table and a field, and
    fewer tables or fields than asked for.
    """
    document = read_yaml(path, str(path))
    # A file that is no mapping is checked as an empty one: the message then names the first key that it lacks.
    check(document if isinstance(document, dict) else {}, _SCHEMA, str(path))
    for kind in ("tables", "fields"):
        _check_synonyms(document[kind], kind, path)
    _check_disjoint(document["tables"], document["fields"], path)
    chosen: list[dict[str, tuple[str, str]]] = []
    for kind, required in (("tables", tables), ("fields", fields)):
        entries = document[kind]
        if len(entries) < required:
            raise UserError(
                f"{path}: {len(entries)} {kind}, but grounding/data/{kind} asks for {required}; "
                "add some or ask for fewer"
            )
        chosen.append(
            {base: (first, second) for base, (first, second) in islice(entries.items(), required)}
        )
    return Vocabulary(tuple(document["phrasings"]), *chosen)


def share_words(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary in which the first two fields have the same synonyms, and so on: one of each of the two.

    No schema holds both of them, so it decides which of the two a request means that names it by a synonym. A request
    alone does not. A last field that is left over keeps its own synonyms.
    """
    names = list(vocabulary.fields)
    shared = dict(vocabulary.fields)
    for one, other in zip(names[::2], names[1::2], strict=False):
        words = _one_of_each(vocabulary, one, other)
        shared[one] = shared[other] = words
    return vocabulary._replace(fields=shared)


def _one_of_each(vocabulary: Vocabulary, one: str, other: str) -> tuple[str, str]:
    """A synonym of each of two fields, the first that is no field itself where there is one."""
    first, second = (
        sorted(vocabulary.fields[field], key=vocabulary.fields.__contains__)[0]
        for field in (one, other)
    )
    return first, second


def blind_guess(
    vocabulary: Vocabulary,
    rows: Sequence[Row],
    *,
    table_synonym_probability: float,
    field_synonym_probability: float,
) -> float:
    """The share of `rows` whose SQL the best guess from the request's words alone gets exactly right.

    For each word of a request it takes the table or field that the generator names by it most often, of equally many
    the first of the vocabulary. The rows are of this vocabulary and these probabilities.
    """
    tables = _best_by_word(vocabulary.tables, table_synonym_probability)
    fields = _best_by_word(vocabulary.fields, field_synonym_probability)
    right = 0
    for row in rows:
        words = re.findall("[a-z]+", row.english_prompt)
        guessed_tables = [tables[word] for word in words if word in tables]
        guessed_fields = [fields[word] for word in words if word in fields]
        right += (guessed_tables, guessed_fields) == ([row.table_name], row.select)
    return right / len(rows)


def _best_by_word(entries: Mapping[str, tuple[str, str]], synonym: float) -> dict[str, str]:
    """For each word the entry that is named by it most often, of equally many the first."""
    chances: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry, synonyms in entries.items():
        chances[entry][entry] += 1 - synonym
        for word in synonyms:
            chances[word][entry] += synonym / 2
    return {word: max(of_word, key=of_word.__getitem__) for word, of_word in chances.items()}


def _check_synonyms(entries: Mapping[str, list[str]], kind: str, path: Path) -> None:
    """Refuse any number of synonyms but two, and a synonym of two bases: a request with it would have two answers."""
    owner: dict[str, str] = {}
    for base, synonyms in entries.items():
        if len(synonyms) != 2 or len(set(synonyms)) != 2:
            raise UserError(
                f"{path}, {kind}/{base}: [{', '.join(synonyms)}]; write two different synonyms"
            )
        for synonym in synonyms:
            if synonym == base:
                raise UserError(
                    f"{path}, {kind}/{base}: '{base}' is its own synonym; write another"
                )
            earlier = owner.setdefault(synonym, base)
            if earlier != base:
                raise UserError(
                    f"{path}, {kind}/{base}: '{synonym}' is a synonym of '{earlier}' too; write another for one of them"
                )


def _check_disjoint(
    tables: Mapping[str, list[str]], fields: Mapping[str, list[str]], path: Path
) -> None:
    names = [
        {word for base, synonyms in kind.items() for word in (base, *synonyms)}
        for kind in (tables, fields)
    ]
    if shared := sorted(names[0] & names[1]):
        raise UserError(f"{path}: '{shared[0]}' names a table and a field; keep it for one of them")


def generate_rows(
    vocabulary: Vocabulary,
    count: int,
    *,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
    seed: int,
) -> list[Row]:
    """`count` different rows; the first ones are the same for a larger `count`.

    A schema has 2 to `max_columns` fields, each number equally likely; 1 to all of them are selected, in random order.
    The request names the table by a synonym with `table_synonym_probability`, and each field with
    `field_synonym_probability`. No schema holds two fields of which one is a synonym of the other, so every request has
    one reading. Raises `UserError` if the vocabulary is too small for `count` rows.
    """
    generator = random.Random(seed)  # noqa: S311
    rows: dict[tuple[str, str], Row] = {}
    for _ in range(_TRIES * count):
        row = _draw_row(
            vocabulary, max_columns, table_synonym_probability, field_synonym_probability, generator
        )
        rows.setdefault((row.english_prompt, row.create_statement), row)
        if len(rows) == count:
            return list(rows.values())
    raise UserError(
        f"grounding/data: {len(vocabulary.tables)} tables and {len(vocabulary.fields)} fields give fewer than "
        f"{count} different rows; take more words or fewer rows"
    )


def _draw_row(
    vocabulary: Vocabulary,
    max_columns: int,
    table_synonym: float,
    field_synonym: float,
    generator: random.Random,
) -> Row:
    table = generator.choice(list(vocabulary.tables))
    fields = _draw_fields(vocabulary, generator.randint(MIN_COLUMNS, max_columns), generator)
    select = generator.sample(fields, generator.randint(1, len(fields)))
    request_table = (
        generator.choice(vocabulary.tables[table]) if generator.random() < table_synonym else table
    )
    request_fields = [
        generator.choice(vocabulary.fields[field]) if generator.random() < field_synonym else field
        for field in select
    ]
    return Row(
        english_prompt=generator.choice(vocabulary.phrasings).format(
            fields=_join_with_and(request_fields), table=request_table
        ),
        create_statement=create_statement(
            table, [(field, generator.choice(TYPES)) for field in fields]
        ),
        sql_statement=f"SELECT {', '.join(select)} FROM {table}",  # noqa: S608
        table_name=table,
        table_fields=fields,
        select=select,
    )


def _draw_fields(vocabulary: Vocabulary, count: int, generator: random.Random) -> list[str]:
    """`count` fields in random order, no two of them synonyms.

    Raises `UserError` if there are fewer.
    """
    drawn: list[str] = []
    for candidate in generator.sample(list(vocabulary.fields), len(vocabulary.fields)):
        if len(drawn) == count:
            break
        if not any(vocabulary.related(candidate, field) for field in drawn):
            drawn.append(candidate)
    if len(drawn) < count:
        raise UserError(
            f"grounding/data: {len(vocabulary.fields)} fields give fewer than {count} unrelated columns; "
            "take more fields or a smaller max_columns"
        )
    return drawn


def _join_with_and(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
