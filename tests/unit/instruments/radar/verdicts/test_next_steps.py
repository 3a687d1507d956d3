"""The decision on each item, and the clean benchmark, which can be read again."""

from pathlib import Path

import pytest

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.verdicts.conformal import ItemTest
from mechaware.instruments.radar.verdicts.next_steps import (
    clean_items,
    item_decisions,
    likeliest_seen,
)
from mechaware.instruments.radar.verdicts.share import SeenShare
from tests.unit.core.evaluation_logs import lm_eval, options, write_lines

# The likeliest seen item first.
ITEMS = [
    ItemTest(id="b", text="Ben", score=3.0, p=0.02, p_adjusted=0.05),
    ItemTest(id="a", text="Ann", score=2.0, p=0.04, p_adjusted=0.06),
    ItemTest(id="c", text="Cy", score=-1.0, p=0.7, p_adjusted=0.7),
]


def share_up_to(high: float) -> SeenShare:
    return SeenShare(value=0.0, low=0.0, high=high, level=0.95, threshold=0.5)


@pytest.mark.parametrize(("high", "left_out"), [(0.0, []), (0.34, ["b", "a"]), (2 / 3, ["b", "a"])])
def test_as_many_of_the_likeliest_are_left_out_as_the_upper_end_of_the_share_rounded_up(
    high: float, left_out: list[str]
) -> None:
    """0.34 of three items is 1.02, which is rounded up to 2."""
    assert likeliest_seen(ITEMS, share_up_to(high)) == left_out


def test_an_error_of_rounding_leaves_out_no_further_item() -> None:
    """7% of 100 items are 7, although 0.07 * 100 is 7.000000000000001 in floats."""
    item = ItemTest(id="i", text="Ann", score=1.0, p=0.5, p_adjusted=0.5)
    items = [item._replace(id=f"i{number}") for number in range(100)]
    assert len(likeliest_seen(items, share_up_to(0.07))) == 7


def test_an_item_is_seen_if_its_adjusted_p_is_at_most_the_level() -> None:
    decisions = item_decisions(ITEMS, "seen", 0.05)
    assert decisions.to_dict("records")[0] == {
        "id": "b",
        "score": 3.0,
        "p": 0.02,
        "p_adjusted": 0.05,
        "decision": "seen",
    }
    assert decisions["id"].tolist() == ["b", "a", "c"]
    assert decisions["decision"].tolist() == ["seen", "not shown", "not shown"]


def test_under_a_confounded_verdict_nothing_is_known_of_an_item() -> None:
    decisions = item_decisions(ITEMS, "confounded", 0.05)
    assert decisions["decision"].tolist() == ["cannot tell"] * 3


def test_without_items_the_table_of_decisions_has_its_columns() -> None:
    decisions = item_decisions([], "no verdict", 0.05)
    assert list(decisions) == ["id", "score", "p", "p_adjusted", "decision"]
    assert len(decisions) == 0


def test_the_clean_items_are_read_again_with_the_same_texts(tmp_path: Path) -> None:
    """The item e is left out, and f was not measured."""
    path = tmp_path / "items.csv"
    path.write_text(
        "id,question,answer,seen,choices\n"
        "a,Who?,Ben,true,Ann|Ben\n"
        'b,"Where,\nand when?",Here,false,\n'
        'c,,"A ""text"", alone",false,\n'
        "d,Who else?,NA,true,\n"
        "e,Why?,So,true,\n"
        "f,How?,Well,false,\n"
    )
    benchmark = read_benchmark(path)
    table = clean_items(benchmark, measured={"a", "b", "c", "d", "e"}, left_out=["e"])
    assert list(table) == ["id", "question", "answer"]
    assert table["question"][0] == "Who?\nA. Ann\nB. Ben\nAnswer:"

    write_csv(table, tmp_path / "clean.csv")
    clean = read_benchmark(tmp_path / "clean.csv")
    assert [item.id for item in clean.items] == ["a", "b", "c", "d"]
    assert clean.lines == benchmark.lines[:4]


def test_clean_items_of_a_log_keep_the_marks_of_their_answers(tmp_path: Path) -> None:
    samples = []
    for row, right in enumerate([1.0, 0.0, 1.0]):
        question = f"Is it {row}?"
        requests = options(question, " yes", " no")
        samples.append(lm_eval(row, {"question": question}, 0, requests, right=right))
    benchmark = read_benchmark(write_lines(tmp_path / "samples_mine.jsonl", *samples))
    table = clean_items(benchmark, measured={"0", "1", "2"}, left_out=["0"])
    assert table.to_dict("list") == {
        "id": ["1", "2"],
        "question": ["Is it 1?", "Is it 2?"],
        "answer": [" yes", " yes"],
        "correct": [0.0, 1.0],
    }
    write_csv(table, tmp_path / "clean.csv")
    clean = read_benchmark(tmp_path / "clean.csv")
    assert [item.correct for item in clean.items] == [0.0, 1.0]


def test_where_nothing_is_left_out_there_is_no_clean_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    # The first cell of correct is an answer and no mark: it is passed over.
    path.write_text("id,question,answer,correct\na,Who?,Ann,B\nb,Why?,So,true\n")
    benchmark = read_benchmark(path)
    assert [item.correct for item in benchmark.items] == [None, 1.0]
    table = clean_items(benchmark, measured={"a", "b"}, left_out=[])
    assert list(table) == ["id", "question", "answer"]
    assert len(table) == 0
