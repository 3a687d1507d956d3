"""The bar that shows how far a judge is."""

import pytest

from mechaware.claims.judges.judge import report_call, with_progress


@pytest.mark.parametrize(
    ("costs", "expected"), [((0.25, 0.5), "2 calls, $0.7500"), ((0.25, None), "2 calls, price not known")]
)
def test_the_bar_counts_runs_calls_and_cost(
    costs: tuple[float | None, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report_call(9.0)  # before the bar: not counted
    seen = []
    for run in with_progress("judge, paper", [0, 1], 2):
        seen.append(run)
        report_call(costs[run])
    shown = capsys.readouterr().err
    assert seen == [0, 1]
    assert "judge, paper" in shown
    assert "1 call, $0.2500" in shown
    assert shown.rstrip().endswith(f"{expected}]")
    assert "2/2" in shown
