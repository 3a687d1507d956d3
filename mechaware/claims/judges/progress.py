"""Shows how far a judge is with a paper: runs, calls of its language model, cost so far and time left."""

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from tqdm import tqdm

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
