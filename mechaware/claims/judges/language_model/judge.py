"""A language model as a judge: any provider's, any OpenAI-compatible server's, or the embedded one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from mechaware.claims.judges.judge import JudgeFiles
from mechaware.claims.judges.language_model.extraction import extract, judge_claims
from mechaware.claims.judges.language_model.model import LanguageModel, language_model
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.language_model.replies import Challenges, Leak, Leaks
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.criteria import Status
from mechaware.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage

AUDIT_RUN = 0  # the audit has one run, over the vote of all runs


class LanguageModelJudge:
    """A language model with its prompts."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper."""
        return extract(self._model, self._prompts, text, about, run=run)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One independent run over given claims of a paper."""
        return judge_claims(self._model, self._prompts, text, about, claims, run=run)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The downgrades that the leak audit proposes (section 3.5)."""
        reply = self._model.ask(self._prompts.leak_audit(claims), Leaks, run=AUDIT_RUN, step="leak audit")
        return [_downgrade(claims, leak, "NO") for leak in reply.downgrades]

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """The downgrades that the devil's advocate proposes (section 3.8)."""
        messages = self._prompts.devils_advocate(claims, mode)
        reply = self._model.ask(messages, Challenges, run=AUDIT_RUN, step="devil's advocate")
        return [_downgrade(claims, challenge, challenge.after) for challenge in reply.downgrades]

    def take_usage(self) -> Usage:
        """The model's calls since this was last called."""
        return self._model.take_usage()


@contextmanager
def open_language_model_judge(settings: JudgeSettings, files: JudgeFiles) -> Iterator[LanguageModelJudge]:
    """A judge with its model, whose server, if embedded, ends with the context."""
    prompts = Prompts.load(files.prompts)
    with language_model(settings, files.responses, gguf=files.weights) as model:
        yield LanguageModelJudge(model, prompts)


def _downgrade(claims: Sequence[Claim], leak: Leak, after: Status) -> Downgrade:
    """A proposal as a downgrade; the audit decides whether it is allowed."""
    known = 0 <= leak.claim < len(claims)
    before = claims[leak.claim].criteria[leak.criterion].status if known else None
    return Downgrade(claim=leak.claim, criterion=leak.criterion, before=before or "NO", after=after, reason=leak.reason)
