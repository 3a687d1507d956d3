"""The N independent runs of a judge over a paper (section 3.7), which find claims once or every time."""

from collections.abc import Iterator
from typing import Literal

from mechaware.claims.judges.judge import Judge
from mechaware.claims.rubric.records import PaperText, Run

ClaimsFound = Literal["once", "every_run"]


def independent_runs(
    judge: Judge, text: str, about: PaperText, number: int, *, claims_found: ClaimsFound
) -> Iterator[Run]:
    """`number` runs, each as soon as it is finished.

    `every_run` is the paper's way: each run finds claims and judges them. With `once`, our deviation, the first run
    with usable claims finds them, and every later run judges these. Statuses are then independent, the choice of claims
    is not, and the vote need not decide which claims of two runs are the same.
    """
    found: Run | None = None
    for run in range(number):
        if found is None or claims_found == "every_run":
            extracted = judge.extract(text, about, run)
            found = extracted if extracted.fault is None else found
            yield extracted
        else:
            yield judge.judge_claims(text, about, found.claims, run)
