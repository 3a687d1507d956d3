"""Pairs of prompts that differ in one column, at every place of schemas of 2 to 12 columns."""

import itertools
import random
from typing import NamedTuple

CONTEXT_LENGTH = 128  # in tokens; the longest prompt has fewer
REQUESTS = (
    "Show me {word} from {table}",
    "{table} {word} please",
    "List, for all of our {table}, the {word}",
    "What is the {word}?",
    "I would like to see what {table} hold under {word} and nothing else, sorted by nothing",
    "From {table}: {word}",
)
# By request word, the columns that it may mean. Two words are also columns of others: `price` is a
# column for `fee` and asks for `amount`; `title` is a column for `label` and asks for `name`.
WANTED = {
    "fee": {"price", "cost"},
    "price": {"amount", "total"},
    "label": {"name", "title", "heading"},
    "title": {"name"},
    "maker": {"brand"},
    "moment": {"date", "hour"},
    "town": {"city", "place"},
}
# Columns that the request word of a pair does not mean.
OTHERS = (
    "rat",
    "weight",
    "colour",
    "status",
    "length",
    "grade",
    "owner",
    "phone",
    "mail",
    "note",
    "rank",
    # These are request words of other prompts.
    "fee",
    "maker",
    "town",
)
TYPES = ("TEXT", "VARCHAR(20)", "DECIMAL(10,2)", "REAL", "DATE")


class Pair(NamedTuple):
    """Two prompts that differ in one column.

    - `clean`, `corrupted`: the prompts.
    - `clean_word`, `corrupted_word`: the column in which they differ.
    - `request`: the request word, which means the clean word.
    - `place`: the index of that column in the schema, from 0.
    - `fits`: whether the request word may mean the corrupted word, too.
    - `schemas`: the columns of the clean prompt and of the corrupted prompt.
    """

    clean: str
    corrupted: str
    clean_word: str
    corrupted_word: str
    request: str
    place: int
    fits: bool
    schemas: tuple[list[str], list[str]]


def prompt_of(request: str, columns: list[str], table: str = "orders") -> str:
    types = itertools.cycle(TYPES)
    schema = ", ".join(f"{column} {next(types)}" for column in columns)
    context = f"CREATE TABLE {table} ( {schema} )"
    return f"### Instruction: {request} ### Context: {context} ### Response: SELECT"


def make_pairs() -> list[Pair]:
    """One pair for each number of columns and each place: 2 + 3 + ... + 12 = 77 pairs.

    The corrupted word fits in every other pair, except for request words that mean one column only.
    """
    draw = random.Random(5)  # noqa: S311
    pairs = []
    for count in range(2, 13):
        for place in range(count):
            number = len(pairs)
            word, asked = list(WANTED.items())[number % len(WANTED)]
            clean = draw.choice(sorted(asked))
            synonyms = sorted(asked - {clean})
            unrelated = [other for other in OTHERS if other not in {word, *asked}]
            # All but the last are in the schema; the last may be the corrupted word.
            others = draw.sample(unrelated, count)
            fits = bool(synonyms) and number % 2 == 0
            corrupted = draw.choice(synonyms) if fits else others[-1]
            # Two pairs in a row, of which one may fit, have the same form of request.
            form = REQUESTS[number // 2 % len(REQUESTS)]
            request = form.format(word=word, table=draw.choice(("goods", "people")))
            table = "stock" if number % 3 == 0 else "orders"

            before = others[:place]
            behind = others[place : count - 1]
            clean_schema = [*before, clean, *behind]
            corrupted_schema = [*before, corrupted, *behind]
            pair = Pair(
                clean=prompt_of(request, clean_schema, table),
                corrupted=prompt_of(request, corrupted_schema, table),
                clean_word=clean,
                corrupted_word=corrupted,
                request=word,
                place=place,
                fits=fits,
                schemas=(clean_schema, corrupted_schema),
            )
            pairs.append(pair)
    return pairs


PAIRS = make_pairs()
PROMPTS: list[str] = []
for _pair in PAIRS:
    PROMPTS += [_pair.clean, _pair.corrupted]
