"""Cells of a user's file as text, its rows, and lists of faults."""

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
        (2.0, "2"),  # pandas stores an integer so where a cell of its column is empty
        (2.5, "2.5"),
        (7, "7"),
        (np.float64(3.0), "3"),
        *((missing, "") for missing in (None, float("nan"), pd.NA, pd.NaT)),
        *((word, word) for word in ("None", "nan", "NA", "<NA>")),  # a word that somebody wrote
    ],
)
def test_a_cell_is_the_text_that_was_written(cell: object, text: str) -> None:
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
    lines = list_faults([f"fault {number}" for number in range(1, n_faults + 1)]).splitlines()
    assert lines[:20] == [f"fault {number}" for number in range(1, min(n_faults, 20) + 1)]
    assert lines[-1] == last
    assert len(lines) == min(n_faults, 21)


def test_a_column_that_no_row_has_is_refused_even_where_faults_of_rows_are_collected(
    tmp_path: Path,
) -> None:
    path = tmp_path / "items.jsonl"
    faults: list[str] = []
    path.write_text('{"id": "1"}\n{"id": "2"}\n')
    with pytest.raises(UserError, match="row 1: no 'text'; a row has id, text"):
        read_rows(path, ["id", "text"], "items", faults)
    assert faults == []

    # A column that some row has is a fault of the others, which are left out.
    path.write_text('{"id": "1"}\n{"id": "2", "text": "a"}\n')
    assert read_rows(path, ["id", "text"], "items", faults) == [(2, {"id": "2", "text": "a"})]
    assert faults == [f"{path}, row 1: no 'text'; a row has id, text"]


def test_rows_behind_an_empty_line_have_the_numbers_that_an_editor_shows(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    # By line: header, a row of two lines, an empty line, a row, a row of blank cells, a row with a cell less.
    path.write_text('id,text\na,"first\nsecond"\n\nb,third\n ,\nc\n')
    assert read_rows(path, ["id", "text"], "items") == [
        (2, {"id": "a", "text": "first\nsecond"}),
        (5, {"id": "b", "text": "third"}),
        (7, {"id": "c", "text": None}),
    ]


def test_columns_may_have_semicolons_or_tabs_between_them(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text('id;text\n1;"Ann; or\nBo?"\n\n2;1,5 km\n', encoding="utf-8-sig")
    rows = [(2, {"id": "1", "text": "Ann; or\nBo?"}), (5, {"id": "2", "text": "1,5 km"})]
    assert read_rows(path, ["id", "text"], "items") == rows

    path.write_text("id\ttext\n3\ta, b; c\n")
    assert read_rows(path, ["id", "text"], "items") == [(2, {"id": "3", "text": "a, b; c"})]


@pytest.mark.parametrize(("delimiter", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab")])
def test_a_field_that_needs_quotes_is_refused_by_what_is_in_it(
    tmp_path: Path, delimiter: str, name: str
) -> None:
    path = tmp_path / "items.csv"
    path.write_text(delimiter.join(["id", "text"]) + "\n" + delimiter.join(["1", "a", "b"]))
    remedy = f"row 2: more fields than columns; put a field with a {name} in quotes"
    with pytest.raises(UserError, match=remedy):
        read_rows(path, ["id", "text"], "items")
