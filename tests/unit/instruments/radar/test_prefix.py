"""Texts before every item: which files are read, and which prefixes are refused."""

import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.prefix import check_prefix, read_prefix
from mechaware.instruments.radar.question_answer import QuestionAnswer
from tests.unit.instruments.radar.benchmark_files import write_file, write_rows

ITEMS = "id,question,answer\na,what is a?,it is a.\nb,what is b?,it is b.\n"


def test_a_prefix_without_an_item_is_accepted(tmp_path: Path) -> None:
    benchmark = read_benchmark(write_file(tmp_path, ITEMS))
    prefix = read_prefix(write_file(tmp_path, "text\nWhat is x? It is x.\n", "unseen.csv"))

    check_prefix(benchmark, prefix)


def test_a_prefix_that_holds_an_item_is_refused(tmp_path: Path) -> None:
    benchmark = read_benchmark(write_file(tmp_path, ITEMS))
    # The second text is the item b in row 3, except for capitals and spaces.
    texts = "text\nWhat is x?\nwhat is B?  it is b.\n"
    prefix = read_prefix(write_file(tmp_path, texts, "unseen.csv"))

    message = r"items.csv, row 3: also a text of .*unseen.csv; remove it from one of them"
    with pytest.raises(UserError, match=message):
        check_prefix(benchmark, prefix)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_prefix_may_be_json_lines_or_parquet(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"known.{ending}"
    write_rows(path, [{"text": " One. "}])

    assert read_prefix(path).lines == (QuestionAnswer("", "One."),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            "", "row 1: no column 'text' in ''; write text, separated by commas", id="nothing"
        ),
        pytest.param("text\n", "no texts; add rows below the header", id="no texts"),
        pytest.param(
            "text,source\n ,web\n",
            "row 2: empty text; fill it in or remove the row",
            id="an empty text",
        ),
    ],
)
def test_a_bad_prefix_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = write_file(tmp_path, content)

    with pytest.raises(UserError, match=re.escape(message)):
        read_prefix(path)
