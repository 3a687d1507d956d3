"""Worked examples, which are shown to a pretrained model before a prompt, drawn from rows."""

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.grounding.data.rows import Row, worked_examples


def request_row(number: int, columns: list[str], *select: str) -> Row:
    """A row whose request asks for the columns `select` of `columns`."""
    entries = ", ".join(f"{column} TEXT" for column in columns)
    return Row(
        english_prompt=f"Request {number}",
        create_statement=f"CREATE TABLE t{number} ( {entries} )",
        sql_statement=f"SELECT {', '.join(select)} FROM t{number}",  # noqa: S608
        table_name=f"t{number}",
        table_fields=columns,
        select=list(select),
    )


# Requests 0, 2, 3 and 4 ask for one column, 1 and 5 for two.
ROWS = [
    request_row(0, ["a", "b"], "b"),
    request_row(1, ["a", "b", "c"], "c", "a"),
    request_row(2, ["a", "b"], "a"),
    request_row(3, ["c", "d", "e", "f"], "f"),
    request_row(4, ["d", "e"], "e"),
    request_row(5, ["d", "e"], "d", "e"),
]
# The requests of one column, by its place in the schema. No request asks for a column at place 3.
REQUESTS_AT = {1: {"Request 2"}, 2: {"Request 0", "Request 4"}, 4: {"Request 3"}}


def requests_of(examples: str) -> list[str]:
    """The request of each example, in order."""
    requests = []
    for example in examples.splitlines():
        beginning, _, _ = example.partition(" ### Context")
        requests.append(beginning.removeprefix("### Instruction: "))
    return requests


def test_an_example_is_a_prompt_and_its_answer_on_a_line() -> None:
    # Request 2 is the only one at place 1.
    assert worked_examples(ROWS, 1, seed=0) == (
        "### Instruction: Request 2 "
        "### Context: CREATE TABLE t2 ( a TEXT, b TEXT ) "
        "### Response: SELECT a FROM t2\n"
    )


def test_examples_take_the_places_in_turn() -> None:
    drawn_at_place_2 = set()
    for seed in range(20):
        examples = worked_examples(ROWS, 3, seed=seed)

        at_place_1, at_place_2, at_place_4 = requests_of(examples)
        assert at_place_1 in REQUESTS_AT[1]
        assert at_place_2 in REQUESTS_AT[2]
        assert at_place_4 in REQUESTS_AT[4]
        assert examples.endswith(
            "### Instruction: Request 3 "
            "### Context: CREATE TABLE t3 ( c TEXT, d TEXT, e TEXT, f TEXT ) "
            "### Response: SELECT f FROM t3\n"
        )
        drawn_at_place_2.add(at_place_2)

    assert drawn_at_place_2 == REQUESTS_AT[2]


@pytest.mark.parametrize("seed", range(5))
def test_no_request_is_an_example_twice(seed: int) -> None:
    rows = [*ROWS, request_row(6, ["g"], "g")]

    examples = worked_examples(rows, 5, seed=seed)

    # The places are taken in the order 1, 2, 4, 1, 2.
    first, second, _, fourth, fifth = requests_of(examples)
    assert {first, fourth} == {"Request 2", "Request 6"}
    assert {second, fifth} == {"Request 0", "Request 4"}


@pytest.mark.parametrize(
    ("rows", "count", "place"),
    [
        pytest.param(ROWS, 4, 1, id="one request at place 1, where the fourth example comes from"),
        pytest.param([], 1, 1, id="no requests"),
        pytest.param(ROWS[:2], 2, 2, id="one request at place 2, and none elsewhere"),
    ],
)
def test_too_few_requests_of_one_column_are_an_error(
    rows: list[Row], count: int, place: int
) -> None:
    with pytest.raises(UserError) as refused:
        worked_examples(rows, count, seed=0)

    assert str(refused.value) == (
        f"grounding/pretrained/examples: {count} worked examples, but the training rows have "
        f"fewer requests of one column at place {place}; ask for fewer"
    )
