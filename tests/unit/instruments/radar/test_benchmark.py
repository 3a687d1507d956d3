"""Which tables are read as a suspected benchmark, and the messages that faulty tables get."""

import re
from pathlib import Path

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.question_answer import QuestionAnswer
from tests.unit.instruments.radar.benchmark_files import HEADER, write_file

# Three items that the model has seen, and three that it has not.
WITH_TRUTH = f"""{HEADER}\
a,what is a?,it is a.,true
b,what is b?,it is b.,true
c,what is c?,it is c.,true
d,what is d?,it is d.,false
e,what is e?,it is e.,false
f,what is f?,it is f.,false
"""


def test_question_and_answer_are_joined_by_a_space_where_there_is_none(tmp_path: Path) -> None:
    path = write_file(
        tmp_path,
        'id,question,answer\na,Who?,Ann.\nb,"Q: Who?\nA: ",Ben.\nc,, A statement\nd,A question?,\n',
    )

    benchmark = read_benchmark(path)

    assert benchmark.lines == [
        QuestionAnswer("Who?", " Ann."),
        QuestionAnswer("Q: Who?\nA: ", "Ben."),
        QuestionAnswer("", " A statement"),
        QuestionAnswer("A question?", ""),
    ]
    # Rows are numbered as an editor numbers lines: item b has two.
    assert [item.row for item in benchmark.items] == [2, 3, 5, 6]
    assert not benchmark.has_truth


@pytest.mark.parametrize(
    ("question", "answer", "joined"),
    [
        pytest.param("法国的首都是", "巴黎", "法国的首都是巴黎", id="Chinese"),
        pytest.param("法国的首都是", "Paris", "法国的首都是Paris", id="Latin after Chinese"),
        pytest.param(
            "What is dog in Chinese?", "狗", "What is dog in Chinese? 狗", id="Chinese after Latin"
        ),
        pytest.param("東京タワー", "はい", "東京タワーはい", id="Japanese"),
        pytest.param("เมืองหลวงของไทยคือ", "กรุงเทพ", "เมืองหลวงของไทยคือกรุงเทพ", id="Thai"),
        pytest.param(
            "한국의 수도는?", "서울", "한국의 수도는? 서울", id="Korean, which has spaces"
        ),
        pytest.param("2 + 2 =", "四", "2 + 2 =四", id="Chinese after a sign"),
        pytest.param("2 + 2 =", "4", "2 + 2 = 4", id="a digit after a sign"),
    ],
)
def test_scripts_without_spaces_are_joined_without_one(
    tmp_path: Path, question: str, answer: str, joined: str
) -> None:
    path = write_file(tmp_path, f"id,question,answer\na,{question},{answer}\n")

    (line,) = read_benchmark(path).lines

    assert line.question == question
    assert line.text == joined


def test_the_truth_is_read_in_any_case(tmp_path: Path) -> None:
    content = f"{HEADER}a,,A.,TRUE\nb,,B.,True\nc,,C.,true\nd,,D.,FALSE\ne,,E.,False\nf,,F.,false\n"

    benchmark = read_benchmark(write_file(tmp_path, content))

    assert [item.seen for item in benchmark.items] == [True, True, True, False, False, False]
    assert benchmark.has_truth


def test_the_truth_is_unknown_if_its_column_is_empty(tmp_path: Path) -> None:
    path = write_file(tmp_path, f"{HEADER}a,Who?,Ann.,\nb,Who?,Ben.,\n")

    assert not read_benchmark(path).has_truth


# Items without ids

WITHOUT_IDS = '{"question": "Who?", "answer": "Ann"}\n{"question": "Where?", "answer": "Here"}\n'


def test_items_of_a_csv_without_ids_have_the_number_of_their_line_in_an_editor(
    tmp_path: Path,
) -> None:
    path = write_file(tmp_path, 'question,answer\n"Who\nwas it?",Ann\n\nWhere?,Here\n')

    benchmark = read_benchmark(path)

    assert [item.id for item in benchmark.items] == ["2", "5"]
    assert benchmark.numbered


def test_items_of_json_lines_without_ids_have_the_number_of_their_line(tmp_path: Path) -> None:
    benchmark = read_benchmark(write_file(tmp_path, WITHOUT_IDS, "items.jsonl"))

    assert [item.id for item in benchmark.items] == ["1", "2"]


def test_items_of_parquet_without_ids_have_the_number_of_their_row(tmp_path: Path) -> None:
    path = tmp_path / "items.parquet"
    pd.DataFrame({"question": ["Who?", "Where?"], "answer": ["Ann", "Here"]}).to_parquet(path)

    benchmark = read_benchmark(path)

    assert [item.id for item in benchmark.items] == ["1", "2"]


def test_items_with_ids_are_not_numbered(tmp_path: Path) -> None:
    assert not read_benchmark(write_file(tmp_path, WITH_TRUTH)).numbered


def test_if_one_item_has_an_id_all_need_one(tmp_path: Path) -> None:
    with_id = '{"id": "a", "question": "Why?", "answer": "So"}\n'
    path = write_file(tmp_path, with_id + WITHOUT_IDS, "items.jsonl")

    with pytest.raises(UserError, match=r"items\.jsonl, row 2: empty id; fill it in"):
        read_benchmark(path)


# Faults


def test_all_faults_of_a_file_are_listed_or_skipped(tmp_path: Path) -> None:
    path = write_file(
        tmp_path,
        f"{HEADER}"
        "g,Who?,Ann.,\n"
        "h,Where?,There.,\n"
        ",Who?,Ann.,\n"  # row 4: no id
        "b,,,\n"  # row 5: no text
        "c,a,b,yes\n"  # row 6: a truth that is neither true nor false
        "d,a,b,,more\n"  # row 7: a field too many
        "g,Why?,So.,\n"  # row 8: the id of row 2
        "h2,Where?,There.,\n",  # row 9: the text of row 3
    )

    with pytest.raises(UserError) as refused:
        read_benchmark(path)
    faults = str(refused.value).splitlines()
    # A fault reads "FOLDER/items.csv, row 4: ...". Faults of reading, as in row 7, come first.
    rows = [int(fault.removeprefix(f"{path}, row ").partition(":")[0]) for fault in faults]
    assert rows == [7, 4, 5, 6, 8, 9]

    benchmark = read_benchmark(path, skip_faulty=True)
    assert [item.id for item in benchmark.items] == ["g", "h"]
    assert list(benchmark.skipped) == faults


def test_of_many_faults_twenty_are_listed(tmp_path: Path) -> None:
    rows = [f"i{number},,,\n" for number in range(23)]
    path = write_file(tmp_path, HEADER + "".join(rows))

    with pytest.raises(UserError) as refused:
        read_benchmark(path)

    # The twentieth fault is in row 21, because row 1 is the header.
    assert str(refused.value).splitlines()[19:] == [
        f"{path}, row 21: empty question and answer; fill one of them in or remove the row",
        "and 3 more",
    ]


@pytest.mark.parametrize("skip_faulty", [False, True])
def test_faulty_lines_of_json_are_listed_with_the_other_faults(
    tmp_path: Path, skip_faulty: bool
) -> None:
    """Faults are listed even where they may be skipped, because the file has no other rows."""
    lines = [
        '{"id": 1',
        "[]",
        '{"id": 1, "question": "a"}',
        '{"id": "", "question": "a", "answer": "b"}',
    ]
    path = write_file(tmp_path, "\n".join(lines), "items.jsonl")

    with pytest.raises(UserError) as refused:
        read_benchmark(path, skip_faulty=skip_faulty)

    assert str(refused.value).splitlines() == [
        f"{path}, row 1: not JSON (Expecting ',' delimiter: line 1 column 9 (char 8)); "
        "correct the line",
        f"{path}, row 2: not a JSON object; write one row as {{...}} on each line",
        f"{path}, row 3: no 'answer'; a row has question, answer",
        f"{path}, row 4: empty id; fill it in or remove the row",
    ]


@pytest.mark.parametrize("ending", ["json", "tsv", "xlsx"])
def test_files_of_other_formats_are_refused(tmp_path: Path, ending: str) -> None:
    path = write_file(tmp_path, "id,question,answer\na,Who?,Ann\n", f"items.{ending}")
    message = (
        f"{path}: .{ending} is not read; "
        "save it as .csv, or as .jsonl with a JSON object on each line"
    )

    with pytest.raises(UserError, match=re.escape(message)):
        read_benchmark(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            "id,question,seen\na,Who?,true\n",
            "row 1: no column 'answer' in 'id,question,seen'; write question,answer",
            id="a column too few",
        ),
        pytest.param(
            "id,answer,question,answer\na,Who?,Ann.,Ben.\n",
            "row 1: two columns 'answer'; rename or remove one of them",
            id="a column twice",
        ),
        pytest.param(HEADER, "no items; add rows below the header", id="no items"),
        pytest.param(
            f"{HEADER}a,Who?,Ann.,\na,Where?,There.,\n",
            "row 3: the same id as row 2; remove or change one of them",
            id="an id twice",
        ),
        pytest.param(
            f"{HEADER}a,Who?,Ann.,\nb,Who?,Ann.,\n",
            "row 3: the same text as row 2; remove or change one of them",
            id="a text twice",
        ),
        pytest.param(
            f"{HEADER} ,Who?,Ann.,\n",
            "row 2: empty id; fill it in or remove the row",
            id="an empty id",
        ),
        pytest.param(
            f"{HEADER}a,Who?,Ann.,\n,,,\n ,Who?,Ben.,\n",
            "row 4: empty id",
            id="an empty id after an empty row",
        ),
        pytest.param(
            f"{HEADER}a, ,,\n",
            "row 2: empty question and answer; fill one of them in or remove the row",
            id="an empty text",
        ),
        pytest.param(
            f"{HEADER}a,Who,Ann,true,x\n",
            "row 2: more fields than columns; put a field with a comma in quotes",
            id="a field too many",
        ),
        pytest.param(
            f"{HEADER}a,Who?,Ann.,yes\n",
            "row 2: seen 'yes'; write true or false",
            id="a truth that is neither true nor false",
        ),
        pytest.param(
            f"{HEADER}a,Who?,Ann.,true\nb,Who?,Ben.,\n",
            "row 3: no seen, which other items have; fill it in, or empty the whole column",
            id="the truth of some items alone",
        ),
        pytest.param(
            WITH_TRUTH.replace("false", "true"),
            "0 of 6 items have seen false; detectors are compared on 3 or more of either: "
            "add items, or empty the column",
            id="seen items alone",
        ),
        pytest.param(
            WITH_TRUTH.replace("a.,true", "a.,false"),
            "2 of 6 items have seen true; detectors are compared on 3 or more of either: "
            "add items, or empty the column",
            id="too few seen items",
        ),
        pytest.param(
            f"{HEADER}a,Où?,Ici.,\n".encode("latin-1"),
            "row 2: not UTF-8 (byte 0xF9); save the file as UTF-8",
            id="another encoding",
        ),
    ],
)
def test_a_bad_benchmark_is_refused_in_one_line(
    tmp_path: Path, content: str | bytes, message: str
) -> None:
    path = write_file(tmp_path, content)

    with pytest.raises(UserError) as refused:
        read_benchmark(path)

    assert str(refused.value).startswith(str(path))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
