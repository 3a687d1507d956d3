"""What a suspected benchmark may be, and the messages that bad ones get."""

import re
from pathlib import Path

import pytest

from mechaware.errors import UserError
from mechaware.radar.benchmark import (
    check_prefix,
    corpus_texts,
    read_benchmark,
    read_prefix,
)
from mechaware.radar.prompts import QuestionAnswer

HEADER = "id,question,answer,seen\n"
TRUTH = "".join(f"{name},What is {name}?,It is {name}.,{name < 'd'}\n" for name in "abcdef").lower()


def written(folder: Path, text: str | bytes, name: str = "items.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_question_and_answer_are_joined_by_a_space_where_there_is_none(tmp_path: Path) -> None:
    rows = 'a,Who?,Ann.\nb,"Q: Who?\nA: ",Ben.\nc,, A statement\nd,A question?,\n'
    benchmark = read_benchmark(written(tmp_path, "id,question,answer\n" + rows))
    assert benchmark.lines == [
        QuestionAnswer("Who?", " Ann."),
        QuestionAnswer("Q: Who?\nA: ", "Ben."),
        QuestionAnswer("", " A statement"),
        QuestionAnswer("A question?", ""),
    ]
    assert [item.row for item in benchmark.items] == [2, 3, 5, 6]  # as an editor counts: b has two lines
    assert not benchmark.has_truth


def test_the_truth_is_read_in_any_case_and_an_empty_column_is_none(tmp_path: Path) -> None:
    benchmark = read_benchmark(written(tmp_path, HEADER + TRUTH.replace("true", "TRUE")))
    assert [item.seen for item in benchmark.items] == [True] * 3 + [False] * 3
    assert benchmark.has_truth
    assert not read_benchmark(written(tmp_path, f"{HEADER}a,Who?,Ann.,\nb,Who?,Ben.,\n")).has_truth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,question,seen\na,Who?,true\n", "row 1: no column 'answer' in 'id,question,seen'; write id,question,ans"),
        (HEADER, "no items; add rows below the header"),
        (f"{HEADER}a,Who?,Ann.,\na,Where?,There.,\n", "row 3: the same id as row 2; remove or change one of them"),
        (f"{HEADER}a,Who?,Ann.,\nb,Who?,Ann.,\n", "row 3: the same text as row 2; remove or change one of them"),
        (f"{HEADER} ,Who?,Ann.,\n", "row 2: empty id; fill it in or remove the row"),
        (f"{HEADER}a, ,,\n", "row 2: empty question and answer; fill one of them in or remove the row"),
        (f"{HEADER}a,Who?,Ann.,yes\n", "row 2: seen 'yes'; write true or false"),
        (
            f"{HEADER}a,Who?,Ann.,true\nb,Who?,Ben.,\n",
            "row 3: no seen, which other items have; fill it in, or empty the whole column",
        ),
        (
            HEADER + TRUTH.replace("false", "true"),
            "0 of 6 items have seen false; detectors are compared on 3 or more of either: add items, or empty",
        ),
        (HEADER + TRUTH.replace("true", "false", 1), "2 of 6 items have seen true; detectors are compared on 3 or"),
        (f"{HEADER}a,Who,Ann,true,x\n", "row 2: more fields than columns; put a field with a comma in quotes"),
        (f"{HEADER}a,Où?,Ici.,\n".encode("latin-1"), "row 2: not UTF-8 (byte 0xF9); save the file as UTF-8"),
    ],
)
def test_a_bad_benchmark_is_refused_in_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_benchmark(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_prefix_that_holds_an_item_is_refused(tmp_path: Path) -> None:
    benchmark = read_benchmark(written(tmp_path, HEADER + TRUTH))
    check_prefix(benchmark, read_prefix(written(tmp_path, "text\nWhat is x? It is x.\n", "unseen.csv")))
    held = read_prefix(written(tmp_path, "text\nWhat is x?\nwhat is B?  it is b.\n", "unseen.csv"))
    with pytest.raises(UserError, match=r"items.csv, row 3: also a text of .*unseen.csv; take it out of one of them"):
        check_prefix(benchmark, held)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "row 1: no column 'text' in ''; write text, separated by commas"),
        ("text\n", "no texts; add rows below the header"),
        ("text,source\n ,web\n", "row 2: empty text; fill it in or remove the row"),
    ],
)
def test_a_bad_prefix_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        read_prefix(written(tmp_path, text))


def test_a_corpus_is_one_text_a_line(tmp_path: Path) -> None:
    assert list(corpus_texts(written(tmp_path, "\ufeffOne, two.\n\n Three. \r\n"))) == ["One, two.", "Three."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "corpus.txt: no text; write one text a line"),
        (b"\n \n", "corpus.txt: no text; write one text a line"),
        (b"One.\nO\xf9?\n", "corpus.txt, line 2: not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_bad_corpus_is_refused(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        list(corpus_texts(written(tmp_path, text, "corpus.txt")))
