"""The verdict that all doors give: what was found, why, on what it rests, and how often such a verdict is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

from mechaware.verdicts.error_rates import ErrorRates
from mechaware.verdicts.procedure import Procedure

Question = Literal["seen", "reads", "supported", "agrees"]
Outcome = Literal["shown", "not shown", "cannot tell"]


@runtime_checkable
class Tables(Protocol):
    """The tables of an instrument on which its verdict rests."""

    def record(self) -> dict[str, Any]:
        """The tables as JSON holds them."""
        ...


_Evidence = TypeVar("_Evidence", bound=Tables)


@dataclass(frozen=True)
class Verdict(Generic[_Evidence]):
    """A verdict.

    - `question`: `seen` (was the model trained on the benchmark?), `reads` (does it read the exchanged word?),
      `supported` (does the paper's evidence support its claims as the 27 criteria ask?) or `agrees` (does a judge agree
      with people's labels beyond what reads nothing?).
    - `status`: the instrument's own word: seen, not shown, confounded, no verdict; grounds, does not ground, not shown,
      cannot tell; supported, not supported, no claim, cannot tell; agrees, answers blindly, no lead, cannot tell.
    - `outcome`: the same for every question: `shown`, `not shown` or `cannot tell`.
    - `reason`: the verdict in one sentence.
    - `level`: of tests, such as 0.05 (`seen`), or of confidence intervals, such as 0.95 (all others).
    - `n`: the number of items, pairs or claims.
    - `evidence`: the tables of the instrument on which the verdict rests.
    - `procedure`: what decided; None where nothing could be decided.
    - `error_rates`: how often verdicts of this procedure were wrong on planted truth; of `agrees`, how often the
      judge's statuses are wrong on the labelled items.
    - `notes`: what a reader must know of how texts were read.
    """

    question: Question
    status: str
    outcome: Outcome
    reason: str
    level: float
    n: int
    evidence: _Evidence
    procedure: Procedure | None
    error_rates: ErrorRates
    notes: Sequence[str] = ()

    def record(self) -> dict[str, Any]:
        """The verdict as JSON holds it (`schema.json`)."""
        return {
            "question": self.question,
            "status": self.status,
            "outcome": self.outcome,
            "reason": self.reason,
            "level": self.level,
            "n": self.n,
            "evidence": self.evidence.record(),
            "procedure": None if self.procedure is None else self.procedure.record(),
            "error_rates": self.error_rates.record(),
            "notes": list(self.notes),
        }
