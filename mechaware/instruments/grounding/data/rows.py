"""Rows of NL-to-SQL data: their form, their files, and the prompts made of them."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import read_json_lines, write_json_lines

SPLITS = ("train", "valid", "test")
# The marks around the schema of a prompt.
OPENING = " ### Context:"
CLOSING = " ### Response:"
# A schema, with its table and its list of columns.
CREATE_TABLE = re.compile(r"\s*CREATE TABLE (\w+)\s*\((.*)\)\s*;?\s*", re.DOTALL)


class Row(NamedTuple):
    """One row in the form of TinySQL's command set 1.

    - `english_prompt`: a request in English.
    - `create_statement`: the schema, as SQL.
    - `sql_statement`: the SQL that answers the request.
    - `table_name`: the schema's table.
    - `table_fields`: all columns of the schema, in its order.
    - `select`: the columns that the SQL selects, in its order.
    """

    english_prompt: str
    create_statement: str
    sql_statement: str
    table_name: str
    table_fields: list[str]
    select: list[str]


def prompt_of(english_prompt: str, create_statement: str) -> str:
    """The prompt in the paper's form, up to where decoding begins.

    An empty `create_statement` gives the prompt without a schema.
    """
    return f"### Instruction: {english_prompt}{OPENING} {create_statement}{CLOSING}"


def create_table_sql(table: str, columns: list[tuple[str, str]]) -> str:
    """The schema as SQL, from each column's name and type.

    The space before a name makes it the same token as in the answer.
    """
    entries = [f"{name} {type_text}" for name, type_text in columns]
    return f"CREATE TABLE {table} ( {', '.join(entries)} )"


def columns_and_types(create_statement: str) -> list[tuple[str, str]]:
    """Name and type of each column of a schema, in order; the type is "" where there is none.

    Text of another form has no columns. `CREATE TABLE t ( a INTEGER, b DECIMAL(10, 2) )` gives
    (a, INTEGER) and (b, DECIMAL(10, 2)).
    """
    statement = CREATE_TABLE.fullmatch(create_statement)
    if statement is None:
        return []
    columns = []
    # Entries end at commas, except at the commas in parentheses.
    for entry in re.split(r",(?![^(]*\))", statement[2]):
        if entry.strip():
            name, *rest = entry.split(maxsplit=1)
            type_text = rest[0].strip() if rest else ""
            columns.append((name, type_text))
    return columns


def tokenizer_texts(rows: Iterable[Row], words: Iterable[str]) -> Iterator[str]:
    """The texts whose words a tokenizer must know.

    First each of `words`, after a space; then the prompt and answer of each row, with the schema
    and without it.
    """
    yield from (f" {word}" for word in words)
    for row in rows:
        for schema in (row.create_statement, ""):
            yield f"{prompt_of(row.english_prompt, schema)} {row.sql_statement}"


def write_rows(rows: Iterable[Row], path: Path) -> None:
    """Write rows as JSON lines, whole or not at all."""
    write_json_lines((row._asdict() for row in rows), path)


def read_rows(path: Path) -> list[Row]:
    """The rows that `write_rows` wrote."""
    return [Row(**record) for record in read_json_lines(path)]


def worked_examples(rows: Sequence[Row], count: int, *, seed: int) -> str:
    """`count` prompts of one-column requests with their answers, one on a line.

    Let a column's place be its index in its schema. The examples take in turn the places that some
    one-column request asks for: the first example has the first such place, the next one the
    second, and so on. Raises `UserError` if the rows have too few one-column requests at some
    place.
    """
    by_place: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        if len(row.select) == 1:
            by_place[row.table_fields.index(row.select[0])].append(row)
    places = sorted(by_place)

    chosen: list[Row] = []
    generator = random.Random(seed)  # noqa: S311
    for number in range(count):
        # Examples of one place alone would teach the model to copy whatever is at that place.
        place = places[number % len(places)] if places else 0
        unused = [row for row in by_place[place] if row not in chosen]
        if not unused:
            raise UserError(
                f"grounding/pretrained/examples: {count} worked examples, "
                "but the training rows have fewer requests of "
                f"one column at place {place + 1}; ask for fewer"
            )
        chosen.append(generator.choice(unused))

    lines = []
    for row in chosen:
        prompt = prompt_of(row.english_prompt, row.create_statement)
        lines.append(f"{prompt} {row.sql_statement}\n")
    return "".join(lines)
