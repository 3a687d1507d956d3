"""Generates NL-to-SQL rows with the statistics of TinySQL's first command set with synonyms."""

import random
from collections.abc import Collection, Mapping

from mechaware.errors import UserError
from mechaware.grounding.data.rows import SPLITS, Row
from mechaware.grounding.data.vocabulary import Vocabulary

TYPES = ("TEXT", "INTEGER", "REAL", "DATE", "BOOLEAN", "TIMESTAMP")
MIN_COLUMNS = 2
TRIES = 100  # average draws per row after which the vocabulary counts as exhausted


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
    draw = random.Random(seed)  # noqa: S311
    rows: dict[tuple[str, str], Row] = {}
    for _ in range(TRIES * count):
        row = _draw_row(vocabulary, max_columns, table_synonym_probability, field_synonym_probability, draw)
        rows.setdefault((row.english_prompt, row.create_statement), row)
        if len(rows) == count:
            return list(rows.values())
    raise UserError(
        f"grounding/data: {len(vocabulary.tables)} tables and {len(vocabulary.fields)} fields give fewer than "
        f"{count} different rows; take more words or fewer rows"
    )


def generate_split(
    vocabulary: Vocabulary,
    split: str,
    sizes: Mapping[str, int],
    *,
    max_columns: int,
    table_synonym_probability: float,
    field_synonym_probability: float,
    seed: int,
) -> list[Row]:
    """The `sizes[split]` rows of a split: train, valid and test follow one another in `generate_rows` and share none.

    Raises `UserError` if the vocabulary is too small for that many.
    """
    start = sum(sizes[name] for name in SPLITS[: SPLITS.index(split)])
    rows = generate_rows(
        vocabulary,
        start + sizes[split],
        max_columns=max_columns,
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=field_synonym_probability,
        seed=seed,
    )
    return rows[start:]


def create_statement(table: str, columns: list[tuple[str, str]]) -> str:
    """The schema as SQL, from names and types. The space before a name makes it the same token as in the answer."""
    return f"CREATE TABLE {table} ( {', '.join(' '.join(column) for column in columns)} )"


def draw_fields(vocabulary: Vocabulary, count: int, draw: random.Random, excluded: Collection[str] = ()) -> list[str]:
    """`count` fields in random order, none `excluded`, no two of them synonyms.

    Raises `UserError` if there are fewer.
    """
    drawn: list[str] = []
    for candidate in draw.sample(list(vocabulary.fields), len(vocabulary.fields)):
        if len(drawn) == count:
            break
        if candidate not in excluded and not any(vocabulary.related(candidate, field) for field in drawn):
            drawn.append(candidate)
    if len(drawn) < count:
        raise UserError(
            f"grounding/data: {len(vocabulary.fields)} fields give fewer than {count} unrelated columns; "
            "take more fields or a smaller max_columns"
        )
    return drawn


def _draw_row(
    vocabulary: Vocabulary, max_columns: int, table_synonym: float, field_synonym: float, draw: random.Random
) -> Row:
    table = draw.choice(list(vocabulary.tables))
    fields = draw_fields(vocabulary, draw.randint(MIN_COLUMNS, max_columns), draw)
    select = draw.sample(fields, draw.randint(1, len(fields)))
    asked_table = draw.choice(vocabulary.tables[table]) if draw.random() < table_synonym else table
    asked = [draw.choice(vocabulary.fields[field]) if draw.random() < field_synonym else field for field in select]
    return Row(
        english_prompt=draw.choice(vocabulary.phrasings).format(fields=_listed(asked), table=asked_table),
        create_statement=create_statement(table, [(field, draw.choice(TYPES)) for field in fields]),
        sql_statement=f"SELECT {', '.join(select)} FROM {table}",  # noqa: S608
        table_name=table,
        table_fields=fields,
        select=select,
    )


def _listed(words: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
