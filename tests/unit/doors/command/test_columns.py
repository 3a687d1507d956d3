"""A copy of a user's table has our names of the columns; all else is as in the table."""

import json
from pathlib import Path

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.doors.command.columns import rename_columns

COLUMNS = {"question": "frage", "answer": "antwort"}


def test_a_csv_keeps_all_but_its_header_to_the_byte(tmp_path: Path) -> None:
    body = '1,"Is ""x"" a\nletter?",NA\n2,Wie?,007\n'
    (tmp_path / "items.csv").write_text(f"nr,frage,antwort\n{body}", encoding="utf-8-sig")
    copy = rename_columns(tmp_path / "items.csv", COLUMNS | {"id": "nr"}, tmp_path / "renamed")

    assert copy == tmp_path / "renamed/items.csv"
    assert copy.read_text() == f"id,question,answer\n{body}"


def test_a_table_with_semicolons_keeps_them(tmp_path: Path) -> None:
    body = '1;"Is ""x""; a\nletter?";1,5 km\n'
    (tmp_path / "items.csv").write_text(f"nr;frage;antwort\n{body}", encoding="utf-8-sig")
    copy = rename_columns(tmp_path / "items.csv", COLUMNS, tmp_path / "renamed")

    assert copy.read_text() == f"nr;question;answer\n{body}"


def test_json_lines_keep_their_lines_and_an_older_answer_becomes_answer_before(
    tmp_path: Path,
) -> None:
    lines = [
        '{"id": 1, "frage": "Wie?", "antwort": "So", "answer": "A"}',
        "no row",
        '{"id": 2, "frage": "Wo?", "antwort": "Dort", "answer": "B"}',
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(lines))
    copy = rename_columns(tmp_path / "items.jsonl", COLUMNS, tmp_path / "renamed")
    first, second, third = copy.read_text().splitlines()

    assert json.loads(first) == {
        "id": 1,
        "question": "Wie?",
        "answer": "So",
        "answer_before": "A",
    }
    assert second == "no row"
    assert json.loads(third)["answer"] == "Dort"


def test_a_parquet_file_has_other_names_and_the_same_cells(tmp_path: Path) -> None:
    table = pd.DataFrame({"id": [1, 2], "frage": ["Wie?", "Wo?"], "antwort": ["So", None]})
    table.to_parquet(tmp_path / "items.parquet")
    copy = rename_columns(tmp_path / "items.parquet", COLUMNS, tmp_path / "renamed")

    expected = pd.DataFrame({"id": [1, 2], "question": ["Wie?", "Wo?"], "answer": ["So", None]})
    pd.testing.assert_frame_equal(pd.read_parquet(copy), expected)


def test_a_column_that_is_given_two_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,q,other\n1,Who?,x\n")
    with pytest.raises(UserError) as caught:
        rename_columns(path, {"id": "id", "question": "q", "answer": "q"}, tmp_path / "renamed")
    assert str(caught.value) == (
        f"{path}: column 'q' is given for --question and for --answer; give another for one of them"
    )
    assert not list(tmp_path.glob("renamed/*"))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.csv",
            "id,frage,b\n1,2,3\n",
            "a.csv: no column 'antwort'; it has id, frage, b; name one of them",
        ),
        (
            "a.csv",
            b"id,frage,antwort\n1,Wie?,sch\xf6n\n",
            "a.csv, row 2: not UTF-8 (byte 0xF6); "
            "save it as UTF-8, which spreadsheets call CSV UTF-8",
        ),
        (
            "a.csv",
            # Semicolons, CRLF, and cp1252, whose euro sign is the byte 0x80.
            "id;frage;antwort;Preis\r\n1;Wie?;so;2\r\n2;Wo?;da;3 €\r\n".encode("cp1252"),
            "a.csv, row 3: not UTF-8 (byte 0x80); "
            "save it as UTF-8, which spreadsheets call CSV UTF-8",
        ),
        ("a.xlsx", "x", "a.xlsx: .xlsx is not read; save it as .csv, .jsonl or .parquet"),
        (
            "log.jsonl",
            '{"doc_id": 0, "doc": {}, "target": "a", "arguments": [["q", "a"]], '
            '"resps": [[[0, true]]]}\n',
            "log.jsonl: an evaluation log, whose fields have no other names; leave --answer out",
        ),
    ],
    ids=["lacks a column", "Latin 1", "a German spreadsheet", "a workbook", "an evaluation log"],
)
def test_a_file_whose_columns_cannot_be_renamed_is_refused_without_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UserError) as caught:
        rename_columns(Path(name), COLUMNS, tmp_path / "renamed")
    assert str(caught.value) == message
    assert not list(tmp_path.glob("renamed/*"))


def test_half_of_a_surrogate_pair_in_json_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"frage": "\\ud83d", "antwort": "b"}\n')
    with pytest.raises(UserError, match=r"items\.jsonl: not read as text .*surrogates"):
        rename_columns(path, COLUMNS, tmp_path / "renamed")
