"""Rows imported from TinySQL's files, from shards or from one file, and refused if they are bad."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.importing import import_rows
from mechaware.instruments.grounding.data.rows import SPLITS, Row, read_rows
from scripts.grounding import import_sql

HUB_NAMES = {
    "train": "data/train-00000-of-00001.parquet",
    "valid": "data/validation-00000-of-00001.parquet",
    "test": "data/test-00000-of-00001.parquet",
}


def gold_sql(number: int) -> str:
    return f"SELECT weight, column_{number} FROM table_{number}"  # noqa: S608


def entry(number: int = 0, **changes: Any) -> dict[str, Any]:
    """A row as TinySQL's files have it, with `changes`.

    The schema has several lines, lists are texts, and there are columns that nobody needs.
    """
    fields = [f"column_{number}", "amount", "weight"]
    return {
        "english_prompt": f"What is the cost of {number}? ",
        "sql_statement": gold_sql(number),
        "create_statement": (
            f"CREATE TABLE table_{number} (\n"
            f"    {fields[0]} VARCHAR(100),\n"
            "    amount DECIMAL(10, 2),\n"
            "    weight INTEGER\n"
            ")"
        ),
        "table_name": f"table_{number}",
        "table_fields": json.dumps([{"name": field, "type": "TEXT"} for field in fields]),
        "select": json.dumps(["weight", fields[0]]),
        "command_set": 1,
    } | changes


def expected(number: int) -> Row:
    """The row that is read from `entry(number)`."""
    return Row(
        english_prompt=f"What is the cost of {number}?",
        create_statement=entry(number)["create_statement"],
        sql_statement=gold_sql(number),
        table_name=f"table_{number}",
        table_fields=[f"column_{number}", "amount", "weight"],
        select=["weight", f"column_{number}"],
    )


def write_jsonl(path: Path, entries: list[dict[str, Any]]) -> Path:
    lines = [json.dumps(fields) + "\n" for fields in entries]
    path.write_text("".join(lines))
    return path


def write_parquet(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(entries).to_parquet(path)
    return path


def limits(*, train: int = 1, valid: int = 0, test: int = 0) -> dict[str, int]:
    """The number of rows to take for each split."""
    return {"train": train, "valid": valid, "test": test}


def refusal(path: Path, split: str = "train", sizes: dict[str, int] | None = None) -> str:
    """The message of an import that must be refused: one line, without the path at its start."""
    with pytest.raises(UserError) as refused:
        import_rows(path, split, sizes or limits())
    message = str(refused.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


@pytest.fixture
def hub_folder(tmp_path: Path) -> Path:
    """The dataset as the hub has it: rows 0 to 5 for train, 6 to 8 for valid, 9 to 12 for test."""
    folder = tmp_path / "tinysql"
    numbers_by_split = {"train": range(6), "valid": range(6, 9), "test": range(9, 13)}
    for split, numbers in numbers_by_split.items():
        write_parquet(folder / HUB_NAMES[split], [entry(number) for number in numbers])
    (folder / "COMMIT").write_text("1" * 40)
    (folder / "README.md").write_text("test")
    return folder


def test_the_first_rows_of_each_split_are_taken_from_the_hubs_files(hub_folder: Path) -> None:
    sizes = limits(train=4, valid=3, test=2)

    taken = {split: import_rows(hub_folder, split, sizes) for split in SPLITS}

    assert taken == {
        "train": [expected(0), expected(1), expected(2), expected(3)],
        "valid": [expected(6), expected(7), expected(8)],
        "test": [expected(9), expected(10)],
    }


Write = Callable[[Path, list[dict[str, Any]]], Path]
FORMATS = [
    pytest.param("mine.jsonl", write_jsonl, id="JSON lines"),
    pytest.param("mine.parquet", write_parquet, id="Parquet"),
]


@pytest.mark.parametrize(("name", "write"), FORMATS)
def test_the_rows_of_one_file_are_dealt_out_in_order(
    tmp_path: Path, name: str, write: Write
) -> None:
    path = write(tmp_path / name, [entry(number) for number in range(10)])
    sizes = limits(train=5, valid=2, test=3)

    dealt = {split: import_rows(path, split, sizes) for split in SPLITS}

    assert dealt == {
        "train": [expected(0), expected(1), expected(2), expected(3), expected(4)],
        "valid": [expected(5), expected(6)],
        "test": [expected(7), expected(8), expected(9)],
    }


@pytest.mark.parametrize(("name", "write"), FORMATS)
def test_too_few_rows_in_one_file_are_refused(tmp_path: Path, name: str, write: Write) -> None:
    path = write(tmp_path / name, [entry(number) for number in range(10)])

    message = refusal(path, "test", limits(train=5, valid=2, test=4))

    assert message == ": 3 rows for test, but grounding/data/rows asks for 4; ask for fewer"


def test_shards_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train-00001-of-00002.jsonl", [entry(2), entry(3)])
    write_jsonl(tmp_path / "train-00000-of-00002.jsonl", [entry(0), entry(1)])

    rows = import_rows(tmp_path, "train", limits(train=3))

    assert rows == [expected(0), expected(1), expected(2)]


def test_a_bad_row_of_a_shard_is_refused_by_its_row_in_the_shard(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "train-00000-of-00002.jsonl", [entry(0), entry(1)])
    second_shard = [entry(2), entry(3, sql_statement="SELECT")]
    write_jsonl(tmp_path / "train-00001-of-00002.jsonl", second_shard)

    message = refusal(tmp_path, "train", limits(train=4))

    assert message.startswith("/train-00001-of-00002.jsonl, row 2: SQL 'SELECT' is not")


def test_a_bad_row_after_the_rows_to_take_is_not_read(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "mine.jsonl", [entry(0), entry(1, sql_statement="SELECT")])

    assert import_rows(path, "train", limits(train=1)) == [expected(0)]


@pytest.mark.parametrize(
    "create",
    [
        "CREATE TABLE orders (price REAL, name TEXT);",
        "\nCREATE TABLE orders(\n\tprice DECIMAL(10, 2),\n\tname VARCHAR(100)\n) ;\n",
        "CREATE TABLE orders ( price REAL NOT NULL, name TEXT PRIMARY KEY )",
    ],
)
def test_a_schema_may_be_laid_out_in_any_way(tmp_path: Path, create: str) -> None:
    fields = entry(create_statement=create, sql_statement=" SELECT name, price FROM orders\n")
    path = write_jsonl(tmp_path / "a.jsonl", [fields])

    (row,) = import_rows(path, "train", limits())

    assert row.table_name == "orders"
    assert row.table_fields == ["price", "name"]
    assert row.select == ["name", "price"]
    assert row.sql_statement == "SELECT name, price FROM orders"
    assert row.create_statement == create


# Bad input

NO_TEXT = "; a row has english_prompt, create_statement, sql_statement"
SCHEMA_FORM = "is not of the form CREATE TABLE t ( a TYPE, ... )"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            {"sql_statement": "SELECT weight FROM table_0 WHERE amount > 3"},
            "WHERE amount > 3' is not of the form",
            id="SQL with a condition",
        ),
        pytest.param(
            {"sql_statement": "SELECT * FROM table_0"},
            "SQL 'SELECT * FROM table_0' is not of the form SELECT a, b FROM",
            id="SQL of all columns",
        ),
        pytest.param(
            {"create_statement": "CREATE TABLE table_0 ( weight REAL, weight TEXT )"},
            "the schema has 'weight' twice, or as",
            id="a column twice",
        ),
        pytest.param(
            {"create_statement": 'CREATE TABLE table_0 ( weight REAL, "order" TEXT )'},
            "the schema has '\"order\"' twice, or as",
            id="a column in quotes",
        ),
        pytest.param(
            {"create_statement": "CREATE TABLE table_0 ( weight REAL, PRIMARY KEY (weight) )"},
            "the schema has 'PRIMARY' twice, or as",
            id="a key",
        ),
        pytest.param(
            {"sql_statement": "SELECT weight FROM orders"},
            "reads table 'orders', the schema creates 'table_0'",
            id="another table",
        ),
        pytest.param(
            {"sql_statement": "SELECT weight, price FROM table_0"},
            "the SQL selects 'price', which the schema lacks",
            id="another column",
        ),
        pytest.param(
            {"create_statement": "CREATE VIEW table_0 (\n  a TEXT\n)"},
            f"'CREATE VIEW table_0 ( a TEXT )' {SCHEMA_FORM}",
            id="a view",
        ),
        pytest.param(
            {"create_statement": float("nan")},
            f"no text 'create_statement'{NO_TEXT}",
            id="a missing value",
        ),
        pytest.param(
            {"sql_statement": ["SELECT"]}, f"no text 'sql_statement'{NO_TEXT}", id="a list"
        ),
    ],
)
def test_a_bad_row_is_refused_by_file_and_row(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write_jsonl(tmp_path / "mine.jsonl", [entry(1), entry(2), entry(0, **changes)])

    refused = refusal(path, sizes=limits(train=3))

    assert refused.startswith(", row 3: ")
    assert message in refused


@pytest.mark.parametrize(("name", "write"), FORMATS)
def test_a_missing_column_is_named(tmp_path: Path, name: str, write: Write) -> None:
    without_sql = entry()
    del without_sql["sql_statement"]
    path = write(tmp_path / name, [without_sql])

    assert refusal(path) == f", row 1: no text 'sql_statement'{NO_TEXT}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(
            b"SELECT a FROM t",
            "not JSON (Expecting value: line 1 column 1 (char 0)); correct the line",
            id="SQL",
        ),
        pytest.param(
            b'{"english_prompt": "caf\xe9"}',
            "not JSON ('utf-8' codec can't decode byte 0xe9",
            id="another encoding",
        ),
        pytest.param(b"[" * 100_000, "not JSON (", id="deep nesting"),
        pytest.param(b"[]", "not a JSON object; write one row as {...} on each line", id="a list"),
    ],
)
def test_a_line_that_is_no_json_object_is_refused_by_its_number(
    tmp_path: Path, line: bytes, message: str
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(json.dumps(entry()).encode() + b"\n" + line + b"\n")

    assert refusal(path).startswith(f", row 2: {message}")


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "mine.parquet", [entry(number) for number in range(20)])
    path.write_bytes(path.read_bytes()[:-100])

    message = refusal(path, sizes=limits(train=20))

    assert re.fullmatch(r": not Parquet \(.+\); fetch or write it again", message)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path / "no.jsonl")

    assert message == ": no such file; correct grounding/data/path in the config"


@pytest.mark.parametrize("name", ["mine.csv", "mine"])
def test_another_suffix_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("english_prompt\nShow\n")

    assert refusal(path) == ": neither .parquet nor .jsonl; convert it to one of them"


def test_a_folder_without_the_split_is_refused(tmp_path: Path) -> None:
    for name in ("rows.jsonl", "retrain.jsonl", "train.csv", ".train.jsonl", "valid.jsonl"):
        write_jsonl(tmp_path / name, [entry()])

    message = refusal(tmp_path)
    rows = import_rows(tmp_path, "valid", limits(valid=1))

    assert message == ": no train*.parquet or train*.jsonl; name the file of each split after it"
    assert rows == [expected(0)]


GOOD_AND_BAD_ROW = [entry(0), entry(1, sql_statement="SELECT 1")]


def test_a_refused_import_writes_nothing(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "mine.jsonl", GOOD_AND_BAD_ROW)
    out = tmp_path / "results/train.jsonl"

    with pytest.raises(UserError, match="row 2"):
        import_sql.main(dataset=path, split="train", rows=(2,), out=out)

    assert not out.parent.exists() or not list(out.parent.iterdir())


def test_an_import_writes_one_file(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "mine.jsonl", GOOD_AND_BAD_ROW)
    out = tmp_path / "results/train.jsonl"

    import_sql.main(dataset=path, split="train", rows=(1,), out=out)

    assert read_rows(out) == [expected(0)]
    assert list(out.parent.iterdir()) == [out]
