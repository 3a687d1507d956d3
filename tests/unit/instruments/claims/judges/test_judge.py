"""The runs of a judge: which of them find claims, which judge given ones, the bar that counts them, and threads."""

import time
from collections.abc import Sequence
from threading import Barrier

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.judge import (
    AskedQuestion,
    ClaimsFound,
    answer_questions,
    independent_runs,
    with_progress,
)
from mechaware.instruments.claims.judges.lexical import _LexicalJudge
from mechaware.instruments.claims.rubric.records import Claim, Fault, PaperText, Run, Usage
from mechaware.instruments.claims.rubric.rubric import Rubric
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.instruments.claims.claims_by_hand import run as run_of

ABOUT = PaperText(
    paper="paper", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)
NAMES = ("The circuit moves names", "A subgraph routes words", "Twenty heads answer")
FAULT = Fault(kind="cut", message="the reply was cut")


class Scripted(_LexicalJudge):
    """A judge with another claim in each run; runs in `failing` have a fault. `asked` lists what each run was asked."""

    def __init__(self, *failing: int) -> None:
        super().__init__("scripted", {})
        self.asked: list[tuple[str, int]] = []
        self._failing = failing

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        del text, about
        self.asked.append(("extract", run))
        if run in self._failing:
            return run_of(run, fault=FAULT)
        return run_of(run, claim(NAMES[run], rest="YES"))

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        del text, about
        self.asked.append((claims[0].statement, run))
        judged = [claim(given.statement, rest="PARTIAL") for given in claims]
        return run_of(run, *judged)


@pytest.mark.parametrize(
    ("failing", "how", "asked"),
    [
        pytest.param((), "once", [("extract", 0), (NAMES[0], 1), (NAMES[0], 2)], id="once"),
        pytest.param(
            (0,),
            "once",
            [("extract", 0), ("extract", 1), (NAMES[1], 2)],
            id="once, after a run with a fault",
        ),
        pytest.param(
            (), "every_run", [("extract", 0), ("extract", 1), ("extract", 2)], id="in every run"
        ),
    ],
)
def test_claims_are_found_by_the_first_usable_run_or_by_every_run(
    failing: tuple[int, ...], how: ClaimsFound, asked: list[tuple[str, int]]
) -> None:
    judge = Scripted(*failing)

    runs = list(independent_runs(judge, "text", ABOUT, 3, claims_found=how))

    assert judge.asked == asked
    assert [run.run for run in runs] == [0, 1, 2]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [((0.25, 0.5), "2 calls, $0.7500"), ((0.25, None), "2 calls, price not known")],
)
def test_the_bar_counts_runs_calls_and_cost(
    costs: tuple[float | None, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = []
    for number, cost in enumerate(costs):
        usage = Usage(calls=1, cost=cost)
        runs.append(run_of(number).model_copy(update={"usage": usage}))

    assert list(with_progress("judge, paper", runs, 2)) == runs

    shown = capsys.readouterr().err
    assert "judge, paper" in shown
    assert shown.rstrip().endswith(f"{expected}]")
    assert "2/2" in shown


RUBRIC = Rubric("ours", ("no", "yes"), "", {})
QUESTIONS = [AskedQuestion(Question(f"q{n}", "", "C1", "", ""), run=0) for n in range(21)]


class InPairs:
    """Answers the first question, and others only while another one is asked; ends after 10 s if none is."""

    def __init__(self) -> None:
        self._two = Barrier(2)

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del rubric, run
        if question.id != "q0":
            self._two.wait(timeout=10)
        return Answer(question.id, "", "yes")


class Dead:
    """Fails at the third question, and counts those that it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        del rubric, run
        self.asked += 1
        if question.id == "q2":
            raise UserError("no reply")
        time.sleep(0.2)
        return Answer(question.id, "", "yes")


def test_questions_are_asked_side_by_side_and_answered_in_their_order() -> None:
    answers = answer_questions(
        InPairs(), QUESTIONS, RUBRIC, label="pairs", unit="item", at_a_time=2
    )
    assert [answer.id for answer in answers] == [question.id for question, _ in QUESTIONS]


# Beside the failing third question another thread may have begun some more.
@pytest.mark.parametrize(("at_a_time", "most"), [(1, 3), (2, len(QUESTIONS) - 1)])
def test_a_judge_that_fails_is_asked_nothing_more(at_a_time: int, most: int) -> None:
    judge = Dead()
    answers = answer_questions(
        judge, QUESTIONS, RUBRIC, label="dead", unit="item", at_a_time=at_a_time
    )

    with pytest.raises(UserError, match="no reply"):
        list(answers)

    assert 3 <= judge.asked <= most
