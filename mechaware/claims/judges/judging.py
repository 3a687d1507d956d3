"""The judges behind one interface: a language model over HTTP, embedded or anybody's, and the lexical rules."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from mechaware.claims.judges.language_model.extraction import extract
from mechaware.claims.judges.language_model.model import LanguageModel, language_model
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.language_model.replies import Challenges, Leak, Leaks
from mechaware.claims.judges.lexical.judge import judge as judge_by_rules
from mechaware.claims.judges.lexical.judge import lexical_audit
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.criteria import Status
from mechaware.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage

AUDIT = 0  # the audit looks once at what all runs left


@runtime_checkable
class Judge(Protocol):
    """What judges a paper, and takes a second look at its own claims without the paper."""

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper."""

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """What the leak audit would take back. Raises `Unscored`."""

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """What the devil's advocate would lower. Raises `Unscored`."""

    def take_usage(self) -> Usage:
        """What was asked of the judge since this was last called."""


class ModelJudge:
    """A language model with its prompts."""

    def __init__(self, model: LanguageModel, prompts: Prompts) -> None:
        self._model = model
        self._prompts = prompts

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One independent run over a paper."""
        return extract(self._model, self._prompts, text, about, run=run)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """What the leak audit would take back (section 3.5)."""
        reply = self._model.ask(self._prompts.leak_audit(claims), Leaks, run=AUDIT, step="leak audit")
        return [_downgrade(claims, leak, "NO") for leak in reply.downgrades]

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """What the devil's advocate would lower (section 3.8)."""
        messages = self._prompts.devils_advocate(claims, mode)
        reply = self._model.ask(messages, Challenges, run=AUDIT, step="devil's advocate")
        return [_downgrade(claims, one, one.after) for one in reply.downgrades]

    def take_usage(self) -> Usage:
        """What was asked of the model since this was last called."""
        return self._model.take_usage()


class LexicalJudge:
    """The rules, which cost nothing and always say the same."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One run over a paper, like every other."""
        if about.fault is not None:
            return Run(
                judge=self._settings.name, paper=about.paper, run=run, claims=[], usage=Usage(), fault=about.fault
            )
        return judge_by_rules(text, paper=about.paper, judge=self._settings.name, run=run)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """Evidence sentences of component claims that name none of their components."""
        return lexical_audit(claims)

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """Nothing: rules have no second opinion."""
        del claims, mode
        return []

    def take_usage(self) -> Usage:
        """Nothing."""
        return Usage()


@contextmanager
def open_judge(settings: JudgeSettings, *, prompts: Path, responses: Path, weights: Sequence[Path]) -> Iterator[Judge]:
    """The judge of these settings. `prompts` is a version's folder; `responses` holds a folder of replies per judge.

    `weights` is the GGUF file of an embedded judge, or nothing. Its server runs from the first call that the stored
    replies do not answer until the context ends.
    """
    if settings.kind == "lexical":
        yield LexicalJudge(settings)
        return
    wording = Prompts.load(prompts)
    with language_model(settings, responses / settings.name, gguf=next(iter(weights), None)) as model:
        yield ModelJudge(model, wording)


def _downgrade(claims: Sequence[Claim], leak: Leak, after: Status) -> Downgrade:
    """A proposal as a downgrade; whether it can be one, the audit decides."""
    known = 0 <= leak.claim < len(claims)
    before = claims[leak.claim].criteria[leak.criterion].status if known else None
    return Downgrade(claim=leak.claim, criterion=leak.criterion, before=before or "NO", after=after, reason=leak.reason)
