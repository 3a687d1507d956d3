"""Matched pairs: membership of every word checked anew from the vocabulary file and the training rows."""

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from transformers import PreTrainedTokenizerFast

from mechaware.errors import UserError
from mechaware.grounding.data.pairs import (
    CATEGORIES,
    Pair,
    is_one_token,
    make_pairs,
    read_pairs,
    tokenise_pairs,
    write_pairs,
)
from mechaware.grounding.data.rows import Row, prompt_of
from mechaware.grounding.data.sql import generate_rows
from mechaware.grounding.data.vocabulary import Vocabulary, read_vocabulary
from mechaware.grounding.names import CATEGORIES as NAMED
from mechaware.models.registry import load_tokenizer
from mechaware.models.scratch import make_word_tokenizer
from tests.tiny_models import make_tiny_model

SHIPPED = Path(__file__).resolve().parents[4] / "config/sql/vocabulary.yaml"
MAX_COLUMNS = 4
PROMPT = re.compile(
    r"### Instruction: (?P<request>.+) ### Context: CREATE TABLE (?P<table>[a-z]+) \( (?P<columns>.+) \) "
    r"### Response: SELECT"
)


class Study(NamedTuple):
    """Everything that pairs are made of, as the study makes it; `fields` is read from the file a second time."""

    vocabulary: Vocabulary
    rows: list[Row]
    columns: set[str]
    tokenizer: PreTrainedTokenizerFast
    fields: dict[str, list[str]]
    phrasings: list[str]


@pytest.fixture(scope="module")
def study() -> Study:
    vocabulary = read_vocabulary(SHIPPED, tables=30, fields=60)
    rows = generate_rows(
        vocabulary,
        600,
        max_columns=MAX_COLUMNS,
        table_synonym_probability=0.8,
        field_synonym_probability=0.5,
        seed=1,
    )
    texts = [prompt_of(row.english_prompt, row.create_statement) + f" {row.sql_statement}" for row in rows]
    raw = yaml.safe_load(SHIPPED.read_text())
    return Study(
        vocabulary=vocabulary,
        rows=rows,
        columns={field for row in rows for field in row.table_fields},
        tokenizer=make_word_tokenizer([*texts, *(f" {word}" for word in sorted(vocabulary.words()))]),
        fields=dict(list(raw["fields"].items())[:60]),
        phrasings=raw["phrasings"],
    )


def make(
    study: Study,
    *,
    columns: set[str] | None = None,
    vocabulary: Vocabulary | None = None,
    is_token: Callable[[str], bool] = lambda _: True,
    per_category: int = 20,
    max_columns: int = MAX_COLUMNS,
    seed: int = 0,
) -> list[Pair]:
    return make_pairs(
        vocabulary or study.vocabulary,
        study.columns if columns is None else columns,
        is_token,
        per_category=per_category,
        max_columns=max_columns,
        table_synonym_probability=0.8,
        seed=seed,
    )


@pytest.fixture(scope="module")
def pairs(study: Study) -> list[Pair]:
    return make(study, is_token=lambda word: is_one_token(study.tokenizer, word))


def of(pairs: list[Pair], category: str) -> list[Pair]:
    return [pair for pair in pairs if pair.category == category]


def schema_of(prompt: str) -> list[str]:
    """The columns of a prompt; the pattern also holds the prompt to its form."""
    found = PROMPT.fullmatch(prompt)
    assert found, prompt
    names = [column.split(" ") for column in found["columns"].split(", ")]
    assert all(len(column) == 2 and column[1].isupper() for column in names)
    return [column[0] for column in names]


def families_of(word: str, fields: dict[str, list[str]]) -> set[str]:
    """Every word that shares a line of the vocabulary file with `word`."""
    return {member for base, synonyms in fields.items() if word in (base, *synonyms) for member in (base, *synonyms)}


# The five categories


def test_there_are_20_pairs_of_each_category_with_names_of_their_own(pairs: list[Pair]) -> None:
    assert [pair.category for pair in pairs] == [category for category in CATEGORIES for _ in range(20)]
    assert [pair.id for pair in pairs] == [f"{name}-{number:02d}" for name in CATEGORIES for number in range(1, 21)]
    assert CATEGORIES == NAMED


def test_db_synonyms_are_two_columns_one_a_synonym_of_the_other(pairs: list[Pair], study: Study) -> None:
    for pair in of(pairs, "db_synonyms"):
        assert pair.corrupted in study.fields[pair.clean], pair
        assert {pair.clean, pair.corrupted} <= study.columns


def test_db_scrambles_are_two_unrelated_columns(pairs: list[Pair], study: Study) -> None:
    for pair in of(pairs, "db_scramble"):
        assert {pair.clean, pair.corrupted} <= study.columns
        assert pair.corrupted not in families_of(pair.clean, study.fields), pair


def test_non_db_synonyms_are_the_two_synonyms_of_a_field_and_no_columns(pairs: list[Pair], study: Study) -> None:
    for pair in of(pairs, "non_db_synonyms"):
        assert {pair.clean, pair.corrupted} == set(study.fields[pair.request_word]), pair
        assert not {pair.clean, pair.corrupted} & study.columns


def test_non_db_scrambles_are_unrelated_words_and_no_columns(pairs: list[Pair], study: Study) -> None:
    synonyms = {synonym for pair in study.fields.values() for synonym in pair}
    for pair in of(pairs, "non_db_scramble"):
        assert {pair.clean, pair.corrupted} <= synonyms - study.columns
        assert not families_of(pair.clean, study.fields) & families_of(pair.corrupted, study.fields), pair


def test_super_scrambles_set_a_column_against_an_unrelated_word_that_is_none(pairs: list[Pair], study: Study) -> None:
    synonyms = {synonym for pair in study.fields.values() for synonym in pair}
    for pair in of(pairs, "super_scramble"):
        assert pair.clean in study.columns
        assert pair.corrupted in synonyms - study.columns
        assert not families_of(pair.clean, study.fields) & families_of(pair.corrupted, study.fields), pair


def test_the_request_names_the_clean_column_by_a_third_word(pairs: list[Pair], study: Study) -> None:
    for pair in pairs:
        assert len({pair.request_word, pair.clean, pair.corrupted}) == 3
        # The request and the clean word share a line; a model that has learned the vocabulary can answer.
        assert pair.request_word in families_of(pair.clean, study.fields), pair
        asked = [synonym for synonym in study.fields.get(pair.clean, []) if synonym == pair.request_word]
        assert asked or pair.clean in study.fields[pair.request_word]
        assert pair.category.startswith("non_db") or pair.request_word not in study.columns


def test_no_clean_word_comes_twice_in_a_category(pairs: list[Pair]) -> None:
    assert set(Counter((pair.category, pair.clean) for pair in pairs).values()) == {1}


# Prompts


def test_the_prompts_differ_in_the_first_column_alone_and_end_before_the_answer(pairs: list[Pair]) -> None:
    for pair in pairs:
        clean, corrupted = pair.clean_prompt.split(" "), pair.corrupted_prompt.split(" ")
        differing = [words for words in zip(clean, corrupted, strict=True) if len(set(words)) == 2]
        assert differing == [(pair.clean, pair.corrupted)]
        assert clean[-3:] == corrupted[-3:] == ["###", "Response:", "SELECT"]
        assert schema_of(pair.clean_prompt)[0] == pair.clean
        assert schema_of(pair.corrupted_prompt)[0] == pair.corrupted
        assert schema_of(pair.clean_prompt)[1:] == schema_of(pair.corrupted_prompt)[1:]


def test_the_request_is_a_phrasing_for_one_word_and_one_table(pairs: list[Pair], study: Study) -> None:
    replaced = 0
    for pair in pairs:
        found = PROMPT.fullmatch(pair.clean_prompt)
        assert found
        names = [found["table"], *study.vocabulary.tables[found["table"]]]
        asked = {
            phrasing.format(fields=pair.request_word, table=name): name
            for phrasing in study.phrasings
            for name in names
        }
        replaced += asked[found["request"]] != found["table"]
    assert 60 <= replaced <= 95  # of 100, with probability 0.8; one draw in a million lies outside


def test_no_other_column_shares_a_line_of_the_vocabulary_with_any_of_the_three_words(
    pairs: list[Pair], study: Study
) -> None:
    for pair in pairs:
        _, *others = schema_of(pair.clean_prompt)
        assert 1 <= len(others) < MAX_COLUMNS
        assert set(others) <= study.columns
        for word in (pair.request_word, pair.clean, pair.corrupted):
            assert not families_of(word, study.fields) & set(others), (pair, word)
        for number, other in enumerate(others):
            assert not families_of(other, study.fields) & set(others[:number])
    assert {len(schema_of(pair.clean_prompt)) for pair in pairs} == {2, 3, 4}


def test_a_synonym_written_in_one_direction_only_keeps_a_column_out_as_well(study: Study) -> None:
    # `cost` is a word for `price`, and not the other way round; `rate` shares a line with neither.
    fields = {
        "price": ("cost", "fee"),
        "cost": ("expense", "charge"),
        "name": ("label", "title"),
        "city": ("town", "x"),
    }
    vocabulary = study.vocabulary._replace(fields=fields)
    for seed in range(30):
        for pair in make(study, vocabulary=vocabulary, columns=set(fields), per_category=1, max_columns=2, seed=seed):
            three = {pair.request_word, pair.clean, pair.corrupted}
            near = {word for base, two in fields.items() if three & {base, *two} for word in (base, *two)}
            assert not set(schema_of(pair.clean_prompt)[1:]) & near, pair


# Seeds


def test_the_same_seed_gives_the_same_pairs_and_another_one_others(study: Study) -> None:
    assert make(study) == make(study)
    assert not {pair.clean_prompt for pair in make(study)} & {pair.clean_prompt for pair in make(study, seed=1)}


def test_fewer_pairs_are_drawn_from_the_same_words_and_files_hold_them(study: Study, tmp_path: Path) -> None:
    pairs = make(study, per_category=3)
    assert Counter(pair.category for pair in pairs) == dict.fromkeys(CATEGORIES, 3)
    write_pairs(pairs, tmp_path / "pairs.jsonl")
    assert read_pairs(tmp_path / "pairs.jsonl") == pairs
    assert list(tmp_path.iterdir()) == [tmp_path / "pairs.jsonl"]


# Words that cannot be used


def test_only_single_tokens_stand_in_the_schema_position(study: Study) -> None:
    draw = random.Random(2)  # noqa: S311
    split = set(draw.sample(sorted(study.vocabulary.words()), 40))
    pairs = make(study, is_token=lambda word: word not in split, per_category=5)
    assert not {word for pair in pairs for word in (pair.clean, pair.corrupted)} & split
    assert {pair.request_word for pair in pairs} & split  # a request may be of any words


def test_fields_that_never_were_columns_are_no_columns_of_pairs(study: Study) -> None:
    columns = set(sorted(study.columns)[::2])
    pairs = make(study, columns=columns, per_category=3)
    for pair in pairs:
        assert set(schema_of(pair.clean_prompt)[1:]) <= columns
        assert (pair.clean in columns) == (not pair.category.startswith("non_db"))
        assert (pair.corrupted in columns) == pair.category.startswith("db")


@pytest.mark.parametrize(
    ("fields", "category"),
    [
        pytest.param(
            {"name": ("label", "title"), "city": ("town", "place")}, "db_synonyms", id="no field is a synonym"
        ),
        pytest.param({"price": ("cost", "fee"), "cost": ("price", "charge")}, "db_scramble", id="all are related"),
        pytest.param(
            {"price": ("cost", "fee"), "cost": ("price", "charge"), "city": ("town", "x"), "town": ("city", "y")},
            "non_db_synonyms",
            id="a field in every pair of synonyms",
        ),
        pytest.param(
            {"price": ("cost", "fee"), "cost": ("price", "charge"), "name": ("label", "title")},
            "non_db_scramble",
            id="one field with two words of its own",
        ),
    ],
)
def test_a_category_that_cannot_be_filled_is_refused_by_name(
    study: Study, fields: dict[str, tuple[str, str]], category: str
) -> None:
    # A field whose synonyms are columns too: beside every word it can stand, but no request can name it.
    bystander = {"weight": ("mass", "pounds")}
    with pytest.raises(UserError) as refused:
        make(
            study,
            vocabulary=study.vocabulary._replace(fields=fields | bystander),
            columns={*fields, "weight", "mass", "pounds"},
            per_category=1,
            max_columns=2,
        )
    assert str(refused.value) == (
        f"category {category}: 0 pairs of 1 can be made; "
        "take more fields (grounding/data/fields) or fewer pairs (grounding/pairs_per_category)"
    )


def test_more_pairs_than_words_are_refused_with_the_number(study: Study) -> None:
    possible = sum(bool(set(synonyms) & study.columns) for synonyms in study.fields.values())
    with pytest.raises(UserError) as refused:
        make(study, per_category=possible + 1)
    assert str(refused.value) == (
        f"category db_synonyms: {possible} pairs of {possible + 1} can be made; take more fields "
        "(grounding/data/fields) or fewer pairs (grounding/pairs_per_category)"
    )


def test_words_that_are_not_one_token_are_given_as_the_reason(study: Study) -> None:
    with pytest.raises(UserError) as refused:
        make(study, is_token=lambda _: False)
    count = len(study.vocabulary.words())
    assert str(refused.value).startswith(
        f"category db_synonyms: 0 pairs of 20 can be made ({count} words are not one token: "
    )
    assert "\n" not in str(refused.value)


def test_a_request_for_more_columns_than_are_unrelated_is_refused(study: Study) -> None:
    with pytest.raises(
        UserError, match=r"^grounding/data: 60 fields give fewer than \d+ unrelated columns; take more fields or"
    ):
        make(study, max_columns=120)


# Tokens


def test_pairs_become_tokens_that_differ_where_they_should(pairs: list[Pair], study: Study) -> None:
    for pair, tokens in zip(pairs, tokenise_pairs(pairs, study.tokenizer), strict=True):
        assert study.tokenizer.decode(tokens.clean) == pair.clean_prompt
        assert study.tokenizer.decode(tokens.corrupted) == pair.corrupted_prompt
        assert study.tokenizer.decode([tokens.correct]) == f" {pair.clean}"
        assert study.tokenizer.decode([tokens.incorrect]) == f" {pair.corrupted}"
        assert tokens.clean[tokens.position] == tokens.correct
        assert tokens.corrupted[tokens.position] == tokens.incorrect
        assert [*tokens.clean[: tokens.position], *tokens.clean[tokens.position + 1 :]] == [
            *tokens.corrupted[: tokens.position],
            *tokens.corrupted[tokens.position + 1 :],
        ]
        # The word stands right after the parenthesis that opens the schema.
        assert study.tokenizer.decode(tokens.clean[: tokens.position]).endswith("(")


def test_a_word_is_one_token_if_the_tokenizer_knows_it_with_its_space(study: Study, tmp_path: Path) -> None:
    assert is_one_token(study.tokenizer, "price")
    assert not is_one_token(study.tokenizer, "zebra")
    assert not is_one_token(study.tokenizer, "price cost")
    assert not is_one_token(study.tokenizer, "")
    bytewise = load_tokenizer(make_tiny_model("gpt2", tmp_path / "m"))
    assert not is_one_token(bytewise, "a")
    assert is_one_token(bytewise, "")  # the space alone


def refusal(study: Study, pair: Pair) -> str:
    with pytest.raises(UserError) as refused:
        tokenise_pairs([pair], study.tokenizer)
    message = str(refused.value)
    assert "\n" not in message
    assert message.startswith(f"pair {pair.id}: ")
    return message.removeprefix(f"pair {pair.id}: ")


@pytest.mark.parametrize("role", ["clean", "corrupted"])
@pytest.mark.parametrize("word", ["zebra", "price cost"])
def test_a_word_of_several_tokens_is_refused_by_pair_and_word(
    pairs: list[Pair], study: Study, role: str, word: str
) -> None:
    message = refusal(study, pairs[3]._replace(**{role: word}))
    assert message == f"'{word}' is not one token of the model's tokenizer; use another word"


def lengthen(pair: Pair) -> Pair:
    return pair._replace(corrupted_prompt=f"{pair.corrupted_prompt} SELECT")


def change_the_end(pair: Pair) -> Pair:
    return pair._replace(corrupted_prompt=pair.corrupted_prompt.replace("SELECT", "FROM"))


def change_nothing(pair: Pair) -> Pair:
    return pair._replace(corrupted_prompt=pair.clean_prompt)


def change_to_a_third_word(pair: Pair) -> Pair:
    return pair._replace(corrupted_prompt=pair.clean_prompt.replace(f"( {pair.clean} ", "( discount "))


def change_another_word(pair: Pair) -> Pair:
    return pair._replace(corrupted_prompt=pair.clean_prompt.replace("CREATE TABLE", f"CREATE {pair.corrupted}"))


def exchange(pair: Pair) -> Pair:
    return pair._replace(clean_prompt=pair.corrupted_prompt, corrupted_prompt=pair.clean_prompt)


@pytest.mark.parametrize(
    ("spoil", "differing"),
    [
        (lengthen, 1),
        (change_the_end, 2),
        (change_nothing, 0),
        (change_to_a_third_word, 1),
        (change_another_word, 1),
        (exchange, 1),
    ],
)
def test_prompts_that_differ_otherwise_are_refused_by_pair(
    pairs: list[Pair], study: Study, spoil: Callable[[Pair], Pair], differing: int
) -> None:
    pair = of(pairs, "db_synonyms")[0]
    assert "discount" not in pair
    message = refusal(study, spoil(pair))
    assert message.startswith(
        f"the prompts must differ in '{pair.clean}' and '{pair.corrupted}' alone, but {differing} "
    )
    assert message.endswith("; write the same prompt with the two words in one place")
