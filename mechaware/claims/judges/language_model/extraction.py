"""One independent run of a language model over a paper: its claims, and 27 criteria for each (sections 3.1 and 3.2)."""

from collections.abc import Callable, Sequence

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.model import LanguageModel
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.language_model.small_model import PassageReader
from mechaware.claims.judges.language_model.whole_paper import PaperReader
from mechaware.claims.rubric.records import Claim, Fault, PaperText, Run


def extract(model: LanguageModel, prompts: Prompts, text: str, about: PaperText, *, run: int) -> Run:
    """The claims that the model finds in the paper's text, judged in the mode of its settings.

    at_once: claims and criteria in one reply. claim_by_claim: the claims, then the criteria of each, all over the whole
    paper, with one reply for each claim. passages, for models that cannot hold a paper: the claims among sentences of
    its opening, then the criteria of each dimension, both from sentences that BM25 ranks highest.
    An unusable part of a reply is asked for again once; what is unusable then is unscored: the run, a claim's criteria,
    those of one dimension, or one of them.
    """

    def found(reader: PaperReader | PassageReader) -> list[Claim]:
        return _distinct(reader.extract())

    return _run(model, prompts, text, about, run, found)


def judge_claims(
    model: LanguageModel, prompts: Prompts, text: str, about: PaperText, claims: Sequence[Claim], *, run: int
) -> Run:
    """The given claims, in their order, with the model's criteria in place of theirs.

    A model in the mode passages judges from passages, any other from the whole paper, claim by claim.
    """

    def judged(reader: PaperReader | PassageReader) -> list[Claim]:
        return [claim.model_copy(update={"criteria": reader.judge(claim)}) for claim in claims]

    return _run(model, prompts, text, about, run, judged)


def _run(
    model: LanguageModel,
    prompts: Prompts,
    text: str,
    about: PaperText,
    run: int,
    claims_of: Callable[[PaperReader | PassageReader], list[Claim]],
) -> Run:
    """A run with the claims that a reader of the paper gives; with a fault if the text has one or nothing is usable."""
    fault, claims, notes = about.fault, [], []
    if fault is None:
        reader = (PassageReader if model.settings.mode == "passages" else PaperReader)(model, prompts, text, about, run)
        try:
            claims = claims_of(reader)
        except Unscored as reason:
            fault = Fault(kind=reason.kind, message=str(reason))
        notes = reader.notes
    return Run(
        judge=model.settings.name,
        paper=about.paper,
        run=run,
        claims=claims,
        usage=model.take_usage(),
        fault=fault,
        notes=notes,
    )


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without those that repeat an earlier statement, in capitals or not."""
    return list({claim.statement.lower(): claim for claim in reversed(claims)}.values())[::-1]
