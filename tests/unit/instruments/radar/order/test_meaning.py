"""An order that carries meaning is refused with the name of its signal; a random order is not."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, BenchmarkItem, read_benchmark
from mechaware.instruments.radar.order.item_statistics import item_statistics
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.question_answer import QuestionAnswer

NAMES = [f"{first}{vowel}{last}" for first in "bdfgklmnprst" for vowel in "aeo" for last in "lnr"]
HEADER = "id,question,answer"


def random_rows(seed: int = 0) -> list[str]:
    """108 questions of one length about different names."""
    names = NAMES.copy()
    random.Random(seed).shuffle(names)  # noqa: S311
    return [f"i{row},Where is {name} now?,In {name[::-1]}" for row, name in enumerate(names)]


def refusal(folder: Path, rows: Sequence[str], header: str = HEADER) -> str:
    """The message with which a file of these rows is refused."""
    path = folder / "items.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    with pytest.raises(UserError) as caught:
        check_order(read_benchmark(path), ["items"])
    message = str(caught.value)
    assert message.startswith(f"{path}: the items are ordered by ")
    assert message.endswith(
        "; a model that never read the file would also prefer that order: "
        "remove items from random_order and give a control"
    )
    return message


def test_a_random_order_is_refused_in_at_most_one_of_twenty_files(tmp_path: Path) -> None:
    """Five statistics, each at 0.01, refuse at most 2 of 40 files on average.

    They refuse 7 or more files with a probability below 0.5%.
    """
    path = tmp_path / "items.csv"
    refused = 0
    for seed in range(40):
        topics = random.Random(seed).choices(["art", "law", "war"], k=len(NAMES))  # noqa: S311
        rows = [f"{row},{topic}" for row, topic in zip(random_rows(seed), topics, strict=True)]
        path.write_text("\n".join([f"{HEADER},topic", *rows]) + "\n")
        try:
            check_order(read_benchmark(path), ["items"])
        except UserError:
            refused += 1
    assert refused <= 6


def test_an_alphabetical_order_is_refused_upwards_and_downwards(tmp_path: Path) -> None:
    by_question = sorted(random_rows(), key=lambda row: row.split(",")[1])
    assert "alphabet" in refusal(tmp_path, by_question)
    assert "alphabet" in refusal(tmp_path, by_question[::-1])


def test_an_order_by_length_is_refused(tmp_path: Path) -> None:
    """Every sixth answer is longer than the one before it by the word "so"."""
    rows = [f"{row}{' so' * (number // 6)}" for number, row in enumerate(random_rows())]
    assert "ordered by length" in refusal(tmp_path, rows)


def test_an_order_by_topic_is_refused_by_the_words_of_neighbours(tmp_path: Path) -> None:
    """Blocks of nine items about one town, the blocks in no order."""
    towns = ["Rome", "Oslo", "Kiev", "Bern", "Lima", "Cork", "Bonn", "Nice", "Riga", "York"]
    rows = []
    for number, row in enumerate(random_rows()[:90]):
        rows.append(row.replace("now", towns[number // 9]))
    assert "shared words of neighbours" in refusal(tmp_path, rows)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("topic", ["law"] * 20 + ["art"] * 30 + ["war"] * 25 + ["law"] * 33),
        ("difficulty", [str(number // 10) for number in range(108)]),
        ("difficulty", ["hard"] * 40 + ["easy"] * 68),
    ],
    ids=["blocks of topics", "rising numbers", "two blocks of words"],
)
def test_an_order_by_a_column_is_refused(tmp_path: Path, column: str, cells: list[str]) -> None:
    rows = [f"{row},{cell}" for row, cell in zip(random_rows(), cells, strict=True)]
    assert f"ordered by column '{column}';" in refusal(tmp_path, rows, f"{HEADER},{column}")


def test_blocks_of_equal_answers_are_refused(tmp_path: Path) -> None:
    """Blocks of 20 items with the answer yes, then 20 with the answer no."""
    rows = []
    for number, row in enumerate(random_rows()):
        without_answer = row.rpartition(",")[0]
        answer = "yes" if number % 40 < 20 else "no"
        rows.append(f"{without_answer},{answer}")
    assert "equal answers of neighbours" in refusal(tmp_path, rows)


def test_neighbours_that_both_lack_an_answer_do_not_have_equal_answers() -> None:
    """The answers are yes, yes, none, none, none and yes."""
    items = []
    for row, answer in enumerate([" yes", " yes", "", "", "", " yes"]):
        line = QuestionAnswer(f"Is {NAMES[row]} here?", answer)
        items.append(BenchmarkItem(str(row), line, seen=None, row=row))
    benchmark = Benchmark(Path("items.csv"), tuple(items))

    equal_neighbours = item_statistics(benchmark)["equal answers of neighbours"]

    assert equal_neighbours([0, 1, 2, 3, 4, 5]) == 1
    assert equal_neighbours([2, 0, 3, 1, 4, 5]) == 0
    assert equal_neighbours([3, 1, 5, 0, 2, 4]) == 2


def test_seven_items_show_no_order(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("\n".join([HEADER, *random_rows()[:7]]) + "\n")
    with pytest.raises(UserError, match="7 items; the order of fewer than 8 shows nothing"):
        check_order(read_benchmark(path), ["items"])


def check_options(
    folder: Path,
    draw_options: Callable[[random.Random], list[str]],
    answer_place: int | None = None,
) -> None:
    """Check the order of the options of 40 items, each with options from `draw_options`.

    `answer_place`: the place of the right option in every item, from 0; None for random places.
    """
    path = folder / "choices.jsonl"
    generator = random.Random(8)  # noqa: S311
    rows = []
    for number in range(40):
        options = draw_options(generator)
        place = generator.randrange(4) if answer_place is None else answer_place
        rows.append(
            {
                "id": str(number),
                "question": f"Who is {NAMES[number]}?",
                "choices": options,
                "answer": place,
            }
        )
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    check_order(read_benchmark(path), ["options"])


def random_options(generator: random.Random) -> list[str]:
    """Four options of one to four names, none of which occurs twice."""
    names = generator.sample(NAMES, 10)
    options = [" ".join(names[:1]), " ".join(names[1:3]), " ".join(names[3:6]), " ".join(names[6:])]
    return generator.sample(options, 4)


def longest_first(generator: random.Random) -> list[str]:
    return sorted(random_options(generator), key=len, reverse=True)


def alphabetical(generator: random.Random) -> list[str]:
    return sorted(random_options(generator))


def numbers(_generator: random.Random) -> list[str]:
    return ["$4", "12", "1,000", "7.5"]


def test_options_in_a_random_order_are_not_refused(tmp_path: Path) -> None:
    check_options(tmp_path, random_options)


@pytest.mark.parametrize(
    ("draw_options", "answer_place", "signal"),
    [
        (longest_first, None, "length"),
        (alphabetical, None, "alphabet"),
        (random_options, 2, "the place of the right one"),
    ],
)
def test_options_in_an_order_that_carries_meaning_are_refused(
    tmp_path: Path,
    draw_options: Callable[[random.Random], list[str]],
    answer_place: int | None,
    signal: str,
) -> None:
    with pytest.raises(UserError, match=f"the options are ordered by {signal};"):
        check_options(tmp_path, draw_options, answer_place)


def test_options_that_are_numbers_have_no_order(tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=r"choices\.jsonl: 0 items with choices that may be in any order"
    ):
        check_options(tmp_path, numbers)


@pytest.mark.parametrize("last", ["All of the above", "Neither", "Both A and B", "None of these"])
def test_options_of_which_one_refers_to_others_have_no_order(tmp_path: Path, last: str) -> None:
    def with_reference(generator: random.Random) -> list[str]:
        return [*random_options(generator)[:3], last]

    with pytest.raises(UserError, match=r"choices\.jsonl: 0 items"):
        check_options(tmp_path, with_reference)
