"""Worked examples: answered requests of one column, from each place in turn, before every prompt of a pair."""

import pytest

from mechaware.errors import UserError
from mechaware.grounding.data.examples import with_examples, worked_examples
from mechaware.grounding.data.pairs import Pair, columns_of
from mechaware.grounding.data.rows import Row
from tests.unit.grounding.data.written_rows import write_rows
from tests.unit.grounding.pairs_by_hand import PAIRS, PROMPTS, prompts_of


def row(number: int, columns: list[str], *selected: str) -> Row:
    schema = ", ".join(f"{column} TEXT" for column in columns)
    select = list(selected)
    return Row(
        f"Request {number}",
        f"CREATE TABLE t{number} ( {schema} )",
        f"SELECT {', '.join(select)} FROM t{number}",  # noqa: S608
        f"t{number}",
        columns,
        select,
    )


def line(number: int, columns: str, selected: str) -> str:
    context = f"CREATE TABLE t{number} ( {columns} )"
    answer = f"SELECT {selected} FROM t{number}"  # noqa: S608
    return f"### Instruction: Request {number} ### Context: {context} ### Response: {answer}\n"


# One request of one column at place 1, two at place 2, none at place 3, one at place 4; 1 and 5 ask for two columns.
ROWS = [
    row(0, ["a", "b"], "b"),
    row(1, ["a", "b", "c"], "c", "a"),
    row(2, ["a", "b"], "a"),
    row(3, ["c", "d", "e", "f"], "f"),
    row(4, ["d", "e"], "e"),
    row(5, ["d", "e"], "d", "e"),
]
AT = {1: {"Request 2"}, 2: {"Request 0", "Request 4"}, 4: {"Request 3"}}


def requests(examples: str) -> list[str]:
    return [text.partition(" ### Context")[0].removeprefix("### Instruction: ") for text in examples.splitlines()]


def test_an_example_is_a_prompt_and_its_answer_on_a_line() -> None:
    assert worked_examples(ROWS, 1, seed=0) == line(2, "a TEXT, b TEXT", "a")


def test_examples_take_the_places_in_turn_and_no_request_twice() -> None:
    drawn = set()
    for seed in range(20):
        examples = worked_examples(ROWS, 3, seed=seed)
        first, second, fourth = requests(examples)
        assert first in AT[1]
        assert second in AT[2]
        assert fourth in AT[4]
        assert examples.endswith(line(3, "c TEXT, d TEXT, e TEXT, f TEXT", "f"))
        drawn.add(second)
    assert drawn == AT[2]
    rows = [*ROWS, row(6, ["g"], "g")]
    for seed in range(5):
        five = requests(worked_examples(rows, 5, seed=seed))
        assert {five[0], five[3]} == {"Request 2", "Request 6"}
        assert {five[1], five[4]} == AT[2]


def test_the_same_seed_draws_the_same_examples() -> None:
    rows = write_rows(300)
    assert worked_examples(rows, 5, seed=3) == worked_examples(rows, 5, seed=3)
    assert len({worked_examples(rows, 5, seed=seed) for seed in range(5)}) > 1


@pytest.mark.parametrize(("rows", "count", "place"), [(ROWS, 4, 1), (ROWS[1:2], 1, 1), ([], 1, 1), (ROWS[:2], 2, 2)])
def test_too_few_requests_of_one_column_are_an_error(rows: list[Row], count: int, place: int) -> None:
    with pytest.raises(UserError) as refused:
        worked_examples(rows, count, seed=0)
    assert str(refused.value) == (
        f"grounding/pretrained/examples: {count} worked examples, but the training rows have fewer requests of one "
        f"column at place {place}; ask for fewer"
    )


def test_no_examples_leave_the_pairs_as_they_are() -> None:
    assert worked_examples([], 0, seed=0) == ""
    assert with_examples(PAIRS, "") == PAIRS


def test_examples_stand_before_each_prompt_that_a_pair_has() -> None:
    examples = worked_examples(ROWS, 2, seed=0)
    for pair, shown in zip(PAIRS, with_examples(PAIRS, examples), strict=True):
        assert prompts_of(shown) == {name: examples + text for name, text in prompts_of(pair).items()}
        assert set(PROMPTS) - set(prompts_of(shown)) == set(PROMPTS) - set(prompts_of(pair))
        others = [name for name in Pair._fields if not name.endswith("_prompt")]
        assert [getattr(shown, name) for name in others] == [getattr(pair, name) for name in others]
        assert columns_of(shown.clean_prompt) == pair.columns
