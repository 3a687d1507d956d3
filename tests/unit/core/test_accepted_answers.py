"""What counts as a right answer in a continuation."""

from pathlib import Path

import pytest
import yaml

from mechaware.core.accepted_answers import is_accepted

CONTINUED = yaml.safe_load((Path(__file__).parent / "accepted_answers.yaml").read_text())


@pytest.mark.parametrize(("continuation", "answers", "right"), CONTINUED)
def test_an_answer_is_a_whole_sequence_of_words_in_the_first_line(
    continuation: str, answers: list[str], right: bool
) -> None:
    assert is_accepted(continuation, answers) is right
