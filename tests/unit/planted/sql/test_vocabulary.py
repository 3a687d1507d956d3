"""The words of generated SQL: the shipped file, and which files of words are refused."""

import re
import sqlite3
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.planted.sql.generation import read_vocabulary, share_words
from tests.unit.planted.sql.small_vocabulary import SHIPPED, small_vocabulary

RAW: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
TABLES = RAW["tables"]
FIELDS = RAW["fields"]

# The shipped file


def test_no_synonym_of_a_table_is_a_table() -> None:
    assert set(chain(*TABLES.values())) & set(TABLES) == set()


def test_no_phrasing_holds_a_word_of_the_vocabulary() -> None:
    """Otherwise a request would name more than it asks for."""
    words = {*TABLES, *FIELDS, *chain(*TABLES.values(), *FIELDS.values())}
    for phrasing in RAW["phrasings"]:
        without_slots = phrasing.replace("{fields}", "").replace("{table}", "").lower()
        assert set(re.findall("[a-z]+", without_slots)) & words == set(), phrasing


def test_a_phrasing_has_one_place_for_the_fields_and_one_for_the_table() -> None:
    for phrasing in RAW["phrasings"]:
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
    vocabulary = small_vocabulary(
        {"price": ("cost", "fee"), "cost": ("expense", "charge"), "name": ("label", "title")}
    )
    assert vocabulary.related("price", "cost")
    assert vocabulary.related("cost", "price")
    assert not vocabulary.related("price", "name")


def test_the_words_are_all_tables_fields_and_synonyms() -> None:
    vocabulary = small_vocabulary({"price": ("cost", "fee"), "cost": ("expense", "charge")})
    table_words = {"orders", "purchases", "requests"}
    field_words = {"price", "cost", "fee", "expense", "charge"}
    assert vocabulary.words() == table_words | field_words


PHRASING = "Show {fields} from {table}"


def write_vocabulary(path: Path, **changed: object) -> Path:
    """Write a vocabulary, with other `phrasings`, `tables` or `fields` as given."""
    document = {
        "phrasings": [PHRASING],
        "tables": {"orders": ["purchases", "requests"]},
        "fields": {"price": ["cost", "fee"], "cost": ["price", "expense"]},
    }
    path.write_text(yaml.safe_dump(document | changed, sort_keys=False))
    return path


def refusal(path: Path) -> str:
    """The message that refuses the file for one table and two fields, without the file's path."""
    with pytest.raises(UserError) as refused:
        read_vocabulary(path, tables=1, fields=2)
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


@pytest.mark.parametrize(
    "phrasing",
    [
        pytest.param("Show {fields}", id="no table"),
        pytest.param("Show {fields} of {table} or {table}", id="two tables"),
        pytest.param("Show {fields} of {table} {", id="an open brace"),
    ],
)
def test_a_phrasing_needs_the_fields_and_the_table_once_each_and_nothing_else(
    tmp_path: Path, phrasing: str
) -> None:
    message = refusal(write_vocabulary(tmp_path / "mine.yaml", phrasings=[PHRASING, phrasing]))
    assert message.startswith(", phrasings/1: ")
    assert "write: a request with {fields} and {table}, once each" in message


ONE_WORD = "does not fit; write: one lower-case word of the letters a to z"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        pytest.param(
            {"fields": {"price": ["cost", "fee", "charge"], "name": ["label", "title"]}},
            ", fields/price: [cost, fee, charge]; write two",
            id="three synonyms",
        ),
        pytest.param(
            {"fields": {"price": ["fee", "fee"], "name": ["label", "title"]}},
            ", fields/price: [fee, fee]; write two",
            id="the same synonym twice",
        ),
        pytest.param(
            {"fields": {"price": ["Cost", "fee"]}},
            f", fields/price/0: 'Cost' {ONE_WORD}",
            id="a capital letter in a synonym",
        ),
        pytest.param(
            {"fields": {"Price": ["cost", "fee"]}},
            f", fields: 'Price' {ONE_WORD}",
            id="a capital letter in a field",
        ),
        pytest.param(
            {"fields": {"price": ["cost", "fee"], "name": ["fee", "label"]}},
            ", fields/name: 'fee' is a synonym of 'price' too; write another for one of them",
            id="a synonym of two fields",
        ),
        pytest.param(
            {"fields": {"price": ["cost", "price"], "name": ["label", "title"]}},
            ", fields/price: 'price' is its own synonym; write another",
            id="its own synonym",
        ),
        pytest.param(
            {"tables": {"cost": ["purchases", "requests"]}},
            ": 'cost' names a table and a field; keep it for one of",
            id="a table and a field",
        ),
        pytest.param(
            {"tables": {}},
            ": 0 tables, but grounding/data/tables asks for 1; add some or ask for fewer",
            id="too few tables",
        ),
    ],
)
def test_a_bad_entry_is_refused_by_file_and_place(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    path = write_vocabulary(tmp_path / "mine.yaml", **wrong)
    assert refusal(path).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(None, ": no such file; restore it", id="no file"),
        pytest.param(b"phrasings: [\xe9]", ": not UTF-8; save the file as UTF-8", id="Latin-1"),
        pytest.param(b"phrasings: [\n", ", line 2: not YAML (", id="an open bracket"),
        pytest.param(b"- price\n- cost\n", ": key 'phrasings' is missing; add it", id="a list"),
    ],
)
def test_a_file_of_another_form_is_refused(
    tmp_path: Path, text: bytes | None, message: str
) -> None:
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_bytes(text)
    assert refusal(path).startswith(message)


# Sharing synonyms


def test_two_fields_share_a_synonym_of_each_and_are_thereby_related() -> None:
    fields = {
        "price": ("cost", "fee"),
        "city": ("town", "metro"),
        "cost": ("expense", "charge"),
    }
    shared = share_words(small_vocabulary(fields))
    # Price gives `fee`, since `cost` is a field itself. The last field has no partner.
    assert shared.fields == {
        "price": ("fee", "town"),
        "city": ("fee", "town"),
        "cost": ("expense", "charge"),
    }
    assert shared.related("price", "city")
    assert not shared.related("city", "cost")
