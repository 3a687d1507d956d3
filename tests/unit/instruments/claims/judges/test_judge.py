"""The runs of a judge: which of them find claims, which judge given ones, and the bar that counts them."""

from collections.abc import Sequence

import pytest

from mechaware.instruments.claims.judges.judge import ClaimsFound, independent_runs, with_progress
from mechaware.instruments.claims.judges.lexical import _LexicalJudge
from mechaware.instruments.claims.rubric.records import Claim, Fault, PaperText, Run, Usage
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.instruments.claims.claims_by_hand import run as run_of

ABOUT = PaperText(
    paper="paper", pages=None, pages_read=None, truncated=False, characters=0, flags=[], hidden=[]
)
NAMES = ("The circuit moves names", "A subgraph routes words", "Twenty heads answer")
FAULT = Fault(kind="cut", message="the reply was cut")


class Scripted(_LexicalJudge):
    """A judge that words its claim anew in each run; runs in `failing` have a fault."""

    def __init__(self, *failing: int) -> None:
        super().__init__("scripted", {})
        self.asked: list[tuple[str, int]] = []
        self._failing = failing

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        del text, about
        self.asked.append(("extract", run))
        failed = run in self._failing
        return run_of(run, fault=FAULT) if failed else run_of(run, claim(NAMES[run], rest="YES"))

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        del text, about
        self.asked.append((claims[0].statement, run))
        return run_of(run, *(claim(one.statement, rest="PARTIAL") for one in claims))


@pytest.mark.parametrize(
    ("failing", "how", "asked"),
    [
        ((), "once", [("extract", 0), (NAMES[0], 1), (NAMES[0], 2)]),
        ((0,), "once", [("extract", 0), ("extract", 1), (NAMES[1], 2)]),
        ((), "every_run", [("extract", 0), ("extract", 1), ("extract", 2)]),
    ],
)
def test_claims_are_found_by_the_first_usable_run_or_by_every_run(
    failing: tuple[int, ...], how: ClaimsFound, asked: list[tuple[str, int]]
) -> None:
    judge = Scripted(*failing)
    runs = list(independent_runs(judge, "text", ABOUT, 3, claims_found=how))
    assert judge.asked == asked
    assert [one.run for one in runs] == [0, 1, 2]


@pytest.mark.parametrize(
    ("costs", "expected"),
    [((0.25, 0.5), "2 calls, $0.7500"), ((0.25, None), "2 calls, price not known")],
)
def test_the_bar_counts_runs_calls_and_cost(
    costs: tuple[float | None, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [
        run_of(at).model_copy(update={"usage": Usage(calls=1, cost=cost)})
        for at, cost in enumerate(costs)
    ]
    assert list(with_progress("judge, paper", runs, 2)) == runs
    shown = capsys.readouterr().err
    assert "judge, paper" in shown
    assert shown.rstrip().endswith(f"{expected}]")
    assert "2/2" in shown
