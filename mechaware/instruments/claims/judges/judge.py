"""What every judge can do, whatever its kind, and how it fails.

`independent_runs` asks a judge about a paper, `answer_questions` about passages; both can ask
several times at once (`map_in_threads`). `with_progress` shows a bar while runs are made.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from tqdm import tqdm

from mechaware.core.errors import UserError
from mechaware.instruments.claims.items.edits import RETEST, Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage
from mechaware.instruments.claims.rubric.rubric import Rubric

_Element = TypeVar("_Element")
_Made = TypeVar("_Made")


class Unscored(Exception):  # noqa: N818 - an outcome, not a mistake
    """A call gave no usable reply. `kind` is for tables, the message for people.

    Kinds: cut (at the token limit), empty, refused (by a content filter), error (of the provider,
    within the reply), invalid (no JSON, or not what was asked for), context (the prompt is too long
    for the model), too long (the paper or the reply, for the judge's settings), no claims (the
    paper's opening has no whole sentence).
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


@runtime_checkable
class Judge(Protocol):
    """Judges a paper, and takes a second look at its own claims without the paper."""

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper.

        If the text has a fault or no reply is usable, the run has a fault and no claims. A
        criterion that cannot be judged is unscored.
        """

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One independent run over given claims: it judges their criteria anew.

        The claims stay the same otherwise, and in the same order; the criteria that they already
        have are ignored. If the text has a fault, the run has this fault and no claims.
        """

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The downgrades that the leak audit proposes (section 3.5). Raises `Unscored`."""

    def challenge(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> list[Downgrade]:
        """The downgrades that the devil's advocate proposes (section 3.8). Raises `Unscored`."""

    def take_usage(self) -> Usage:
        """The calls of the judge's model since `take_usage` was last called."""


@runtime_checkable
class PassageJudge(Protocol):
    """A judge that can be asked about passages, by any rubric: which status do these passages have
    by this definition?

    A user's own kind of judge needs no other method to be asked about items
    (`mechaware.instruments.claims.items`).
    """

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        """The answer to one question. Runs are independent.

        Without a usable reply the answer has no status, and its evidence is the reason. Several
        threads call this method at once if the judge's settings have `calls_at_a_time` above 1.
        """


ClaimsFound = Literal["once", "every_run"]


def independent_runs(
    judge: Judge,
    text: str,
    about: PaperText,
    number: int,
    *,
    claims_found: ClaimsFound,
    at_a_time: int = 1,
) -> Iterator[Run]:
    """`number` runs in their order, each as soon as it and all runs before it are finished.

    With `every_run`, the paper's way, each run finds claims and judges them. With `once`, our
    deviation, the first run with claims finds them, and every later run judges the same claims.
    Statuses are then independent, the choice of claims is not, and the vote need not decide which
    claims of two runs are the same.

    At most `at_a_time` runs are made side by side, in threads. The first run is made alone, so that
    a provider that caches prompts has the paper for the others. With `once`, every run that looks
    for claims is made alone.
    """
    if not number:
        return
    first = judge.extract(text, about, 0)
    yield first
    following = 1

    claims = first.claims
    while claims_found == "once" and not claims and following < number:
        extracted = judge.extract(text, about, following)
        yield extracted
        claims = extracted.claims
        following += 1

    def make(run: int) -> Run:
        if claims_found == "once":
            return judge.judge_claims(text, about, claims, run)
        return judge.extract(text, about, run)

    yield from map_in_threads(make, range(following, number), at_a_time)


class AskedQuestion(NamedTuple):
    """A question in one of a judge's independent runs."""

    question: Question
    run: int


def run_of_item(question: Question) -> AskedQuestion:
    """A question about a labelled item and its run: 1 for a retest (`RETEST`), else 0."""
    return AskedQuestion(question, run=1 if question.edit == RETEST else 0)


def answer_questions(
    judge: object,
    asked: Sequence[AskedQuestion],
    rubric: Rubric,
    *,
    label: str,
    unit: str,
    at_a_time: int = 1,
) -> Iterator[Answer]:
    """The answers to questions, in their order, with a bar on standard error.

    Args:
        judge: Any judge with the method `judge_passages`.
        asked: The questions, each with its run.
        rubric: By which they are asked.
        label: What the bar is called; begins with the judge's name.
        unit: What the bar counts.
        at_a_time: How many questions are asked side by side, in threads, after the first.

    Raises:
        UserError: The judge's kind cannot judge passages, or it cannot be asked.
    """
    if not isinstance(judge, PassageJudge):
        raise UserError(
            f"judge {label}: its kind has no method judge_passages; add it (CONTRIBUTING.md, A judge kind)"
        )

    def answer(asked_question: AskedQuestion) -> Answer:
        return judge.judge_passages(asked_question.question, rubric, asked_question.run)

    # The first call opens the connection that all others share: threads that begin together open
    # one each. Both parts are lazy, and the threads begin after the first answer.
    first = map(answer, asked[:1])
    rest = map_in_threads(answer, asked[1:], at_a_time)
    with tqdm(total=len(asked), desc=label, unit=unit, file=sys.stderr, ncols=100) as bar:
        for next_answer in chain(first, rest):
            yield next_answer
            bar.update()


def map_in_threads(
    make: Callable[[_Element], _Made], elements: Iterable[_Element], at_a_time: int
) -> Iterator[_Made]:
    """What `make` returns for each element, in the order of the elements; at most `at_a_time` calls
    are made side by side.

    An error is raised in place of its element's result, after the results before it. Calls that
    have not begun by then are not made.
    """
    if at_a_time == 1:
        yield from map(make, elements)
        return
    with ThreadPoolExecutor(at_a_time) as threads:
        yield from threads.map(make, elements)


def with_progress(label: str, runs: Iterable[Run], total: int) -> Iterator[Run]:
    """The runs one by one, with a bar on standard error that counts the runs,
    their calls and the cost of these calls.
    """
    used = Usage()
    with tqdm(total=total, desc=label, unit="run", file=sys.stderr, ncols=100) as bar:
        for run in runs:
            yield run
            used += run.usage
            if used.calls:
                calls = "1 call" if used.calls == 1 else f"{used.calls} calls"
                price = "price not known" if used.cost is None else f"${used.cost:.4f}"
                bar.set_postfix_str(f"{calls}, {price}", refresh=False)
            bar.update()
