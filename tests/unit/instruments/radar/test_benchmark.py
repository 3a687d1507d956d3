"""What a suspected benchmark may be, and the messages that bad ones get."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import (
    check_prefix,
    corpus_texts,
    read_benchmark,
    read_prefix,
)
from mechaware.instruments.radar.question_answer import QuestionAnswer

CASES = yaml.safe_load((Path(__file__).parent / "benchmark.yaml").read_text())
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
    # As an editor counts: b has two lines.
    assert [item.row for item in benchmark.items] == [
        2,
        3,
        5,
        6,
    ]
    assert not benchmark.has_truth


def test_the_truth_is_read_in_any_case_and_an_empty_column_is_none(tmp_path: Path) -> None:
    benchmark = read_benchmark(written(tmp_path, HEADER + TRUTH.replace("true", "TRUE")))
    assert [item.seen for item in benchmark.items] == [True] * 3 + [False] * 3
    assert benchmark.has_truth
    assert not read_benchmark(written(tmp_path, f"{HEADER}a,Who?,Ann.,\nb,Who?,Ben.,\n")).has_truth


@pytest.mark.parametrize(("question", "answer", "text"), CASES["joined"])
def test_the_last_letter_of_the_question_decides_on_the_space(
    tmp_path: Path, question: str, answer: str, text: str
) -> None:
    (line,) = read_benchmark(
        written(tmp_path, f"id,question,answer\na,{question},{answer}\n")
    ).lines
    assert line == QuestionAnswer(question, text.removeprefix(question))


LETTERED = QuestionAnswer("Capital of Peru?\nA. 1\nB. Lima\nC. 0\nAnswer:", " B")
CHOSEN = {
    "a choice": ("Lima", "1|Lima|0", "B"),
    "a letter": ("B", "1| Lima |0", "B"),
    "a number from 0": ("2", "1|Lima|0", "C"),
    "a text that is also the number of another": ("1", "1|Lima|0", "A"),
    "a JSON list": ("Lima", '"[""1"", ""Lima"", ""0""]"', "B"),
    "no answer": ("", "1|Lima|0", ""),
}


@pytest.mark.parametrize(("answer", "choices", "letter"), CHOSEN.values(), ids=CHOSEN)
def test_choices_are_put_into_the_text_with_letters(
    tmp_path: Path, answer: str, choices: str, letter: str
) -> None:
    header = "id,question,answer,choices\n"
    benchmark = read_benchmark(
        written(tmp_path, f"{header}a,Capital of Peru?,{answer},{choices}\nb,Who?,Ann,\n")
    )
    given = f" {letter}" if letter else ""
    assert benchmark.lines == [LETTERED._replace(answer=given), QuestionAnswer("Who?", " Ann")]


LISTED = ["4", "Lima", "1"]
ARC = {"text": LISTED, "label": ["1", "2", "3"]}
CHOICES = CASES["choices"]
HALVED = {"answer": "x", "choices": ["x", "\ud83d"]}
HALVED["expected"] = "choice has '\\ud83d', half of a character; write the whole character"


@pytest.mark.parametrize("row", [*CHOICES.values(), HALVED], ids=[*CHOICES, "half a character"])
def test_choices_of_json_lines_give_a_letter_or_a_fault(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    expected = row["expected"]
    rows = [{"id": "a", "question": "Q?"} | row, {"id": "b", "question": "", "answer": "x"}]
    path = written(tmp_path, "\n\n".join(map(json.dumps, rows)), "items.JSONL")
    benchmark = read_benchmark(path, skip_faulty=True)
    assert benchmark.items[-1].row == 3  # an empty line is passed over
    if len(expected) == 1:
        assert benchmark.lines[0].answer == f" {expected}"
    else:
        (fault,) = benchmark.skipped
        assert fault.startswith(f"{path}, row 1: ")
        assert fault.endswith(expected)
        with pytest.raises(UserError, match=re.escape(fault)):
            read_benchmark(path)


def test_parquet_keeps_integers_beside_empty_cells_and_reads_structs(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "id": pd.array(["a", "b", "c"], dtype="string"),
            "question": ["When?", "Where?", "Who?"],
            "answer": pd.array([1737, 2, None], dtype="Int64"),
            "choices": [None, ARC, None],
            "seen": pd.array([None, None, None], dtype="boolean"),
        }
    )
    texts = ["When? 1737", "Where?\nA. 4\nB. Lima\nC. 1\nAnswer: B", "Who?"]
    for answers in (table["answer"], table["answer"].astype(float)):
        table.assign(answer=answers).to_parquet(tmp_path / "items.parquet")
        assert [line.text for line in read_benchmark(tmp_path / "items.parquet").lines] == texts


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_items_of_json_lines_and_parquet_are_those_of_a_csv(tmp_path: Path, ending: str) -> None:
    rows = [
        {
            "id": 1,
            "question": "Capital of Peru?",
            "answer": 1,
            "seen": True,
            "choices": ["1", "Lima", "0"],
        },
        *(
            {"id": n, "question": f"Who is {n}?", "answer": "Ann", "seen": n < 4, "choices": None}
            for n in range(2, 7)
        ),
    ]
    path = tmp_path / f"items.{ending}"
    if ending == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    else:
        table = pd.DataFrame(rows)
        table["answer"] = ["Lima", *table["answer"][1:]]  # a column has one type
        table.to_parquet(path)
    benchmark = read_benchmark(path)
    assert benchmark.lines[:2] == [LETTERED, QuestionAnswer("Who is 2?", " Ann")]
    assert [item.id for item in benchmark.items] == list("123456")
    assert [item.seen for item in benchmark.items] == [True] * 3 + [False] * 3
    assert [item.row for item in benchmark.items] == [1, 2, 3, 4, 5, 6]
    texts = tmp_path / f"known.{ending}"
    texts.write_text('{"text": " One. "}\n') if ending == "jsonl" else pd.DataFrame(
        {"text": [" One. "]}
    ).to_parquet(texts)
    assert read_prefix(texts).lines == (QuestionAnswer("", "One."),)


def test_items_of_a_table_without_ids_are_called_by_the_numbers_of_their_rows(
    tmp_path: Path,
) -> None:
    """As an editor counts the lines of a text, of which a header is the first; of Parquet from 1."""
    table = written(tmp_path, 'question,answer\n"Who\nwas it?",Ann\n\nWhere?,Here\n')
    assert [item.id for item in read_benchmark(table).items] == ["2", "5"]
    assert read_benchmark(table).numbered

    lines = '{"question": "Who?", "answer": "Ann"}\n{"question": "Where?", "answer": "Here"}\n'
    of_lines = read_benchmark(written(tmp_path, lines, "items.jsonl"))
    assert [item.id for item in of_lines.items] == ["1", "2"]
    pd.DataFrame({"question": ["Who?", "Where?"], "answer": ["Ann", "Here"]}).to_parquet(
        tmp_path / "items.parquet"
    )
    assert [item.id for item in read_benchmark(tmp_path / "items.parquet").items] == ["1", "2"]

    some = written(
        tmp_path, f'{{"id": "a", "question": "Why?", "answer": "So"}}\n{lines}', "some.jsonl"
    )
    with pytest.raises(UserError, match=r"some\.jsonl, row 2: empty id; fill it in"):
        read_benchmark(some)
    has_ids = read_benchmark(written(tmp_path, HEADER + TRUTH))
    assert not has_ids.numbered


def test_all_faults_of_a_file_are_listed_or_skipped(tmp_path: Path) -> None:
    good = "g,Who?,Ann.,\nh,Where?,There.,\n"
    bad = (
        f"{HEADER}{good},Who?,Ann.,\nb,,,\nc,a,b,yes\nd,a,b,,more\ng,Why?,So.,\nh2,Where?,There.,\n"
    )
    path = written(tmp_path, bad)
    with pytest.raises(UserError) as refused:
        read_benchmark(path)
    faults = str(refused.value).splitlines()
    assert sorted(
        int(fault.removeprefix(f"{path}, row ").partition(":")[0]) for fault in faults
    ) == [4, 5, 6, 7, 8, 9]
    benchmark = read_benchmark(path, skip_faulty=True)
    assert [item.id for item in benchmark.items] == ["g", "h"]
    assert list(benchmark.skipped) == faults
    many = written(tmp_path, HEADER + "".join(f"i{number},,,\n" for number in range(23)))
    with pytest.raises(UserError) as refused:
        read_benchmark(many)
    assert str(refused.value).splitlines()[19:] == [
        f"{many}, row 21: empty question and answer; fill one of them in or remove the row",
        "and 3 more",
    ]


def test_faulty_lines_of_json_are_listed_with_the_other_faults(tmp_path: Path) -> None:
    faulty = [
        '{"id": 1',
        "[]",
        '{"id": 1, "question": "a"}',
        '{"id": "", "question": "a", "answer": "b"}',
    ]
    path = written(tmp_path, "\n".join(faulty), "items.jsonl")
    for skip_faulty in (False, True):  # there is nothing else in the file
        with pytest.raises(UserError) as refused:
            read_benchmark(path, skip_faulty=skip_faulty)
        assert [fault.removeprefix(f"{path}, ") for fault in str(refused.value).splitlines()] == [
            "row 1: not JSON (Expecting ',' delimiter: line 1 column 9 (char 8)); correct the line",
            "row 2: not a JSON object; write one row as {...} on each line",
            "row 3: no 'answer'; a row has question, answer",
            "row 4: empty id; fill it in or remove the row",
        ]


@pytest.mark.parametrize("ending", ["json", "tsv", "xlsx"])
def test_files_of_other_formats_are_refused(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path, "id,question,answer\na,Who?,Ann\n", f"items.{ending}")
    remedy = (
        f": .{ending} is not read; save it as .csv, or as .jsonl with a JSON object on each line"
    )
    with pytest.raises(UserError, match=re.escape(f"{path}{remedy}")):
        read_benchmark(path)


NO_UTF_8 = {
    "text": f"{HEADER}a,Où?,Ici.,\n".encode("latin-1"),
    "says": "row 2: not UTF-8 (byte 0xF9); save the file as UTF-8",
}


@pytest.mark.parametrize("case", [*CASES["benchmarks"], NO_UTF_8], ids=lambda case: case["says"])
def test_a_bad_benchmark_is_refused_in_one_line(tmp_path: Path, case: dict[str, Any]) -> None:
    path = written(tmp_path, case["text"])
    with pytest.raises(UserError) as caught:
        read_benchmark(path)
    assert str(caught.value).startswith(str(path))
    assert case["says"] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_prefix_that_holds_an_item_is_refused(tmp_path: Path) -> None:
    benchmark = read_benchmark(written(tmp_path, HEADER + TRUTH))
    check_prefix(
        benchmark, read_prefix(written(tmp_path, "text\nWhat is x? It is x.\n", "unseen.csv"))
    )
    held = read_prefix(written(tmp_path, "text\nWhat is x?\nwhat is B?  it is b.\n", "unseen.csv"))
    with pytest.raises(
        UserError,
        match=r"items.csv, row 3: also a text of .*unseen.csv; remove it from one of them",
    ):
        check_prefix(benchmark, held)


@pytest.mark.parametrize("case", CASES["prefixes"], ids=lambda case: case["says"])
def test_a_bad_prefix_is_refused(tmp_path: Path, case: dict[str, str]) -> None:
    with pytest.raises(UserError, match=re.escape(case["says"])):
        read_prefix(written(tmp_path, case["text"]))


def test_a_corpus_is_one_text_a_line(tmp_path: Path) -> None:
    assert list(corpus_texts(written(tmp_path, "\ufeffOne, two.\n\n Three. \r\n"))) == [
        "One, two.",
        "Three.",
    ]


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
