"""Generated rows have the statistics that the config promises, and statements that run."""

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import SPLITS, Row, read_rows
from mechaware.planted.sql.generation import (
    TYPES,
    Vocabulary,
    blind_guess,
    create_table_sql,
    generate_rows,
    read_vocabulary,
    share_words,
)
from scripts.grounding import generate_sql
from tests.unit.planted.sql.small_vocabulary import SHIPPED, small_vocabulary

N_ROWS = 20_000
SETTINGS = {
    "max_columns": 4,
    "table_synonym_probability": 0.8,
    "field_synonym_probability": 0.5,
    "seed": 0,
}


def generate(vocabulary: Vocabulary, count: int, **changed: Any) -> list[Row]:
    """`count` rows with `SETTINGS`, except for those in `changed`."""
    return generate_rows(vocabulary, count, **SETTINGS | changed)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(SHIPPED, tables=30, fields=60)


@pytest.fixture(scope="module")
def rows(vocabulary: Vocabulary) -> list[Row]:
    return generate(vocabulary, N_ROWS)


def words_of(row: Row) -> list[str]:
    """The words of the request. No phrasing holds a word of the vocabulary (test_vocabulary.py)."""
    return re.findall("[a-z]+", row.english_prompt.lower())


def assert_share(hits: int, trials: int, probability: float) -> None:
    """Assert that `hits` of `trials` are likely if each is a hit with `probability`.

    One correct draw in a million lies outside the interval. The seed is fixed, so a test that
    passes cannot fail by chance later.
    """
    low, high = binom.interval(1 - 1e-6, trials, probability)
    assert low <= hits <= high, (hits / trials, probability)


# Statistics


def test_all_numbers_of_columns_are_equally_likely(rows: list[Row]) -> None:
    counts = Counter(len(row.table_fields) for row in rows)
    assert set(counts) == {2, 3, 4}
    for count in counts.values():
        assert_share(count, N_ROWS, 1 / 3)


@pytest.mark.parametrize("n_columns", [2, 3, 4])
def test_all_numbers_of_selected_columns_are_equally_likely(
    rows: list[Row], n_columns: int
) -> None:
    counts = Counter(len(row.select) for row in rows if len(row.table_fields) == n_columns)
    assert set(counts) == set(range(1, n_columns + 1))
    for count in counts.values():
        assert_share(count, counts.total(), 1 / n_columns)


def index_in_request(names: Sequence[str], words: list[str]) -> int:
    """The index in `names`, a table or field and its two synonyms, of the only one in the request.

    0 is the table or field itself.
    """
    (index,) = [index for index, name in enumerate(names) if name in words]
    return index


def test_tables_are_replaced_by_either_synonym_in_four_of_five_requests(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    counts = Counter[int]()
    for row in rows:
        names = [row.table_name, *vocabulary.tables[row.table_name]]
        counts[index_in_request(names, words_of(row))] += 1
    assert_share(counts[0], N_ROWS, 0.2)
    assert_share(counts[1], N_ROWS, 0.4)
    assert_share(counts[2], N_ROWS, 0.4)


def test_fields_are_asked_for_in_the_order_of_the_answer(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    for row in rows:
        words = words_of(row)
        positions = []
        for field in row.select:
            names = [field, *vocabulary.fields[field]]
            used_name = names[index_in_request(names, words)]
            positions.append(words.index(used_name))
        assert positions == sorted(positions)


def test_fields_are_replaced_by_either_synonym_in_half_of_the_cases(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    counts = Counter[int]()
    for row in rows:
        for field in row.select:
            names = [field, *vocabulary.fields[field]]
            counts[index_in_request(names, words_of(row))] += 1
    total = sum(len(row.select) for row in rows)
    assert counts.total() == total
    assert_share(counts[0], total, 0.5)
    assert_share(counts[1], total, 0.25)
    assert_share(counts[2], total, 0.25)


def test_every_table_and_field_occurs(rows: list[Row], vocabulary: Vocabulary) -> None:
    assert {row.table_name for row in rows} == set(vocabulary.tables)
    assert {field for row in rows for field in row.table_fields} == set(vocabulary.fields)
    assert {row.select[0] for row in rows} == set(vocabulary.fields)


def test_every_phrasing_occurs_in_2000_rows(rows: list[Row], vocabulary: Vocabulary) -> None:
    for phrasing in vocabulary.phrasings:
        pattern = re.escape(phrasing)
        pattern = pattern.replace(r"\{fields\}", "[a-z, ]+").replace(r"\{table\}", "[a-z]+")
        assert any(re.fullmatch(pattern, row.english_prompt) for row in rows[:2000]), pattern


def test_all_types_are_equally_likely(rows: list[Row]) -> None:
    types = Counter[str]()
    for row in rows:
        _create, _table, *types_of_row = re.findall("[A-Z]+", row.create_statement)
        types.update(types_of_row)
    assert set(types) == set(TYPES)
    for count in types.values():
        assert_share(count, types.total(), 1 / len(TYPES))


# Form


def test_every_statement_runs_and_names_what_the_row_says(rows: list[Row]) -> None:
    database = sqlite3.connect(":memory:")
    # Every fourth row saves time.
    for row in rows[::4]:
        database.execute(row.create_statement)
        columns = database.execute(f"PRAGMA table_info({row.table_name})")
        assert [name for _, name, *_ in columns] == row.table_fields
        answer = database.execute(row.sql_statement)
        assert [column[0] for column in answer.description] == row.select
        database.execute(f"DROP TABLE {row.table_name}")
    database.close()


def test_a_name_has_a_space_before_it_in_the_schema_and_in_the_answer() -> None:
    """So it is the same token in both."""
    assert create_table_sql("orders", [("price", "REAL"), ("name", "TEXT")]) == (
        "CREATE TABLE orders ( price REAL, name TEXT )"
    )
    fields = {"price": ("cost", "fee"), "name": ("label", "title"), "city": ("town", "place")}
    rows = generate(small_vocabulary(fields), 200, max_columns=3, field_synonym_probability=0.0)
    assert {row.sql_statement for row in rows} >= {
        "SELECT price FROM orders",
        "SELECT city, name, price FROM orders",
    }


def test_a_request_lists_its_fields_with_commas_and_a_last_and() -> None:
    fields = {"price": ("cost", "fee"), "name": ("label", "title"), "city": ("town", "place")}
    rows = generate(small_vocabulary(fields), 200, max_columns=3, field_synonym_probability=0.0)
    asked = {tuple(row.select): row.english_prompt.split(" | ")[0] for row in rows}
    assert asked["price",] == "price"
    assert asked["city", "name"] == "city and name"
    assert asked["city", "name", "price"] == "city, name and price"


def test_no_two_columns_of_a_schema_are_synonyms(rows: list[Row], vocabulary: Vocabulary) -> None:
    for row in rows:
        assert len(set(row.table_fields)) == len(row.table_fields)
        for field, other in combinations(row.table_fields, 2):
            assert other not in vocabulary.fields[field], row
            assert field not in vocabulary.fields[other], row


# Seeds and splits


def test_the_same_seed_gives_the_same_rows_and_a_longer_run_begins_with_the_shorter(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    assert generate(vocabulary, 500) == rows[:500]
    other = generate(vocabulary, 500, seed=1)
    assert sum(row in rows[:500] for row in other) < 5  # 1%: the two draws differ


def test_the_splits_are_deterministic_and_share_no_row(tmp_path: Path) -> None:
    counts = (700, 150, 151)

    def write_splits(folder: Path) -> dict[str, list[Row]]:
        rows_by_split = {}
        for index, split in enumerate(SPLITS):
            path = folder / f"{split}.jsonl"
            generate_sql.main(
                vocabulary=SHIPPED,
                split=split,
                # The numbers of rows of the splits before it, and its own.
                rows=counts[: index + 1],
                out=path,
                shared_words=False,
                **SETTINGS | {"tables": 2, "fields": 4, "max_columns": 2},
            )
            rows_by_split[split] = read_rows(path)
        return rows_by_split

    splits = write_splits(tmp_path / "once")
    assert [len(rows) for rows in splits.values()] == [700, 150, 151]
    different = set()
    for rows in splits.values():
        different |= {(row.english_prompt, row.create_statement) for row in rows}
    assert len(different) == 700 + 150 + 151
    assert write_splits(tmp_path / "again") == splits


# Too small a vocabulary


def test_a_vocabulary_gives_all_its_rows_and_is_refused_for_one_more() -> None:
    # Two orders of two columns, 6 x 6 types, four answers (either, or both in two orders): 288
    # rows.
    vocabulary = small_vocabulary({"price": ("cost", "fee"), "name": ("label", "title")})
    no_synonyms = {
        "max_columns": 2,
        "table_synonym_probability": 0.0,
        "field_synonym_probability": 0.0,
    }
    rows = generate(vocabulary, 288, **no_synonyms)
    assert len({(row.english_prompt, row.create_statement) for row in rows}) == 288
    with pytest.raises(UserError) as refused:
        generate(vocabulary, 289, **no_synonyms)
    assert str(refused.value) == (
        "grounding/data: 1 tables and 2 fields give fewer than 289 different rows; "
        "take more words or fewer rows"
    )


@pytest.mark.parametrize(
    ("fields", "max_columns"),
    [
        pytest.param(
            {"price": ("cost", "fee"), "name": ("label", "title")}, 3, id="fewer than columns"
        ),
        pytest.param(
            {"price": ("cost", "fee"), "cost": ("price", "expense")}, 2, id="synonyms alone"
        ),
    ],
)
def test_a_schema_is_never_narrower_than_asked(
    fields: dict[str, tuple[str, str]], max_columns: int
) -> None:
    with pytest.raises(UserError) as refused:
        generate(small_vocabulary(fields), 50, max_columns=max_columns)
    assert str(refused.value) == (
        f"grounding/data: 2 fields give fewer than {max_columns} unrelated columns; "
        "take more fields or a smaller max_columns"
    )


# The best guess without the schema


SMALL_FIELDS = {"price": ("cost", "fee"), "city": ("town", "metro"), "cost": ("expense", "charge")}


def small_row(request: str, *select: str) -> Row:
    """A row that asks for all columns of its schema."""
    schema = create_table_sql("orders", [(field, "TEXT") for field in select])
    sql = f"SELECT {', '.join(select)} FROM orders"  # noqa: S608
    return Row(request, schema, sql, "orders", [*select], [*select])


@pytest.mark.parametrize(
    ("shared", "right"),
    [
        # `cost` is taken for the field `cost`: half of the requests for this field call it `cost`,
        # and a quarter of the requests for `price` do. `fee`, `town` and `charge` are taken for the
        # only field that each names.
        pytest.param(False, [False, True, True, True], id="synonyms of one field each"),
        # `fee` and `town` mean price and city equally often, and are taken for price, the first.
        pytest.param(True, [False, True, False, False], id="shared synonyms"),
    ],
)
def test_the_best_guess_without_the_schema_takes_the_commonest_meaning_of_each_word(
    shared: bool, right: list[bool]
) -> None:
    vocabulary = small_vocabulary(SMALL_FIELDS)
    if shared:
        vocabulary = share_words(vocabulary)
    rows = [
        small_row("cost | orders", "price"),
        small_row("fee | purchases", "price"),
        small_row("town | requests", "city"),
        small_row("town and charge | orders", "city", "cost"),
    ]
    probabilities = {"table_synonym_probability": 0.8, "field_synonym_probability": 0.5}
    assert [blind_guess(vocabulary, [row], **probabilities) for row in rows] == right
    assert blind_guess(vocabulary, rows, **probabilities) == sum(right) / 4


def test_the_schema_is_needed_where_words_are_shared(vocabulary: Vocabulary) -> None:
    """The best guess gets a third of the requests right: each field with a chance of one half."""
    shared = share_words(vocabulary)
    rows = generate(shared, 4000, max_columns=3, field_synonym_probability=1.0)
    # Schemas have two or three columns, equally often, of which one to all are selected: one field
    # with a chance of 1/2 (1/2 + 1/3) = 5/12, two with 5/12, and three with 1/2 1/3 = 2/12.
    expected = 5 / 12 / 2 + 5 / 12 / 4 + 2 / 12 / 8
    guessed = blind_guess(
        shared, rows, table_synonym_probability=0.8, field_synonym_probability=1.0
    )
    four_standard_errors = 0.03  # 4 sqrt(1/3 x 2/3 / 4000)
    assert guessed == pytest.approx(expected, abs=four_standard_errors)


def test_no_schema_holds_two_fields_that_share_their_synonyms(vocabulary: Vocabulary) -> None:
    shared = share_words(vocabulary)
    for row in generate(shared, 4000, max_columns=3, field_synonym_probability=1.0):
        synonyms = [shared.fields[field] for field in row.table_fields]
        assert len(set(synonyms)) == len(synonyms)
