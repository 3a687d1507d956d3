"""What every judge can do, whatever its kind, and how it fails; its independent runs, and how far they are."""

import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Literal, Protocol, TypeVar, runtime_checkable

from tqdm import tqdm

from mechaware.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage


class Unscored(Exception):  # noqa: N818 - an outcome, not a mistake
    """No usable reply came of a call. `kind` is for tables, the message for people.

    Kinds: cut (at the token limit), empty, refused (by a content filter), error (of the provider, within the reply),
    invalid (no JSON, or not what was asked for), context (the prompt is too long for the model), too long (the paper or
    the reply, for the judge's settings), no claims (the paper's opening has no whole sentence).
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@runtime_checkable
class Judge(Protocol):
    """Judges a paper, and takes a second look at its own claims without the paper."""

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper; what fails is unscored in it."""

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One independent run over given claims, which keep their order and all but their criteria.

        Their criteria are ignored. If the text has a fault, the run has it, and no claims.
        """

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The downgrades that the leak audit proposes (section 3.5). Raises `Unscored`."""

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """The downgrades that the devil's advocate proposes (section 3.8). Raises `Unscored`."""

    def take_usage(self) -> Usage:
        """The calls since this was last called."""


ClaimsFound = Literal["once", "every_run"]


def independent_runs(
    judge: Judge, text: str, about: PaperText, number: int, *, claims_found: ClaimsFound
) -> Iterator[Run]:
    """`number` runs, each as soon as it is finished.

    `every_run` is the paper's way: each run finds claims and judges them. With `once`, our deviation, the first run
    with claims finds them, and every later run judges these. Statuses are then independent, the choice of claims
    is not, and the vote need not decide which claims of two runs are the same.
    """
    found: Run | None = None
    for run in range(number):
        if found is None or claims_found == "every_run":
            extracted = judge.extract(text, about, run)
            found = extracted if extracted.claims else found
            yield extracted
        else:
            yield judge.judge_claims(text, about, found.claims, run)


T = TypeVar("T")
CALLS = logging.getLogger("mechaware.claims.calls")  # a record for each reply, with its cost in US dollars as argument


def report_call(cost: float | None) -> None:
    """Count a call of a language model; `cost` in US dollars, None where no price is known."""
    CALLS.info("call: %s US dollars", cost)


def with_progress(label: str, runs: Iterable[T], total: int) -> Iterator[T]:
    """The runs one by one, with a bar on standard error that counts them and the calls made meanwhile."""
    with closing(tqdm(total=total, desc=label, unit="run", file=sys.stderr, ncols=100)) as bar, _counted(bar):
        for run in runs:
            yield run
            bar.update()


class _Counter(logging.Handler):
    def __init__(self, bar: "tqdm[Any]") -> None:
        super().__init__()
        self._bar, self._calls, self._cost = bar, 0, 0.0
        self._priced = True

    def emit(self, record: logging.LogRecord) -> None:
        (cost,) = record.args or (None,)
        self._calls += 1
        self._priced = self._priced and isinstance(cost, float)
        self._cost += cost if isinstance(cost, float) else 0.0
        price = f"${self._cost:.4f}" if self._priced else "price not known"
        self._bar.set_postfix_str(f"{self._calls} call{'s' if self._calls > 1 else ''}, {price}")


@contextmanager
def _counted(bar: "tqdm[Any]") -> Iterator[None]:
    counter, level = _Counter(bar), CALLS.level
    CALLS.addHandler(counter)
    CALLS.setLevel(logging.INFO)
    try:
        yield
    finally:
        CALLS.removeHandler(counter)
        CALLS.setLevel(level)
