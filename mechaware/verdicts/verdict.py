"""The verdict on a question: its status and reason, its evidence, and how often it is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, cast, runtime_checkable

from mechaware.verdicts.error_rates import ErrorRates
from mechaware.verdicts.procedure import Procedure

Question = Literal["seen", "reads", "follows", "supported", "meets", "agrees"]
Outcome = Literal["shown", "not shown", "cannot tell"]


@runtime_checkable
class Tables(Protocol):
    """The tables of an instrument on which its verdict rests."""

    def record(self) -> dict[str, Any]:
        """The tables as JSON holds them."""
        ...


# What a page calls the subject of a verdict if the user gives it no name.
_SUBJECTS = {
    "seen": "the benchmark",
    "reads": "the task",
    "follows": "the log",
    "meets": "the paper",
    "agrees": "the items",
}
_Evidence = TypeVar("_Evidence", bound=Tables)


@dataclass(frozen=True)
class Verdict(Generic[_Evidence]):
    """A verdict.

    - `question`: one of the six questions below.
    - `status`: the instrument's own word, one of those below.
    - `outcome`: the same for every question: `shown`, `not shown` or `cannot tell`.
    - `reason`: the verdict in one sentence.
    - `level`: of tests, such as 0.05 (`seen`), or of confidence intervals, such as 0.95 (all
      others).
    - `n`: the number of items (`seen`, `agrees`), pairs (`reads`), a log's questions (`follows`),
      claims (`supported`) or criteria (`meets`).
    - `evidence`: the tables of the instrument on which the verdict rests.
    - `procedure`: the procedure that decided; None where nothing could be decided.
    - `error_rates`: how often verdicts of this procedure were wrong on planted truth; of `meets`
      and `agrees`, how often the judge's statuses are wrong on labelled items.
    - `notes`: what a reader must know about how texts were read, in sentences.

    The questions, each with its statuses in brackets:

    - `seen`: was the model trained on the benchmark? (seen, not shown, confounded, no verdict)
    - `reads`: does the model read the exchanged word? (grounds, does not ground, not shown, cannot
      tell)
    - `follows`: does the model's score on a log follow the passages? (follows, not shown, cannot
      tell)
    - `supported`: does the paper's evidence support its claims as the 27 criteria ask? (supported,
      not supported, no claim, cannot tell)
    - `meets`: is the paper at the highest status of every criterion of a rubric? (meets, falls
      short, cannot tell)
    - `agrees`: does a judge agree with people's labels more than blind rules do, such as a rule by
      the text's length? (agrees, answers blindly, no lead, cannot tell)
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

    def page(self, path: str | Path, *, name: str = "", model: str = "the model") -> Path:
        """Write the verdict's page, the one that the workflow draws, and return its path.

        Args:
            path: The HTML file. Its folder is made; a file of that name is replaced.
            name: The name of the benchmark, the task or the labelled items, in the page's question
                and title.
            model: The model's name in the page's question; of `meets` and `agrees`, the judge's.

        Raises:
            UserError: The path is a folder. Or the verdict is `supported`, whose page only the
                workflow draws.
        """
        # Loaded here, and by name: the modules of pages and questions import this one, and a rule's
        # fingerprint follows import statements, so each rule that reads a verdict would depend on
        # all pages.
        write_page = import_module("mechaware.verdicts.page").write_page
        return cast(
            Path, write_page(self, Path(path), name or _SUBJECTS.get(self.question, ""), model)
        )
