"""Generates NL-to-SQL rows with the statistics of TinySQL's first command set with synonyms.

- `read_vocabulary` reads the words of the rows: tables and fields with their synonyms, and the
  phrasings of requests. `share_words` lets two fields share each
  synonym, so that the schema decides between them.
- `generate_rows` draws the rows.
- `blind_guess` is the score that is possible without the schema.
"""

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.schema import check
from mechaware.core.yaml_files import read_yaml
from mechaware.instruments.grounding.data.rows import Row, create_table_sql

TYPES = ("TEXT", "INTEGER", "REAL", "DATE", "BOOLEAN", "TIMESTAMP")
MIN_COLUMNS = 2
# With more draws than this for each row, on average, the vocabulary counts as exhausted: an error
# instead of an endless loop.
_TRIES = 100

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
    """The phrasings of requests, and the two synonyms of each table and field.

    A synonym of a field may be a field itself; such fields are related.
    """

    phrasings: tuple[str, ...]
    tables: dict[str, tuple[str, str]]
    fields: dict[str, tuple[str, str]]

    def related(self, field: str, other: str) -> bool:
        """Whether one of two fields is a synonym of the other, or both have a synonym in common."""
        synonyms = self.fields[field]
        synonyms_of_other = self.fields[other]
        if other in synonyms or field in synonyms_of_other:
            return True
        return not set(synonyms).isdisjoint(synonyms_of_other)

    def words(self) -> set[str]:
        """Every table, field and synonym."""
        return _words_of(self.tables) | _words_of(self.fields)


def _words_of(entries: Mapping[str, Sequence[str]]) -> set[str]:
    """The names of `entries`, which are tables or fields, with all of their synonyms."""
    return set(entries).union(*entries.values())


def read_vocabulary(path: Path, *, tables: int, fields: int) -> Vocabulary:
    """The phrasings and the first `tables` tables and `fields` fields of a YAML file.

    Raises `UserError` for

    - a file of another form;
    - a table or field without two different synonyms, or that is its own synonym;
    - a word that is a synonym of two tables or of two fields;
    - a word that names both a table and a field;
    - fewer tables or fields than asked for.
    """
    document = read_yaml(path, str(path))
    # A file that is no mapping is checked as an empty one: the message then names the first key
    # that it lacks.
    check(document if isinstance(document, dict) else {}, _SCHEMA, str(path))
    for kind in ("tables", "fields"):
        _check_synonyms(document[kind], kind, path)
    _check_disjoint(document["tables"], document["fields"], path)
    return Vocabulary(
        phrasings=tuple(document["phrasings"]),
        tables=_take_first(document["tables"], tables, "tables", path),
        fields=_take_first(document["fields"], fields, "fields", path),
    )


def _check_synonyms(entries: Mapping[str, list[str]], kind: str, path: Path) -> None:
    """Raise `UserError` for an entry without two synonyms, or a synonym of two entries.

    No entry may be its own synonym. A request with a synonym of two entries would have two answers.
    `kind` is `tables` or `fields`.
    """
    owner: dict[str, str] = {}
    for entry, synonyms in entries.items():
        if len(synonyms) != 2 or len(set(synonyms)) != 2:
            raise UserError(
                f"{path}, {kind}/{entry}: [{', '.join(synonyms)}]; write two different synonyms"
            )
        for synonym in synonyms:
            if synonym == entry:
                raise UserError(
                    f"{path}, {kind}/{entry}: '{entry}' is its own synonym; write another"
                )
            earlier = owner.setdefault(synonym, entry)
            if earlier != entry:
                raise UserError(
                    f"{path}, {kind}/{entry}: '{synonym}' is a synonym of '{earlier}' too; "
                    "write another for one of them"
                )


def _check_disjoint(
    tables: Mapping[str, list[str]], fields: Mapping[str, list[str]], path: Path
) -> None:
    """Raise `UserError` for a word that names both a table and a field."""
    shared = sorted(_words_of(tables) & _words_of(fields))
    if shared:
        raise UserError(f"{path}: '{shared[0]}' names a table and a field; keep it for one of them")


def _take_first(
    entries: Mapping[str, list[str]], required: int, kind: str, path: Path
) -> dict[str, tuple[str, str]]:
    """The first `required` of the tables or fields; raises `UserError` if there are fewer."""
    if len(entries) < required:
        raise UserError(
            f"{path}: {len(entries)} {kind}, but grounding/data/{kind} asks for {required}; "
            "add some or ask for fewer"
        )
    taken = {}
    for entry, (first, second) in islice(entries.items(), required):
        taken[entry] = (first, second)
    return taken


def share_words(vocabulary: Vocabulary) -> Vocabulary:
    """The vocabulary with fields that share their synonyms, two by two in their order.

    Both fields of a pair get the same two synonyms, one from each field (`_synonym_to_share`). For
    example, if `cost` is a field as well:

        price: cost, fee       ->    price: fee, town
        city: town, metro            city: fee, town

    No schema holds both fields (`Vocabulary.related`). So the schema decides which of the two a
    request for `town` means, and the request alone does not. A last field without a partner keeps
    its own synonyms.
    """
    fields = list(vocabulary.fields)
    shared = dict(vocabulary.fields)
    # The fields a, b, c, d, e make the pairs (a, b) and (c, d).
    firsts = fields[::2]
    seconds = fields[1::2]
    for first, second in zip(firsts, seconds, strict=False):
        words = (_synonym_to_share(vocabulary, first), _synonym_to_share(vocabulary, second))
        shared[first] = words
        shared[second] = words
    return vocabulary._replace(fields=shared)


def _synonym_to_share(vocabulary: Vocabulary, field: str) -> str:
    """The first synonym of `field` that is not a field itself; if both are fields, the first."""
    synonyms = vocabulary.fields[field]
    for synonym in synonyms:
        if synonym not in vocabulary.fields:
            return synonym
    return synonyms[0]


def generate_rows(
    vocabulary: Vocabulary,
    count: int,
    *,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
    seed: int,
) -> list[Row]:
    """`count` rows that differ in request or schema; a larger `count` begins with the same rows.

    A schema has `MIN_COLUMNS` to `max_columns` fields, each number equally likely. Of these, 1 to
    all are selected, in random order. The request names the table by a synonym with
    `table_synonym_probability`, and each selected field with `field_synonym_probability`. No schema
    holds two related fields (`Vocabulary.related`), so every request has one meaning.

    Raises `UserError` if the vocabulary is too small for `count` rows.
    """
    generator = random.Random(seed)  # noqa: S311
    rows: dict[tuple[str, str], Row] = {}
    for _ in range(_TRIES * count):
        row = _draw_row(
            vocabulary,
            generator,
            max_columns=max_columns,
            table_synonym_probability=table_synonym_probability,
            field_synonym_probability=field_synonym_probability,
        )
        rows.setdefault((row.english_prompt, row.create_statement), row)
        if len(rows) == count:
            return list(rows.values())
    raise UserError(
        f"grounding/data: {len(vocabulary.tables)} tables and {len(vocabulary.fields)} fields "
        f"give fewer than {count} different rows; take more words or fewer rows"
    )


def _draw_row(
    vocabulary: Vocabulary,
    generator: random.Random,
    *,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
) -> Row:
    """A row (`generate_rows`). The order of the draws decides which rows there are."""

    def draw_name(entry: str, synonyms: tuple[str, str], synonym_probability: float) -> str:
        """What the request calls a table or field: one of its synonyms, or its own name."""
        if generator.random() < synonym_probability:
            return generator.choice(synonyms)
        return entry

    table = generator.choice(list(vocabulary.tables))
    n_columns = generator.randint(MIN_COLUMNS, max_columns)
    fields = _draw_fields(vocabulary, n_columns, generator)
    n_selected = generator.randint(1, len(fields))
    select = generator.sample(fields, n_selected)

    table_name = draw_name(table, vocabulary.tables[table], table_synonym_probability)
    field_names = []
    for field in select:
        name = draw_name(field, vocabulary.fields[field], field_synonym_probability)
        field_names.append(name)
    phrasing = generator.choice(vocabulary.phrasings)
    columns = [(field, generator.choice(TYPES)) for field in fields]

    return Row(
        english_prompt=phrasing.format(fields=_join_with_and(field_names), table=table_name),
        create_statement=create_table_sql(table, columns),
        sql_statement=f"SELECT {', '.join(select)} FROM {table}",  # noqa: S608
        table_name=table,
        table_fields=fields,
        select=select,
    )


def _draw_fields(vocabulary: Vocabulary, count: int, generator: random.Random) -> list[str]:
    """`count` fields in random order, no two of them related (`Vocabulary.related`).

    Raises `UserError` if there are fewer.
    """
    drawn: list[str] = []
    in_random_order = generator.sample(list(vocabulary.fields), len(vocabulary.fields))
    for candidate in in_random_order:
        if len(drawn) == count:
            break
        if not any(vocabulary.related(candidate, field) for field in drawn):
            drawn.append(candidate)
    if len(drawn) < count:
        raise UserError(
            f"grounding/data: {len(vocabulary.fields)} fields give fewer than {count} "
            "unrelated columns; take more fields or a smaller max_columns"
        )
    return drawn


def _join_with_and(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(words) == 1:
        return words[0]
    *front, last = words
    return f"{', '.join(front)} and {last}"


def blind_guess(
    vocabulary: Vocabulary,
    rows: Sequence[Row],
    *,
    table_synonym_probability: float,
    field_synonym_probability: float,
) -> float:
    """The share of `rows`, 0 to 1, that the best guess without the schema gets right.

    The guess takes each word of a request for the table or field that the generator most often
    names by it; on a tie, for the first of these in the vocabulary. A row is right if the guessed
    table and fields are the row's, in this order. The rows were drawn from this vocabulary with
    these probabilities.
    """
    tables = _best_by_word(vocabulary.tables, table_synonym_probability)
    fields = _best_by_word(vocabulary.fields, field_synonym_probability)
    right = 0
    for row in rows:
        words = re.findall("[a-z]+", row.english_prompt)
        guessed_tables = [tables[word] for word in words if word in tables]
        guessed_fields = [fields[word] for word in words if word in fields]
        if guessed_tables == [row.table_name] and guessed_fields == row.select:
            right += 1
    return right / len(rows)


def _best_by_word(
    entries: Mapping[str, tuple[str, str]], synonym_probability: float
) -> dict[str, str]:
    """By word, the entry (table or field) that is most often named by it.

    On a tie it is the first entry. P(word | entry) is 1 - `synonym_probability` for the entry
    itself, and `synonym_probability` / 2 for each of its two synonyms. All entries are equally
    likely.
    """
    probabilities: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for entry, synonyms in entries.items():
        probabilities[entry][entry] += 1 - synonym_probability
        for word in synonyms:
            probabilities[word][entry] += synonym_probability / 2

    best = {}
    for word, by_entry in probabilities.items():
        best[word] = max(by_entry, key=by_entry.__getitem__)
    return best
