"""The words of generated SQL: what the shipped file promises, and what a file of the user's is told."""

import re
import sqlite3
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.errors import UserError
from mechaware.grounding.data.vocabulary import Vocabulary, read_vocabulary

REPOSITORY = Path(__file__).resolve().parents[4]
SHIPPED = REPOSITORY / "config/sql/vocabulary.yaml"
RAW: dict[str, Any] = yaml.safe_load(SHIPPED.read_text())
DATA = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())["grounding"]["data"]
TABLES, FIELDS = RAW["tables"], RAW["fields"]

# The shipped file


def test_there_is_enough_of_everything() -> None:
    assert len(set(RAW["phrasings"])) == len(RAW["phrasings"]) >= 40
    assert len(TABLES) >= 100
    assert len(FIELDS) >= 200


def test_no_base_is_written_twice() -> None:
    # A YAML mapping would keep the last one without a word.
    written = re.findall(r"^  (\w+): \[", SHIPPED.read_text(), re.M)
    assert len(written) == len(TABLES) + len(FIELDS)


def test_every_word_is_one_lower_case_word() -> None:
    words = chain(TABLES, FIELDS, *TABLES.values(), *FIELDS.values())
    assert [word for word in words if not re.fullmatch("[a-z]{2,12}", word)] == []


@pytest.mark.parametrize("kind", ["tables", "fields"])
def test_every_base_has_two_synonyms_and_every_synonym_one_base(kind: str) -> None:
    assert {len(set(synonyms)) for synonyms in RAW[kind].values()} == {2}
    synonyms = list(chain(*RAW[kind].values()))
    assert len(set(synonyms)) == len(synonyms)
    assert not any(base in synonyms for base, synonyms in RAW[kind].items())


def test_no_word_names_a_table_and_a_field() -> None:
    tables, fields = ({*kind, *chain(*kind.values())} for kind in (TABLES, FIELDS))
    assert tables & fields == set()


def test_no_synonym_of_a_table_is_a_table() -> None:
    assert set(chain(*TABLES.values())) & set(TABLES) == set()


def test_no_phrasing_holds_a_word_of_the_vocabulary() -> None:
    # Otherwise a request would name more than it asks for.
    words = {*TABLES, *FIELDS, *chain(*TABLES.values(), *FIELDS.values())}
    for phrasing in RAW["phrasings"]:
        asked = phrasing.replace("{fields}", "").replace("{table}", "").lower()
        assert set(re.findall("[a-z]+", asked)) & words == set(), phrasing
        assert phrasing.count("{fields}") == phrasing.count("{table}") == 1


def pool_pairs(fields: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(field, synonym) for field, synonyms in fields.items() for synonym in synonyms if synonym in fields]


def test_fields_have_synonyms_that_are_fields() -> None:
    assert len(pool_pairs(FIELDS)) >= 40
    assert all(field in FIELDS[synonym] for field, synonym in pool_pairs(FIELDS))


def test_the_words_of_the_default_config_are_enough_for_20_pairs_per_category() -> None:
    assert (DATA["tables"], DATA["fields"]) == (30, 60)
    fields = dict(list(FIELDS.items())[: DATA["fields"]])
    assert len(pool_pairs(fields)) >= 20
    assert sum(not set(synonyms) & set(fields) for synonyms in fields.values()) >= 20


def test_every_table_and_field_can_stand_in_sql_unquoted() -> None:
    database = sqlite3.connect(":memory:")
    for table in TABLES:
        database.execute(f"CREATE TABLE {table} ( id TEXT )")
    for number, word in enumerate(chain(FIELDS, *FIELDS.values())):  # synonyms stand in the schema of pairs
        database.execute(f"CREATE TABLE t{number} ( {word} TEXT )")
        database.execute(f"SELECT {word} FROM t{number}")  # noqa: S608
    database.close()


# Reading


def test_the_first_words_are_taken_in_the_order_of_the_file() -> None:
    vocabulary = read_vocabulary(SHIPPED, tables=3, fields=5)
    assert vocabulary.phrasings == tuple(RAW["phrasings"])
    assert list(vocabulary.tables.items()) == [(base, tuple(TABLES[base])) for base in list(TABLES)[:3]]
    assert list(vocabulary.fields.items()) == [(base, tuple(FIELDS[base])) for base in list(FIELDS)[:5]]


def test_related_fields_are_synonyms_in_one_direction_or_the_other() -> None:
    fields = {"price": ("cost", "fee"), "cost": ("expense", "charge"), "name": ("label", "title")}
    vocabulary = Vocabulary(("{fields} {table}",), {"orders": ("purchases", "requests")}, fields)
    assert vocabulary.related("price", "cost")
    assert vocabulary.related("cost", "price")
    assert not vocabulary.related("price", "name")
    assert vocabulary.words() == {
        *("orders", "purchases", "requests"),
        *("price", "cost", "fee", "expense", "charge", "name", "label", "title"),
    }


PHRASING = "Show {fields} from {table}"


def write(path: Path, phrasings: object = (PHRASING,), tables: object = None, fields: object = None) -> Path:
    document = {
        "phrasings": list(phrasings) if isinstance(phrasings, tuple) else phrasings,
        "tables": {"orders": ["purchases", "requests"]} if tables is None else tables,
        "fields": {"price": ["cost", "fee"], "cost": ["price", "expense"]} if fields is None else fields,
    }
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def refusal(path: Path, *, tables: int = 1, fields: int = 2) -> str:
    with pytest.raises(UserError) as refused:
        read_vocabulary(path, tables=tables, fields=fields)
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


def test_the_smallest_file_is_read(tmp_path: Path) -> None:
    vocabulary = read_vocabulary(write(tmp_path / "mine.yaml"), tables=1, fields=2)
    assert vocabulary.fields == {"price": ("cost", "fee"), "cost": ("price", "expense")}


@pytest.mark.parametrize(
    "phrasing",
    [
        "Show {fields}",
        "Show {table}",
        "Show all",
        "Show {fields} of {table} by {other}",
        "Show {fields} of {table} or {table}",
        "Show {fields} and {fields} of {table}",
        "Show {fields} of {table!r}",
        "Show {{fields}} of {{table}}",
        "Show {fields} of {table} {",
        "Show {fields[0]} of {table}",
    ],
)
def test_a_phrasing_needs_the_fields_and_the_table_once_each_and_nothing_else(tmp_path: Path, phrasing: str) -> None:
    message = refusal(write(tmp_path / "mine.yaml", phrasings=(PHRASING, phrasing)))
    assert message.startswith(", phrasings/1: ")
    assert "write: a request with {fields} and {table}, once each" in message


ONE_WORD = "does not fit; write: one lower-case word of the letters a to z"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fields": {"price": ["cost", "fee", "charge"], "name": ["label", "title"]}}, ", fields/price: [cost, fee, c"),
        ({"fields": {"price": ["cost"], "name": ["label", "title"]}}, ", fields/price: [cost]; write two different"),
        ({"fields": {"price": ["fee", "fee"], "name": ["label", "title"]}}, ", fields/price: [fee, fee]; write two"),
        ({"fields": {"price": [], "name": ["label", "title"]}}, ", fields/price: []; write two different synonyms"),
        ({"fields": {"price": "cost"}}, ", fields/price: 'cost'; write a list in square brackets"),
        ({"fields": {"price": None}}, ", fields/price: nothing; write a list in square brackets"),
        ({"fields": ["price", "cost"]}, ", fields: ['price', 'cost']; write keys with values"),
        ({"fields": {"price": ["Cost", "fee"]}}, f", fields/price/0: 'Cost' {ONE_WORD}"),
        ({"fields": {"price": ["unit cost", "fee"]}}, f", fields/price/0: 'unit cost' {ONE_WORD}"),
        ({"fields": {"price": ["cost", "preço"]}}, f", fields/price/1: 'preço' {ONE_WORD}"),
        ({"fields": {"price": ["cost", ""]}}, f", fields/price/1: '' {ONE_WORD}"),
        ({"fields": {"Price": ["cost", "fee"]}}, f", fields: 'Price' {ONE_WORD}"),
        ({"fields": {"price": ["cost", 7]}}, ", fields/price/1: 7; write text"),
        ({"fields": {"price": [True, "fee"]}}, ", fields/price/0: True; write text"),
        ({"fields": {True: ["cost", "fee"]}}, ", fields: True; write text"),
        ({"fields": {7: ["cost", "fee"]}}, ", fields: 7; write text"),
        (
            {"fields": {"price": ["cost", "fee"], "name": ["fee", "label"]}},
            ", fields/name: 'fee' is a synonym of 'price' too; write another for one of them",
        ),
        (
            {"fields": {"price": ["cost", "price"], "name": ["label", "title"]}},
            ", fields/price: 'price' is its own synonym; write another",
        ),
        (
            {"tables": {"orders": ["orders", "requests"]}},
            ", tables/orders: 'orders' is its own synonym; write another",
        ),
        ({"tables": {"cost": ["purchases", "requests"]}}, ": 'cost' names a table and a field; keep it for one of"),
        ({"tables": {"orders": ["purchases", "fee"]}}, ": 'fee' names a table and a field; keep it for one of them"),
        ({"tables": {}}, ": 0 tables, but grounding/data/tables asks for 1; add some or ask for fewer"),
        ({"phrasings": []}, ", phrasings: empty; write at least one entry"),
        ({"phrasings": PHRASING}, f", phrasings: '{PHRASING}'; write a list in square brackets"),
        ({"phrasings": [7]}, ", phrasings/0: 7; write text"),
    ],
)
def test_a_bad_entry_is_refused_by_file_and_place(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    assert refusal(write(tmp_path / "mine.yaml", **wrong)).startswith(message)


def test_a_bad_entry_is_refused_even_after_the_first_words(tmp_path: Path) -> None:
    fields = {"price": ["cost", "fee"], "name": ["label", "title"], "city": ["town", "fee"]}
    assert "fields/city: 'fee' is a synonym of 'price' too" in refusal(write(tmp_path / "v.yaml", fields=fields))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phrasings: [\n", ", line 2: not YAML ("),
        ("phrasings: *none\n", ", line 1: not YAML (found undefined alias"),
        ("phrasings: !!python/name:os.system\n", ", line 1: not YAML ("),
        ("- price\n- cost\n", ": key 'phrasings' is missing; add it"),
        ("price\n", ": key 'phrasings' is missing; add it"),
        ("", ": key 'phrasings' is missing; add it"),
        (f"phrasings: ['{PHRASING}']\ntables: {{orders: [a, b]}}\n", ": key 'fields' is missing; add it"),
        (
            f"phrasings: ['{PHRASING}']\ntables: {{orders: [a, b]}}\nfields: {{price: [c, d]}}\nfield: 1\n",
            ": unknown key 'field'; did you mean 'fields'?",
        ),
        (
            f"phrasings: ['{PHRASING}']\ntables: {{orders: [a, b]}}\nfields: {{yes: [c, no]}}\n",
            ", fields: True; write text",
        ),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    assert refusal(path).startswith(message)


def test_a_file_in_latin_1_and_a_missing_one_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    assert refusal(path) == ": no such file; restore it"
    path.write_bytes("phrasings: [é]".encode("latin-1"))
    assert refusal(path) == ": not UTF-8; save the file as UTF-8"


def test_more_words_than_there_are_cannot_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "mine.yaml")
    assert refusal(path, tables=2) == ": 1 tables, but grounding/data/tables asks for 2; add some or ask for fewer"
    assert refusal(path, fields=3) == ": 2 fields, but grounding/data/fields asks for 3; add some or ask for fewer"
