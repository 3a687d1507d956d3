"""A judge's runs over a paper: which of them find claims, and the bar that shows their progress."""

from collections.abc import Sequence

import pytest

from mechaware.instruments.claims.judges.judge import (
    ClaimsFound,
    independent_runs,
    with_progress,
)
from mechaware.instruments.claims.judges.lexical import LexicalJudge
from mechaware.instruments.claims.rubric.records import Claim, Fault, PaperText, Run, Usage
from tests.unit.instruments.claims import claims_by_hand
from tests.unit.instruments.claims.claims_by_hand import claim

ABOUT = PaperText(
    paper="paper", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)
# The statement of the claim that each of three runs finds.
STATEMENTS = ("The circuit moves names", "A subgraph routes words", "Twenty heads answer")
FAULT = Fault(kind="cut", message="the reply was cut")


class Scripted(LexicalJudge):
    """A judge that finds another claim in each run, and none in the runs of `faulty_runs`.

    `calls` has a pair for each call: "extract", or the statement of the claim that was given, and
    the number of the run.
    """

    def __init__(self, *faulty_runs: int) -> None:
        super().__init__("scripted", {})
        self.calls: list[tuple[str, int]] = []
        self._faulty_runs = faulty_runs

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        del text, about
        self.calls.append(("extract", run))
        if run in self._faulty_runs:
            return claims_by_hand.run(run, fault=FAULT)
        return claims_by_hand.run(run, claim(STATEMENTS[run], rest="YES"))

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        del text, about
        self.calls.append((claims[0].statement, run))
        judged = [claim(given.statement, rest="PARTIAL") for given in claims]
        return claims_by_hand.run(run, *judged)


@pytest.mark.parametrize(
    ("faulty_runs", "claims_found", "calls"),
    [
        pytest.param(
            (), "once", [("extract", 0), (STATEMENTS[0], 1), (STATEMENTS[0], 2)], id="once"
        ),
        pytest.param(
            (0,),
            "once",
            [("extract", 0), ("extract", 1), (STATEMENTS[1], 2)],
            id="once, after a run with a fault",
        ),
        pytest.param(
            (), "every_run", [("extract", 0), ("extract", 1), ("extract", 2)], id="in every run"
        ),
    ],
)
def test_claims_are_found_by_the_first_usable_run_or_by_every_run(
    faulty_runs: tuple[int, ...], claims_found: ClaimsFound, calls: list[tuple[str, int]]
) -> None:
    judge = Scripted(*faulty_runs)

    runs = list(independent_runs(judge, "text", ABOUT, 3, claims_found=claims_found))

    assert judge.calls == calls
    assert [run.run for run in runs] == [0, 1, 2]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        pytest.param((0.25, 0.5), "2 calls, $0.7500", id="known prices"),
        pytest.param((0.25, None), "2 calls, price not known", id="an unknown price"),
    ],
)
def test_the_bar_counts_runs_calls_and_cost(
    costs: tuple[float | None, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = []
    for number, cost in enumerate(costs):
        usage = Usage(calls=1, cost=cost)
        runs.append(claims_by_hand.run(number).model_copy(update={"usage": usage}))

    assert list(with_progress("judge, paper", runs, 2)) == runs

    shown = capsys.readouterr().err
    assert "judge, paper" in shown
    assert shown.rstrip().endswith(f"{expected}]")
    assert "2/2" in shown
