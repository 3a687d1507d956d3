"""The decision on each item, and the benchmark without the likeliest seen, which can be read again."""

from pathlib import Path

import pytest

from mechaware.core.frames import write_csv
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.verdicts.decision import ItemTest
from mechaware.instruments.radar.verdicts.next_steps import (
    clean_items,
    item_decisions,
    likeliest_seen,
)
from mechaware.instruments.radar.verdicts.share import SeenShare
from tests.unit.core.evaluation_logs import lm_eval, options, write_lines

ITEMS = [
    ItemTest("b", "Ben", 3.0, 0.02, 0.05),
    ItemTest("a", "Ann", 2.0, 0.04, 0.06),
    ItemTest("c", "Cy", -1.0, 0.7, 0.7),
]


@pytest.mark.parametrize(("high", "ids"), [(0.0, []), (0.34, ["b", "a"]), (2 / 3, ["b", "a"])])
def test_as_many_of_the_likeliest_are_left_out_as_the_upper_end_of_the_share(
    high: float, ids: list[str]
) -> None:
    """Of three items, a third and a bit are two."""
    assert likeliest_seen(ITEMS, SeenShare(0.0, 0.0, high, 0.95, 0.5)) == ids


def test_rounding_leaves_out_no_item_more() -> None:
    """7% of 100 items are 7, although 0.07 * 100 is 7.000000000000001."""
    items = [ItemTest(f"i{number}", "Ann", 1.0, 0.5, 0.5) for number in range(100)]
    assert len(likeliest_seen(items, SeenShare(0.0, 0.0, 0.07, 0.95, 0.5))) == 7


def test_an_item_is_decided_by_its_adjusted_p_unless_the_verdict_is_confounded() -> None:
    table = item_decisions(ITEMS, "seen", 0.05)
    assert table["id"].tolist() == ["b", "a", "c"]
    assert table["decision"].tolist() == ["seen", "not shown", "not shown"]
    assert table.loc[0].tolist() == ["b", 3.0, 0.02, 0.05, "seen"]
    confounded = item_decisions(ITEMS, "confounded", 0.05)
    assert confounded["decision"].tolist() == ["cannot tell"] * 3
    assert list(item_decisions([], "no verdict", 0.05)) == list(table)


def test_the_clean_items_are_read_again_with_the_same_texts(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text(
        "id,question,answer,seen,choices\n"
        "a,Who?,Ben,true,Ann|Ben\n"
        'b,"Where,\nand when?",Here,false,\n'
        'c,,"A ""text"", alone",false,\n'
        "d,Who else?,NA,true,\ne,Why?,So,true,\nf,How?,Well,false,\n"
    )
    benchmark = read_benchmark(path)
    table = clean_items(benchmark, {"a", "b", "c", "d", "e"}, ["e"])
    write_csv(table, tmp_path / "clean.csv")
    again = read_benchmark(tmp_path / "clean.csv")
    kept = [item for item in benchmark.items if item.id in "abcd"]
    assert list(table) == ["id", "question", "answer"]
    assert table["question"][0] == "Who?\nA. Ann\nB. Ben\nAnswer:"
    assert [(item.id, item.line) for item in again.items] == [(item.id, item.line) for item in kept]


def test_clean_items_of_a_log_keep_the_marks_of_their_answers(tmp_path: Path) -> None:
    lines = [
        lm_eval(row, {"question": f"Is it {row}?"}, 0, options(f"Is it {row}?", " yes", " no"), right=right)
        for row, right in enumerate([1.0, 0.0, 1.0])
    ]  # fmt: skip
    benchmark = read_benchmark(write_lines(tmp_path / "samples_mine.jsonl", *lines))
    table = clean_items(benchmark, {"0", "1", "2"}, ["0"])
    assert table.to_dict("list") == {
        "id": ["1", "2"],
        "question": ["Is it 1?", "Is it 2?"],
        "answer": [" yes", " yes"],
        "correct": [0.0, 1.0],
    }
    write_csv(table, tmp_path / "clean.csv")
    assert [item.correct for item in read_benchmark(tmp_path / "clean.csv").items] == [0.0, 1.0]


def test_where_nothing_is_left_out_there_is_no_clean_benchmark(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,question,answer,correct\na,Who?,Ann,B\nb,Why?,So,true\n")
    benchmark = read_benchmark(path)
    # A column of right answers is no column of marks.
    assert [item.correct for item in benchmark.items] == [None, 1.0]
    table = clean_items(benchmark, {"a", "b"}, [])
    assert (list(table), len(table)) == (["id", "question", "answer"], 0)
