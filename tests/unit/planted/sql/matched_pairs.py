"""Matched pairs of written and of generated rows, as words and texts that tests compare."""

import re
from functools import cache
from typing import NamedTuple

import pytest

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.data.rows import Row
from mechaware.instruments.grounding.names import CATEGORIES
from mechaware.planted.sql.generation import generate_rows, read_vocabulary
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import PairSource, read_source
from tests.unit.instruments.grounding.data.written_rows import REQUEST_WORDS, write_rows
from tests.unit.planted.sql.small_vocabulary import SHIPPED

PROMPT = re.compile(
    r"### Instruction: (?P<request>.+) "
    r"### Context: CREATE TABLE (?P<table>\w+) \( (?P<schema>.+) \) "
    r"### Response: SELECT"
)

# The number of pairs of a category. The written words give 10 database synonyms: 4 of `price` and
# `cost`, as each has a word of its own and both have `charge`; 4 of `city` and `town` in the same
# way; and 2 of `unit_price` and `speed`.
PER_CATEGORY = {"written": 10, "generated": 20}


class Data(NamedTuple):
    """Training rows, and by column the request words that their author gave it."""

    rows: list[Row]
    words: dict[str, tuple[str, ...]]


@cache
def training_data(name: str) -> Data:
    """The rows `written` by hand, or those `generated` from words of the shipped vocabulary."""
    if name == "written":
        return Data(write_rows(1000), REQUEST_WORDS)
    vocabulary = read_vocabulary(SHIPPED, tables=30, fields=60)
    rows = generate_rows(
        vocabulary,
        2000,
        max_columns=3,
        table_synonym_probability=0.8,
        field_synonym_probability=0.5,
        seed=1,
    )
    return Data(rows, dict(vocabulary.fields))


def has_one_part(word: str) -> bool:
    return " " not in word


def token_of(word: str) -> tuple[int, ...]:
    """A tokenizer with one token for each word of one part; for any other word it has none.

    The token of a word is the number that its bytes make.
    """
    return (int.from_bytes(word.encode()),) if has_one_part(word) else ()


@cache
def source_of(name: str) -> PairSource:
    return read_source(training_data(name).rows, token_of)


class PairTexts(NamedTuple):
    """The words of a pair and the texts of its prompts.

    The words are without the space before an answer; "" is a word that the pair lacks.

    - `place`: the place of the clean word among the columns, from 1.
    - `third`: the wanted answer of the prompt `third`.
    - `other`: the wanted answer of the prompt `other`, which asks for it by the word
      `other_request`.
    - `unasked`: a column that is not asked for. `replacement`: what takes its place in the prompt
      `unasked`.
    - `texts`: by the prompts' names.
    """

    id: str
    category: str
    place: int
    columns: list[str]
    request_word: str
    clean: str
    corrupted: str
    third: str
    other: str
    other_request: str
    unasked: str
    replacement: str
    texts: dict[str, str]


def words_of(pair: Pair) -> PairTexts:
    """The words of a pair, once each of its prompts is found to be consistent.

    A prompt has its options in the order of its schema, the right answers of shortcuts by place,
    and its request word in its text.
    """
    for prompt in pair.prompts.values():
        assert [option.strip() for option in prompt.options] == names_of(prompt.text)
        assert prompt.shortcuts["first"] == prompt.options[0]
        assert prompt.shortcuts["last"] == prompt.options[-1]
        assert prompt.shortcuts["alphabetical"] == min(prompt.options)
        assert prompt.request in prompt.text

    clean = pair.prompts["clean"]
    third = pair.prompts.get("third")
    other = pair.prompts.get("other")
    unasked, replacement = pair.exchanged
    return PairTexts(
        id=pair.id,
        category=pair.category,
        place=pair.place,
        columns=names_of(clean.text),
        request_word=clean.request,
        clean=clean.wanted.strip(),
        corrupted=clean.against.strip(),
        third=third.wanted.strip() if third else "",
        other=other.wanted.strip() if other else "",
        other_request=other.request if other else "",
        unasked=unasked.strip(),
        replacement=replacement.strip(),
        texts={name: prompt.text for name, prompt in pair.prompts.items()},
    )


def make_pair_texts(
    source: PairSource, *categories: str, seed: int, per_category: int
) -> list[PairTexts]:
    """Pairs of some categories, by default of all, as their words and texts."""
    pairs = make_pairs(source, categories or CATEGORIES, per_category=per_category, seed=seed)
    return [words_of(pair) for pair in pairs]


@cache
def pairs_of(name: str, seed: int = 0) -> list[PairTexts]:
    return make_pair_texts(source_of(name), seed=seed, per_category=PER_CATEGORY[name])


@cache
def related(word: str, other: str, name: str) -> bool:
    """Whether one word is a request word of the other, or some word is linked to both in this way.

    This is the definition, without the tables of `Relation`.
    """
    words = training_data(name).words

    def linked(left: str, right: str) -> bool:
        """Whether one of the two words is a request word of the other."""
        return right in words.get(left, ()) or left in words.get(right, ())

    everything = set(words).union(*words.values())
    if linked(word, other):
        return True
    return any(linked(word, middle) and linked(middle, other) for middle in everything)


def schema_of(prompt: str) -> list[tuple[str, str]]:
    """The name and type of each column; the prompt must match `PROMPT`."""
    match = PROMPT.fullmatch(prompt)
    assert match, prompt
    columns = re.findall(r"(\w+) ([A-Z]+(?:\([\d,]+\))?)(?:, |$)", match["schema"])
    assert ", ".join(f"{name} {type_}" for name, type_ in columns) == match["schema"]
    return columns


def names_of(prompt: str) -> list[str]:
    return [name for name, _ in schema_of(prompt)]


on_written_and_generated_rows = pytest.mark.parametrize("name", ["written", "generated"])
