"""Questions about passages are answered in their order, by threads that stop after an error."""

import time
from threading import Barrier

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.judge import AskedQuestion, answer_questions
from mechaware.instruments.claims.rubric.rubric import Rubric

RUBRIC = Rubric("ours", ("no", "yes"), "", {})
# The first is asked alone, the other 20 can be asked in pairs.
QUESTIONS = [AskedQuestion(Question(f"q{number}", "", "C1", "", ""), run=0) for number in range(21)]


class AnswersInPairs:
    """Answers the first question at once, and any other only while a second one is being asked.

    Raises `BrokenBarrierError` if there is no second question within 10 s.
    """

    def __init__(self) -> None:
        self._barrier = Barrier(2)

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del rubric, run
        if question.id != "q0":
            self._barrier.wait(timeout=10)
        return Answer(question.id, "", "yes")


class FailsAtThird:
    """Fails at the third question, `q2`. `n_asked` counts the questions that it was asked."""

    def __init__(self) -> None:
        self.n_asked = 0

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del rubric, run
        self.n_asked += 1
        if question.id == "q2":
            raise UserError("no reply")
        # Long beside the time in which an error stops the other questions.
        time.sleep(0.2)
        return Answer(question.id, "", "yes")


def test_questions_are_asked_side_by_side_and_answered_in_their_order() -> None:
    answers = answer_questions(
        AnswersInPairs(), QUESTIONS, RUBRIC, label="pairs", unit="item", at_a_time=2
    )

    assert [answer.id for answer in answers] == [question.id for question, _ in QUESTIONS]


@pytest.mark.parametrize(
    ("at_a_time", "most_asked"),
    [
        pytest.param(1, 3, id="one at a time"),
        # The second thread may begin some more before it is stopped, but not all.
        pytest.param(2, len(QUESTIONS) - 1, id="two at a time"),
    ],
)
def test_a_judge_that_fails_is_asked_nothing_more(at_a_time: int, most_asked: int) -> None:
    judge = FailsAtThird()
    answers = answer_questions(
        judge, QUESTIONS, RUBRIC, label="fails", unit="item", at_a_time=at_a_time
    )

    with pytest.raises(UserError, match="no reply"):
        list(answers)

    assert 3 <= judge.n_asked <= most_asked
