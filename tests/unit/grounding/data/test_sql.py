"""Generated rows: the statistics that the config promises, SQL that runs, one reading for every request."""

import random
import re
import sqlite3
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Literal

import pytest
from scipy.stats import binom

from mechaware.errors import UserError
from mechaware.grounding.data.rows import SPLITS, Row, read_rows
from mechaware.grounding.data.sql import TYPES, create_statement, draw_fields, generate_rows
from mechaware.grounding.data.vocabulary import Vocabulary, read_vocabulary
from scripts.grounding import generate_sql

SHIPPED = Path(__file__).resolve().parents[4] / "config/sql/vocabulary.yaml"
COUNT = 20_000
MAX_COLUMNS = 4


def generate(
    vocabulary: Vocabulary,
    count: int,
    *,
    max_columns: int = MAX_COLUMNS,
    table_synonym_probability: float = 0.8,
    field_synonym_probability: float = 0.5,
    seed: int = 0,
) -> list[Row]:
    return generate_rows(
        vocabulary,
        count,
        max_columns=max_columns,
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=field_synonym_probability,
        seed=seed,
    )


def small_vocabulary(fields: dict[str, tuple[str, str]]) -> Vocabulary:
    return Vocabulary(("{fields} | {table}",), {"orders": ("purchases", "requests")}, fields)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(SHIPPED, tables=30, fields=60)


@pytest.fixture(scope="module")
def rows(vocabulary: Vocabulary) -> list[Row]:
    return generate(vocabulary, COUNT)


def words_of(row: Row) -> list[str]:
    """The words of the request; the vocabulary's own test says that no phrasing holds any word of the vocabulary."""
    return re.findall("[a-z]+", row.english_prompt.lower())


def assert_share(hits: int, trials: int, probability: float) -> None:
    """Of a correct draw, one in a million lies outside; the seed is fixed, so that this cannot fail by chance later."""
    low, high = binom.interval(1 - 1e-6, trials, probability)
    assert low <= hits <= high, (hits / trials, probability)


# Statistics


def test_each_number_of_columns_is_as_likely(rows: list[Row]) -> None:
    counts = Counter(len(row.table_fields) for row in rows)
    assert set(counts) == {2, 3, 4}
    for count in counts.values():
        assert_share(count, COUNT, 1 / 3)


def test_from_one_to_all_columns_are_selected_each_number_as_likely(rows: list[Row]) -> None:
    for columns in (2, 3, 4):
        selected = Counter(len(row.select) for row in rows if len(row.table_fields) == columns)
        assert set(selected) == set(range(1, columns + 1))
        for count in selected.values():
            assert_share(count, selected.total(), 1 / columns)


def test_tables_are_replaced_by_either_synonym_in_four_of_five_requests(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    named = Counter[int]()
    for row in rows:
        family = [row.table_name, *vocabulary.tables[row.table_name]]
        (place,) = [place for place, word in enumerate(family) if word in words_of(row)]
        named[place] += 1
    assert_share(named[0], COUNT, 0.2)
    assert_share(named[1], COUNT, 0.4)
    assert_share(named[2], COUNT, 0.4)


def test_fields_are_replaced_by_either_synonym_in_half_of_the_cases_and_asked_for_in_the_order_of_the_answer(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    named = Counter[int]()
    for row in rows:
        words, places = words_of(row), []
        for field in row.select:
            family = [field, *vocabulary.fields[field]]
            ((place, word),) = [(place, word) for place, word in enumerate(family) if word in words]
            places.append(words.index(word))
            named[place] += 1
        assert places == sorted(places)
    total = sum(len(row.select) for row in rows)
    assert named.total() == total
    assert_share(named[0], total, 0.5)
    assert_share(named[1], total, 0.25)
    assert_share(named[2], total, 0.25)


def test_every_replacement_is_independent_of_the_others(rows: list[Row], vocabulary: Vocabulary) -> None:
    whole = [row for row in rows if len(row.select) == 4]
    for replaced in range(5):
        hits = sum(sum(field not in words_of(row) for field in row.select) == replaced for row in whole)
        assert_share(hits, len(whole), binom.pmf(replaced, 4, 0.5))


def test_every_phrasing_table_field_and_type_occurs(rows: list[Row], vocabulary: Vocabulary) -> None:
    assert {row.table_name for row in rows} == set(vocabulary.tables)
    assert {field for row in rows for field in row.table_fields} == set(vocabulary.fields)
    assert {row.select[0] for row in rows} == set(vocabulary.fields)
    patterns = [
        re.compile(re.escape(phrasing).replace(r"\{fields\}", r"[a-z, ]+").replace(r"\{table\}", "[a-z]+"))
        for phrasing in vocabulary.phrasings
    ]
    for pattern in patterns:
        assert any(pattern.fullmatch(row.english_prompt) for row in rows[:2000]), pattern
    types = Counter(word for row in rows for word in re.findall("[A-Z]+", row.create_statement)[2:])
    assert set(types) == set(TYPES)
    for count in types.values():
        assert_share(count, types.total(), 1 / 6)


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_words_are_never_or_always_replaced_at_the_ends(vocabulary: Vocabulary, probability: float) -> None:
    rows = generate(
        vocabulary, 300, table_synonym_probability=probability, field_synonym_probability=1 - probability, seed=3
    )
    for row in rows:
        assert (row.table_name in words_of(row)) == (probability == 0)
        assert all((field in words_of(row)) == (probability == 1) for field in row.select)


# Form


def test_every_statement_runs_and_names_what_the_row_says(rows: list[Row]) -> None:
    database = sqlite3.connect(":memory:")
    for row in rows[::4]:
        database.execute(row.create_statement)
        columns = [(entry[1], entry[2]) for entry in database.execute(f"PRAGMA table_info({row.table_name})")]
        assert [name for name, _ in columns] == row.table_fields
        answer = database.execute(row.sql_statement)
        assert [column[0] for column in answer.description] == row.select
        database.execute(f"DROP TABLE {row.table_name}")
    database.close()


def test_statements_are_written_as_in_the_data() -> None:
    # A space before each name: inside the schema and inside the answer it is the same token.
    assert create_statement("orders", [("price", "REAL"), ("name", "TEXT")]) == (
        "CREATE TABLE orders ( price REAL, name TEXT )"
    )
    fields = {"price": ("cost", "fee"), "name": ("label", "title"), "city": ("town", "place")}
    rows = generate(small_vocabulary(fields), 200, max_columns=3, field_synonym_probability=0.0)
    assert {row.sql_statement for row in rows} >= {"SELECT price FROM orders", "SELECT city, name, price FROM orders"}
    asked = {tuple(row.select): row.english_prompt.split(" | ")[0] for row in rows}
    assert asked["price",] == "price"
    assert asked["city", "name"] == "city and name"
    assert asked["city", "name", "price"] == "city, name and price"


def test_no_two_columns_of_a_schema_are_synonyms(rows: list[Row], vocabulary: Vocabulary) -> None:
    for row in rows:
        assert len(set(row.table_fields)) == len(row.table_fields)
        for one, other in combinations(row.table_fields, 2):
            assert other not in vocabulary.fields[one], row
            assert one not in vocabulary.fields[other], row


def test_a_synonym_in_one_direction_keeps_two_columns_apart() -> None:
    vocabulary = small_vocabulary({"price": ("cost", "fee"), "cost": ("expense", "charge"), "name": ("label", "title")})
    rows = generate(vocabulary, 200, max_columns=2)
    assert {frozenset(row.table_fields) for row in rows} == {frozenset({"price", "name"}), frozenset({"cost", "name"})}


# Seeds and splits


def test_the_same_seed_gives_the_same_rows_and_a_longer_run_begins_with_the_shorter(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    assert generate(vocabulary, 500) == rows[:500]
    other = generate(vocabulary, 500, seed=1)
    assert sum(row in rows[:500] for row in other) < 5


def test_no_row_comes_twice(rows: list[Row]) -> None:
    assert len({(row.english_prompt, row.create_statement, row.sql_statement) for row in rows}) == COUNT


def test_the_splits_are_deterministic_and_share_no_row(tmp_path: Path) -> None:
    def write(split: Literal["train", "valid", "test"], name: str) -> list[Row]:
        generate_sql.main(
            vocabulary=SHIPPED,
            split=split,
            rows=(700, 150, 151),
            tables=2,
            fields=4,
            max_columns=2,
            table_synonym_probability=0.8,
            field_synonym_probability=0.5,
            seed=0,
            out=tmp_path / name,
        )
        return read_rows(tmp_path / name)

    splits = {split: write(split, f"{split}.jsonl") for split in SPLITS}
    assert [len(rows) for rows in splits.values()] == [700, 150, 151]
    everything = [(row.english_prompt, row.create_statement) for rows in splits.values() for row in rows]
    assert len(set(everything)) == 1001
    assert write("test", "again.jsonl") == splits["test"]
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "test.jsonl").read_bytes()


# Too small a vocabulary


def test_a_vocabulary_gives_all_its_rows_and_is_refused_for_one_more() -> None:
    # Two orders of two columns, 6 x 6 types, four answers (either, or both in two orders): 288 rows.
    vocabulary = small_vocabulary({"price": ("cost", "fee"), "name": ("label", "title")})
    plain = {"max_columns": 2, "table_synonym_probability": 0.0, "field_synonym_probability": 0.0, "seed": 0}
    rows = generate_rows(vocabulary, 288, **plain)
    assert len({(row.english_prompt, row.create_statement) for row in rows}) == 288
    with pytest.raises(UserError) as refused:
        generate_rows(vocabulary, 289, **plain)
    assert str(refused.value) == (
        "grounding/data: 1 tables and 2 fields give fewer than 289 different rows; take more words or fewer rows"
    )


@pytest.mark.parametrize(
    ("fields", "max_columns"),
    [
        pytest.param({"price": ("cost", "fee"), "name": ("label", "title")}, 3, id="fewer than columns"),
        pytest.param({"price": ("cost", "fee"), "cost": ("price", "expense")}, 2, id="synonyms alone"),
    ],
)
def test_a_schema_is_never_narrower_than_asked(fields: dict[str, tuple[str, str]], max_columns: int) -> None:
    with pytest.raises(UserError) as refused:
        generate(small_vocabulary(fields), 50, max_columns=max_columns)
    assert str(refused.value) == (
        f"grounding/data: 2 fields give fewer than {max_columns} unrelated columns; "
        "take more fields or a smaller max_columns"
    )


def test_excluded_fields_are_not_drawn(vocabulary: Vocabulary) -> None:
    kept = ["name", "price", "email", "city"]
    excluded = [field for field in vocabulary.fields if field not in kept]
    draw = random.Random(0)  # noqa: S311
    drawn = [tuple(draw_fields(vocabulary, 4, draw, excluded)) for _ in range(500)]
    assert len(set(drawn)) == 24  # every order
    assert {frozenset(fields) for fields in drawn} == {frozenset(kept)}
