"""The words of generated SQL, and rows with the statistics that the config promises."""

import re
import sqlite3
from collections import Counter
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
import yaml
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

REPOSITORY = Path(__file__).resolve().parents[4]
SHIPPED = REPOSITORY / "config/sql/vocabulary.yaml"
RAW: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
TABLES = RAW["tables"]
FIELDS = RAW["fields"]

# The shipped file


def test_no_synonym_of_a_table_is_a_table() -> None:
    assert set(chain(*TABLES.values())) & set(TABLES) == set()


def test_no_phrasing_holds_a_word_of_the_vocabulary() -> None:
    # Otherwise a request would name more than it asks for.
    words = {*TABLES, *FIELDS, *chain(*TABLES.values(), *FIELDS.values())}
    for phrasing in RAW["phrasings"]:
        asked = phrasing.replace("{fields}", "").replace("{table}", "").lower()
        assert set(re.findall("[a-z]+", asked)) & words == set(), phrasing
        assert phrasing.count("{fields}") == phrasing.count("{table}") == 1


def test_every_table_and_field_can_be_written_in_sql_unquoted() -> None:
    database = sqlite3.connect(":memory:")
    for table in TABLES:
        database.execute(f"CREATE TABLE {table} ( id TEXT )")
    # Synonyms are columns in the schemas of pairs.
    for number, word in enumerate(chain(FIELDS, *FIELDS.values())):
        database.execute(f"CREATE TABLE t{number} ( {word} TEXT )")
        database.execute(f"SELECT {word} FROM t{number}")  # noqa: S608
    database.close()


# Reading


def test_the_first_words_are_taken_in_the_order_of_the_file() -> None:
    vocabulary = read_vocabulary(SHIPPED, tables=3, fields=5)
    assert vocabulary.phrasings == tuple(RAW["phrasings"])
    assert list(vocabulary.tables.items()) == [
        (base, tuple(TABLES[base])) for base in list(TABLES)[:3]
    ]
    assert list(vocabulary.fields.items()) == [
        (base, tuple(FIELDS[base])) for base in list(FIELDS)[:5]
    ]


def test_related_fields_are_synonyms_in_one_direction_or_the_other() -> None:
    fields = {"price": ("cost", "fee"), "cost": ("expense", "charge"), "name": ("label", "title")}
    vocabulary = Vocabulary(("{fields} {table}",), {"orders": ("purchases", "requests")}, fields)
    assert vocabulary.related("price", "cost")
    assert vocabulary.related("cost", "price")
    assert not vocabulary.related("price", "name")
    tables = {"orders", "purchases", "requests"}
    fields = {"price", "cost", "fee", "expense", "charge", "name", "label", "title"}
    assert vocabulary.words() == tables | fields


PHRASING = "Show {fields} from {table}"


def write(path: Path, **changed: object) -> Path:
    """A file of a vocabulary, with other `phrasings`, `tables` or `fields` as given."""
    document = {
        "phrasings": [PHRASING],
        "tables": {"orders": ["purchases", "requests"]},
        "fields": {"price": ["cost", "fee"], "cost": ["price", "expense"]},
    }
    path.write_text(yaml.safe_dump(document | changed, sort_keys=False))
    return path


def refusal(path: Path, *, tables: int = 1, fields: int = 2) -> str:
    with pytest.raises(UserError) as refused:
        read_vocabulary(path, tables=tables, fields=fields)
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


@pytest.mark.parametrize(
    "phrasing",
    [
        "Show {fields}",
        "Show {fields} of {table} or {table}",
        "Show {fields} of {table} {",
    ],
)
def test_a_phrasing_needs_the_fields_and_the_table_once_each_and_nothing_else(
    tmp_path: Path, phrasing: str
) -> None:
    message = refusal(write(tmp_path / "mine.yaml", phrasings=[PHRASING, phrasing]))
    assert message.startswith(", phrasings/1: ")
    assert "write: a request with {fields} and {table}, once each" in message


ONE_WORD = "does not fit; write: one lower-case word of the letters a to z"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            {"fields": {"price": ["cost", "fee", "charge"], "name": ["label", "title"]}},
            ", fields/price: [cost, fee, c",
        ),
        (
            {"fields": {"price": ["fee", "fee"], "name": ["label", "title"]}},
            ", fields/price: [fee, fee]; write two",
        ),
        ({"fields": {"price": ["Cost", "fee"]}}, f", fields/price/0: 'Cost' {ONE_WORD}"),
        ({"fields": {"Price": ["cost", "fee"]}}, f", fields: 'Price' {ONE_WORD}"),
        (
            {"fields": {"price": ["cost", "fee"], "name": ["fee", "label"]}},
            ", fields/name: 'fee' is a synonym of 'price' too; write another for one of them",
        ),
        (
            {"fields": {"price": ["cost", "price"], "name": ["label", "title"]}},
            ", fields/price: 'price' is its own synonym; write another",
        ),
        (
            {"tables": {"cost": ["purchases", "requests"]}},
            ": 'cost' names a table and a field; keep it for one of",
        ),
        (
            {"tables": {}},
            ": 0 tables, but grounding/data/tables asks for 1; add some or ask for fewer",
        ),
    ],
)
def test_a_bad_entry_is_refused_by_file_and_place(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    assert refusal(write(tmp_path / "mine.yaml", **wrong)).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, ": no such file; restore it"),
        (b"phrasings: [\xe9]", ": not UTF-8; save the file as UTF-8"),
        (b"phrasings: [\n", ", line 2: not YAML ("),
        (b"- price\n- cost\n", ": key 'phrasings' is missing; add it"),
    ],
)
def test_a_file_of_another_form_is_refused(
    tmp_path: Path, text: bytes | None, message: str
) -> None:
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_bytes(text)
    assert refusal(path).startswith(message)


# Generating

COUNT = 20_000
SETTINGS = {
    "max_columns": 4,
    "table_synonym_probability": 0.8,
    "field_synonym_probability": 0.5,
    "seed": 0,
}


def generate(vocabulary: Vocabulary, count: int, **changed: Any) -> list[Row]:
    return generate_rows(vocabulary, count, **SETTINGS | changed)


def small_vocabulary(fields: dict[str, tuple[str, str]]) -> Vocabulary:
    return Vocabulary(("{fields} | {table}",), {"orders": ("purchases", "requests")}, fields)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return read_vocabulary(SHIPPED, tables=30, fields=60)


@pytest.fixture(scope="module")
def rows(vocabulary: Vocabulary) -> list[Row]:
    return generate(vocabulary, COUNT)


# Without sharing, half of the requests for the field `cost` call it `cost`, and a quarter of those for `price` do.
SMALL_FIELDS = {"price": ("cost", "fee"), "city": ("town", "metro"), "cost": ("expense", "charge")}


def small_row(request: str, *select: str) -> Row:
    schema = create_table_sql("orders", [(field, "TEXT") for field in select])
    sql = f"SELECT {', '.join(select)} FROM orders"  # noqa: S608
    return Row(request, schema, sql, "orders", [*select], [*select])


@pytest.mark.parametrize(
    ("shared", "right"),
    [
        # `cost` is taken for the field, `fee` and `town` for the only field that each names.
        (False, [False, True, True, True]),
        # `fee` and `town` mean price and city equally often, and are taken for price, the first.
        (True, [False, True, False, False]),
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
    chances = {"table_synonym_probability": 0.8, "field_synonym_probability": 0.5}
    assert [blind_guess(vocabulary, [row], **chances) for row in rows] == right
    assert blind_guess(vocabulary, rows, **chances) == sum(right) / 4


def test_fields_that_share_their_synonyms_have_one_of_each_and_are_in_no_schema_together() -> None:
    shared = share_words(small_vocabulary(SMALL_FIELDS))
    # `cost` is a field itself; the last field has no partner.
    assert shared.fields == {
        "price": ("fee", "town"),
        "city": ("fee", "town"),
        "cost": ("expense", "charge"),
    }
    assert shared.related("price", "city")
    assert not shared.related("city", "cost")


def test_the_schema_is_needed_where_words_are_shared(vocabulary: Vocabulary) -> None:
    """The best guess gets a third of the requests: each of one to three fields in half of them."""
    shared = share_words(vocabulary)
    chances = {"field_synonym_probability": 1.0}
    rows = generate(shared, 4000, max_columns=3, **chances)
    for row in rows:
        names = [shared.fields[field] for field in row.table_fields]
        assert len(set(names)) == len(names)
    # Two or three columns, equally often, and one to all of them: one field in 5 of 12, two in 5, three in 2.
    expected = 5 / 12 / 2 + 5 / 12 / 4 + 2 / 12 / 8
    guessed = blind_guess(shared, rows, table_synonym_probability=0.8, **chances)
    assert guessed == pytest.approx(expected, abs=0.03)  # four standard errors


def words_of(row: Row) -> list[str]:
    """The words of the request. No phrasing holds a word of the vocabulary, as a test above shows."""
    return re.findall("[a-z]+", row.english_prompt.lower())


def assert_share(hits: int, trials: int, probability: float) -> None:
    """Of a correct draw, one in a million lies outside; the seed is fixed, so that this cannot fail by chance later."""
    low, high = binom.interval(1 - 1e-6, trials, probability)
    assert low <= hits <= high, (hits / trials, probability)


# Statistics


def test_each_number_of_columns_is_as_likely_and_so_is_each_number_of_those_selected(
    rows: list[Row],
) -> None:
    counts = Counter(len(row.table_fields) for row in rows)
    assert set(counts) == {2, 3, 4}
    for columns, count in counts.items():
        assert_share(count, COUNT, 1 / 3)
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
        (word,) = [name for name in family if name in words_of(row)]
        named[family.index(word)] += 1
    assert_share(named[0], COUNT, 0.2)
    assert_share(named[1], COUNT, 0.4)
    assert_share(named[2], COUNT, 0.4)


def test_fields_are_replaced_by_either_synonym_in_half_of_the_cases_and_asked_for_in_the_order_of_the_answer(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    named = Counter[int]()
    for row in rows:
        words = words_of(row)
        places = []
        for field in row.select:
            family = [field, *vocabulary.fields[field]]
            (word,) = [name for name in family if name in words]
            places.append(words.index(word))
            named[family.index(word)] += 1
        assert places == sorted(places)
    total = sum(len(row.select) for row in rows)
    assert named.total() == total
    assert_share(named[0], total, 0.5)
    assert_share(named[1], total, 0.25)
    assert_share(named[2], total, 0.25)


def test_every_phrasing_table_field_and_type_occurs(
    rows: list[Row], vocabulary: Vocabulary
) -> None:
    assert {row.table_name for row in rows} == set(vocabulary.tables)
    assert {field for row in rows for field in row.table_fields} == set(vocabulary.fields)
    assert {row.select[0] for row in rows} == set(vocabulary.fields)

    for phrasing in vocabulary.phrasings:
        pattern = re.escape(phrasing)
        pattern = pattern.replace(r"\{fields\}", "[a-z, ]+").replace(r"\{table\}", "[a-z]+")
        assert any(re.fullmatch(pattern, row.english_prompt) for row in rows[:2000]), pattern

    types = Counter[str]()
    for row in rows:
        _create, _table, *types_of_row = re.findall("[A-Z]+", row.create_statement)
        types.update(types_of_row)
    assert set(types) == set(TYPES)
    for count in types.values():
        assert_share(count, types.total(), 1 / 6)


# Form


def test_every_statement_runs_and_names_what_the_row_says(rows: list[Row]) -> None:
    database = sqlite3.connect(":memory:")
    for row in rows[::4]:
        database.execute(row.create_statement)
        columns = database.execute(f"PRAGMA table_info({row.table_name})")
        assert [name for _, name, *_ in columns] == row.table_fields
        answer = database.execute(row.sql_statement)
        assert [column[0] for column in answer.description] == row.select
        database.execute(f"DROP TABLE {row.table_name}")
    database.close()


def test_statements_are_written_as_in_the_data() -> None:
    # A space before each name: inside the schema and inside the answer it is the same token.
    assert create_table_sql("orders", [("price", "REAL"), ("name", "TEXT")]) == (
        "CREATE TABLE orders ( price REAL, name TEXT )"
    )
    fields = {"price": ("cost", "fee"), "name": ("label", "title"), "city": ("town", "place")}
    rows = generate(small_vocabulary(fields), 200, max_columns=3, field_synonym_probability=0.0)
    assert {row.sql_statement for row in rows} >= {
        "SELECT price FROM orders",
        "SELECT city, name, price FROM orders",
    }
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
    assert sum(row in rows[:500] for row in other) < 5


def test_the_splits_are_deterministic_and_share_no_row(tmp_path: Path) -> None:
    def write(name: str) -> dict[str, list[Row]]:
        paths = {split: tmp_path / name / f"{split}.jsonl" for split in SPLITS}
        # A split's command gets the numbers of rows of the splits before it, and its own.
        rows = []
        for (split, path), count in zip(paths.items(), (700, 150, 151), strict=True):
            rows.append(count)
            generate_sql.main(
                vocabulary=SHIPPED,
                split=split,
                rows=tuple(rows),
                out=path,
                shared_words=False,
                **SETTINGS | {"tables": 2, "fields": 4, "max_columns": 2},
            )
        return {split: read_rows(path) for split, path in paths.items()}

    splits = write("once")
    assert [len(rows) for rows in splits.values()] == [700, 150, 151]
    different = set()
    for rows in splits.values():
        different |= {(row.english_prompt, row.create_statement) for row in rows}
    assert len(different) == 1001
    assert write("again") == splits


# Too small a vocabulary


def test_a_vocabulary_gives_all_its_rows_and_is_refused_for_one_more() -> None:
    # Two orders of two columns, 6 x 6 types, four answers (either, or both in two orders): 288 rows.
    vocabulary = small_vocabulary({"price": ("cost", "fee"), "name": ("label", "title")})
    plain = {"max_columns": 2, "table_synonym_probability": 0.0, "field_synonym_probability": 0.0}
    rows = generate(vocabulary, 288, **plain)
    assert len({(row.english_prompt, row.create_statement) for row in rows}) == 288
    with pytest.raises(UserError) as refused:
        generate(vocabulary, 289, **plain)
    assert str(refused.value) == (
        "grounding/data: 1 tables and 2 fields give fewer than 289 different rows; take more words or fewer rows"
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
