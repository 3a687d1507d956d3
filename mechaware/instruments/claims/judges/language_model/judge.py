"""A language model as a judge: a provider's, an OpenAI-compatible server's, or the embedded one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts, item_reply
from mechaware.instruments.claims.judges.language_model.model import LanguageModel, language_model
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.language_model.replies import Challenges, Leak, Leaks
from mechaware.instruments.claims.judges.language_model.small_model import PassageReader
from mechaware.instruments.claims.judges.language_model.whole_paper import (
    PaperReader,
    check_length,
)
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings
from mechaware.instruments.claims.rubric.criteria import Status
from mechaware.instruments.claims.rubric.records import (
    Claim,
    Downgrade,
    Fault,
    PaperText,
    Run,
    Usage,
)
from mechaware.instruments.claims.rubric.rubric import Rubric

AUDIT_RUN = 0  # the audit is made once, of the voted claims of all runs


class LanguageModelJudge:
    """A language model with its prompts. Only `judge_passages` needs `item_prompts`."""

    def __init__(
        self, model: LanguageModel, prompts: Prompts, item_prompts: ItemPrompts | None = None
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._item_prompts = item_prompts

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """The claims that the model finds in the paper's text, judged in the mode of its settings.

        - at_once: one reply, from the whole paper, has the claims and their criteria.
        - claim_by_claim: one reply has the claims, and one reply for each claim has its criteria.
          All are from the whole paper.
        - passages, for models whose context cannot hold a paper: the claims are chosen among the
          sentences of the paper's opening that are most like a claim. One reply for each claim and
          dimension has the dimension's criteria, from the passages that are most like a query about
          both.

        Claims with the same statement are one claim. An unusable part of a reply is asked for again
        once. If it is still unusable, that part is unscored: the run, a claim's criteria, the
        criteria of one dimension, or one criterion.
        """
        return self._run(text, about, run, lambda reader: _distinct(reader.extract()))

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """The given claims, in their order, with the model's criteria in place of theirs.

        The mode is that of `extract`, so that runs are alike whether they find claims or are given
        them: one reply for all claims (at_once), or separate replies for each claim, from the whole
        paper or from passages.
        """

        def judge_given(reader: PaperReader | PassageReader) -> list[Claim]:
            judged = []
            for claim, criteria in zip(claims, reader.judge_all(claims), strict=True):
                judged.append(claim.model_copy(update={"criteria": criteria}))
            return judged

        return self._run(text, about, run, judge_given)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The downgrades that the leak audit proposes (section 3.5)."""
        reply = self._model.ask(
            self._prompts.leak_audit(claims), Leaks, run=AUDIT_RUN, step="leak audit"
        )
        return [_downgrade(claims, leak, "NO") for leak in reply.downgrades]

    def challenge(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> list[Downgrade]:
        """The downgrades that the devil's advocate proposes (section 3.8)."""
        messages = self._prompts.devils_advocate(claims, mode)
        reply = self._model.ask(messages, Challenges, run=AUDIT_RUN, step="devil's advocate")
        return [_downgrade(claims, challenge, challenge.after) for challenge in reply.downgrades]

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        """The model's status for the passages of a question, with its evidence.

        A model in the mode passages gives no evidence. Without a usable reply the status is None.
        Raises ValueError if the judge has no `item_prompts`.
        """
        if self._item_prompts is None:
            raise ValueError("a judge that is opened without item_prompts cannot judge passages")
        has_evidence = self._model.settings.mode != "passages"
        messages = self._item_prompts.judge_passages(question, rubric, evidence=has_evidence)
        form = item_reply(rubric.statuses, evidence=has_evidence)
        step = f"item {question.id}"
        # Questions may be asked at the same time, so each counts its calls by itself.
        model = self._model.with_own_counts()
        try:
            check_length(messages, model.settings, "the item")
            reply: Any = model.ask(messages, form, run=run, step=step)
        except Unscored as reason:
            return Answer(question.id, question.edit, None, f"{reason.kind}: {reason}")
        finally:
            self._model.add_counts(model)
        evidence = reply.evidence if has_evidence else ""
        return Answer(question.id, question.edit, reply.status, evidence)

    def take_usage(self) -> Usage:
        """The model's calls since `take_usage` was last called."""
        return self._model.take_usage()

    def _run(
        self,
        text: str,
        about: PaperText,
        run: int,
        get_claims: Callable[[PaperReader | PassageReader], list[Claim]],
    ) -> Run:
        """A run with the claims that `get_claims` gets from a reader of the paper.

        The run has a fault if the text has one, or if `get_claims` raises `Unscored`.
        """
        fault = about.fault
        claims: list[Claim] = []
        n_unusable = 0
        model = self._model.with_own_counts()
        if fault is None:
            reader_class = PassageReader if model.settings.mode == "passages" else PaperReader
            reader = reader_class(model, self._prompts, text, about, run)
            try:
                claims = get_claims(reader)
                n_unusable = reader.n_unusable if isinstance(reader, PaperReader) else 0
            except Unscored as reason:
                fault = Fault(kind=reason.kind, message=str(reason))
        return Run(
            judge=model.settings.name,
            paper=about.paper,
            run=run,
            claims=claims,
            usage=model.take_usage(),
            fault=fault,
            left_out=n_unusable,
            notes=model.take_notes(),
        )


@contextmanager
def open_language_model_judge(
    settings: JudgeSettings, files: JudgeFiles
) -> Iterator[LanguageModelJudge]:
    """A judge with its model. The server of an embedded model ends with the context."""
    prompts = Prompts.load(files.prompts)
    item_prompts = ItemPrompts.load(files.item_prompts) if files.item_prompts else None
    with language_model(settings, files.responses, gguf=files.weights) as model:
        yield LanguageModelJudge(model, prompts, item_prompts)


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without repetitions of a statement; case does not count.

    Of claims with the same statement the first is kept, in the position of the last: "Heads copy",
    "MLPs add" and "heads copy" become "MLPs add" and "Heads copy".
    """
    by_statement: dict[str, Claim] = {}
    for claim in reversed(claims):
        by_statement[claim.statement.lower()] = claim
    return list(reversed(by_statement.values()))


def _downgrade(claims: Sequence[Claim], leak: Leak, after: Status) -> Downgrade:
    """A proposal as a downgrade from the claim's own status; the audit decides whether it is
    allowed.

    A proposal about a claim that does not exist, or about a criterion without a status, is from NO;
    the audit leaves it out.
    """
    before = None
    claim_exists = 0 <= leak.claim < len(claims)
    if claim_exists:
        before = claims[leak.claim].criteria[leak.criterion].status
    return Downgrade(
        claim=leak.claim,
        criterion=leak.criterion,
        before=before or "NO",
        after=after,
        reason=leak.reason,
    )
