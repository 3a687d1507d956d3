"""What counts as a right answer in a continuation."""

import pytest

from mechaware.core.accepted_answers import is_accepted


@pytest.mark.parametrize(
    ("continuation", "answers", "right"),
    [
        ("Lisbon.", ["lisbon"], True),
        ("the city of LISBON, in Portugal", ["lisbon"], True),
        ("\n\nLisbon", ["lisbon"], True),
        ("Madrid.\nNo, Lisbon", ["lisbon"], False),
        ("Lisbonne", ["lisbon"], False),
        ("", ["lisbon"], False),
        ("Lisbon", [], False),
        ("It is 1,024 bytes", ["1024"], True),
        ("10240", ["1024"], False),
        ("$30.00 each", ["30"], True),
        ("30.05", ["30"], False),
        ("2.75", ["2.7"], False),
        ("126cm", ["126"], True),
        ("twenty-seven", ["seven"], False),
        ("Twenty-Seven!", ["27", "twenty-seven"], True),
        ("at 8:15 p.m.", ["8:15"], True),
        ("at 8:45, or 15", ["8:15"], False),
        ("V, X, and L", ["v x and l"], True),
        ("CO₂", ["co2"], True),
        ("the right-angle", ["right angle"], False),
    ],
)
def test_an_answer_is_a_whole_sequence_of_words_in_the_first_line(
    continuation: str, answers: list[str], right: bool
) -> None:
    assert is_accepted(continuation, answers) is right
