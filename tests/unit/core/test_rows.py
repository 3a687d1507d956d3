"""The rows of a user's file, their cells as text, and the lists of their faults."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.core.rows import cell_text, list_faults, read_rows


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("two", "two"),
        # pandas stores the integers of a column as floats if one of its cells is empty.
        (2.0, "2"),
        (2.5, "2.5"),
        (7, "7"),
        (np.float64(3.0), "3"),
        # Missing values.
        (None, ""),
        (float("nan"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        # The same words, written as text.
        ("None", "None"),
        ("nan", "nan"),
        ("NA", "NA"),
        ("<NA>", "<NA>"),
    ],
)
def test_a_cell_is_the_text_that_was_written_and_a_missing_value_is_empty(
    cell: object, text: str
) -> None:
    assert cell_text(cell, "answer") == text


@pytest.mark.parametrize("cell", [["a"], {"a": 1}, b"a"])
def test_a_cell_that_is_no_text_is_refused(cell: object) -> None:
    with pytest.raises(ValueError, match=r"^answer .+ is not a text; write one text$"):
        cell_text(cell, "answer")


@pytest.mark.parametrize(
    ("n_faults", "last"),
    [(1, "fault 1"), (20, "fault 20"), (21, "and 1 more"), (33, "and 13 more")],
)
def test_twenty_faults_are_listed_and_the_others_counted(n_faults: int, last: str) -> None:
    faults = [f"fault {number}" for number in range(1, n_faults + 1)]
    lines = list_faults(faults).splitlines()
    assert lines[:20] == faults[:20]
    assert lines[-1] == last
    assert len(lines) == min(n_faults, 21)


def test_a_column_that_no_row_has_is_refused_even_where_faults_of_rows_are_collected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "1"}\n{"id": "2"}\n')
    faults: list[str] = []
    with pytest.raises(UserError, match="row 1: no 'text'; a row has id, text"):
        read_rows(path, ["id", "text"], "items", faults)
    assert faults == []


def test_a_row_without_a_column_that_another_row_has_is_left_out_and_its_fault_collected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"id": "1"}\n{"id": "2", "text": "a"}\n')
    faults: list[str] = []
    assert read_rows(path, ["id", "text"], "items", faults) == [(2, {"id": "2", "text": "a"})]
    assert faults == [f"{path}, row 1: no 'text'; a row has id, text"]


def test_rows_after_an_empty_line_have_the_numbers_that_an_editor_shows(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    # Line 1: the header; 2 and 3: a row; 4: empty; 5: a row; 6: blank cells; 7: a row without text.
    path.write_text('id,text\na,"first\nsecond"\n\nb,third\n ,\nc\n')
    assert read_rows(path, ["id", "text"], "items") == [
        (2, {"id": "a", "text": "first\nsecond"}),
        (5, {"id": "b", "text": "third"}),
        (7, {"id": "c", "text": None}),
    ]


def test_columns_may_be_separated_by_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text('id;text\n1;"Ann; or\nBo?"\n\n2;1,5 km\n', encoding="utf-8-sig")
    assert read_rows(path, ["id", "text"], "items") == [
        (2, {"id": "1", "text": "Ann; or\nBo?"}),
        (5, {"id": "2", "text": "1,5 km"}),
    ]


def test_columns_may_be_separated_by_tabs(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id\ttext\n3\ta, b; c\n")
    assert read_rows(path, ["id", "text"], "items") == [(2, {"id": "3", "text": "a, b; c"})]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_byte_that_is_not_utf8_is_refused_by_its_line_even_far_into_a_file(
    tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "items.csv"
    # 240 kB, many times the chunk that a stream decodes at once; the bad byte is in line 30,001.
    path.write_bytes(("id,text\n" * 30_000).encode(encoding) + b"1,caf\xe9\n")
    with pytest.raises(UserError, match=r"row 30001: not UTF-8 \(byte 0xE9\)"):
        read_rows(path, ["id", "text"], "items")


@pytest.mark.parametrize(("delimiter", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab")])
def test_a_row_with_too_many_fields_is_refused_by_the_name_of_the_delimiter(
    tmp_path: Path, delimiter: str, name: str
) -> None:
    path = tmp_path / "items.csv"
    path.write_text(f"id{delimiter}text\n1{delimiter}a{delimiter}b")
    message = f"row 2: more fields than columns; put a field with a {name} in quotes"
    with pytest.raises(UserError, match=message):
        read_rows(path, ["id", "text"], "items")
