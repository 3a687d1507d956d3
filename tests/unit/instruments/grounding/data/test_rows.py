"""Rows of SQL requests: the prompts made of a row, and files of rows, written and read."""

import json
from pathlib import Path

import pytest

from mechaware.instruments.grounding.data.rows import (
    Row,
    columns_and_types,
    prompt_of,
    read_rows,
    tokenizer_texts,
    write_rows,
)

ROW = Row(
    english_prompt="Show me the cost, please",
    create_statement="CREATE TABLE orders ( price REAL, name TEXT )",
    sql_statement="SELECT price FROM orders",
    table_name="orders",
    table_fields=["price", "name"],
    select=["price"],
)


# Prompts


def test_the_prompt_is_the_papers_up_to_where_decoding_begins() -> None:
    prompt = prompt_of("Show me the cost", "CREATE TABLE orders ( price REAL )")

    assert prompt == (
        "### Instruction: Show me the cost "
        "### Context: CREATE TABLE orders ( price REAL ) "
        "### Response:"
    )


def test_a_prompt_without_a_schema_keeps_its_headings() -> None:
    prompt = prompt_of("Show me the cost", "")

    assert " ".join(prompt.split()) == (
        "### Instruction: Show me the cost ### Context: ### Response:"
    )


@pytest.mark.parametrize(
    ("schema", "columns"),
    [
        pytest.param(
            "CREATE TABLE t ( a VARCHAR(20), b DECIMAL(10,2), is_c DOUBLE PRECISION )",
            [("a", "VARCHAR(20)"), ("b", "DECIMAL(10,2)"), ("is_c", "DOUBLE PRECISION")],
            id="one line",
        ),
        pytest.param(
            "CREATE TABLE t (\n    a DECIMAL(10, 2),\n    b TEXT\n);",
            [("a", "DECIMAL(10, 2)"), ("b", "TEXT")],
            id="several lines",
        ),
        pytest.param("DROP TABLE t", [], id="no schema"),
    ],
)
def test_a_schema_has_a_name_and_a_type_for_each_column(
    schema: str, columns: list[tuple[str, str]]
) -> None:
    assert columns_and_types(schema) == columns


def test_a_tokenizer_learns_each_word_with_a_space_and_each_row_with_and_without_schema() -> None:
    word_1, word_2, with_schema, without_schema = tokenizer_texts([ROW], ["price", "cost"])

    assert (word_1, word_2) == (" price", " cost")
    assert with_schema == (
        "### Instruction: Show me the cost, please "
        "### Context: CREATE TABLE orders ( price REAL, name TEXT ) "
        "### Response: SELECT price FROM orders"
    )
    assert without_schema == (
        "### Instruction: Show me the cost, please "
        "### Context:  "
        "### Response: SELECT price FROM orders"
    )


# Writing and reading


def test_rows_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    odd = ROW._replace(
        english_prompt='"Größe"\nof\u2028all', create_statement="CREATE TABLE t (\n a TEXT\n)"
    )
    path = tmp_path / "deep/rows.jsonl"

    write_rows([ROW, odd], path)

    assert read_rows(path) == [ROW, odd]


def test_a_row_is_a_json_object_on_a_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"

    write_rows([ROW], path)

    (line,) = path.read_text().splitlines()
    written = json.loads(line)
    assert written == ROW._asdict()
    assert list(written) == [
        "english_prompt",
        "create_statement",
        "sql_statement",
        "table_name",
        "table_fields",
        "select",
    ]
