"""One independent run of a judge over a paper: its claims, and 27 criteria for each (sections 3.1 and 3.2)."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.model import LanguageModel
from mechaware.claims.judges.language_model.passages import PassageIndex, split_passages, split_sentences
from mechaware.claims.judges.language_model.prompts import Prompts, UnjudgedClaim
from mechaware.claims.judges.language_model.quotes import locate_quotes
from mechaware.claims.judges.language_model.replies import (
    ClaimCriteria,
    FoundClaim,
    JudgedClaims,
    chosen_sentences,
    found_claims,
    statuses_by_passages,
)
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES, Dimension
from mechaware.claims.rubric.records import Claim, Fault, Judgement, PaperText, Run

OPENING_WORDS = 300  # of a paper: its main claims are there
CANDIDATES = 3  # sentences of the opening for each claim of the settings' `max_claims`
LEAST_WORDS = 5  # of a sentence; a heading or a number is shorter
MEASUREMENT = "M"
SMALL_MODEL_STEPS = 3
PASSAGES = 2  # for each dimension of each claim


def extract(model: LanguageModel, prompts: Prompts, text: str, about: PaperText, *, run: int) -> Run:
    """The claims that the model finds in the paper's text, judged in the number of steps of its settings.

    1 step: claims and criteria at once. 2 steps: the claims, then the criteria of each. 3 steps: the claims among
    sentences of the paper's opening, then the criteria of each dimension, both from sentences that BM25 ranks highest.
    An unusable reply leaves unscored what it was asked for: the run, a claim's criteria, or those of one dimension.
    """
    steps = {1: _at_once, 2: _claim_by_claim, 3: _from_passages}
    extraction = steps[model.settings.steps]
    return _run(model, about, run, lambda: _distinct(extraction(model, prompts, text, about, run)))


def judge_claims(
    model: LanguageModel, prompts: Prompts, text: str, about: PaperText, claims: Sequence[Claim], *, run: int
) -> Run:
    """The given claims, in their order, with the model's criteria in place of theirs.

    A model whose settings have 3 steps judges from passages, any other from the whole paper, claim by claim.
    """
    criteria = _criteria_by_passages if model.settings.steps == SMALL_MODEL_STEPS else _criteria_by_paper

    def judged() -> list[Claim]:
        judge = criteria(model, prompts, text, about, run)
        return [claim.model_copy(update={"criteria": judge(claim)}) for claim in claims]

    return _run(model, about, run, judged)


def _run(model: LanguageModel, about: PaperText, run: int, judged: Callable[[], list[Claim]]) -> Run:
    """A run with the claims that `judged` gives; with a fault if the text has one or `judged` raises `Unscored`."""
    fault, claims = about.fault, []
    if fault is None:
        try:
            claims = judged()
        except Unscored as reason:
            fault = Fault(kind=reason.kind, message=str(reason))
    return Run(
        judge=model.settings.name, paper=about.paper, run=run, claims=claims, usage=model.take_usage(), fault=fault
    )


def unscored_criteria(reason: str, codes: Iterable[str] = CRITERIA) -> dict[str, Judgement]:
    """Criteria without a status, with the reason as evidence."""
    return {code: Judgement(status=None, evidence=f"[UNSCORED: {reason}]") for code in codes}


def _at_once(model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    _check_length(model, text)
    messages = prompts.extract_all(text, about.flags, model.settings.max_claims)
    reply = model.ask(messages, JudgedClaims, run=run, step="claims")
    return [_claim(proposed, _judgements(proposed.criteria, text)) for proposed in reply.claims]


def _claim_by_claim(model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    criteria = _criteria_by_paper(model, prompts, text, about, run)
    messages = prompts.find_claims(text, about.flags, model.settings.max_claims)
    reply: Any = model.ask(messages, found_claims(model.settings.max_claims), run=run, step="claims")
    return [_claim(proposed, criteria(proposed)) for proposed in reply.claims]


def _from_passages(model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    criteria = _criteria_by_passages(model, prompts, text, about, run)
    return [_claim(proposed, criteria(proposed)) for proposed in _choose_claims(model, prompts, text, run)]


def _criteria_by_paper(
    model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int
) -> Callable[[UnjudgedClaim], dict[str, Judgement]]:
    """A function that judges one claim over the whole paper. Raises `Unscored` if the paper is too long."""
    _check_length(model, text)

    def judged(claim: UnjudgedClaim) -> dict[str, Judgement]:
        question = prompts.judge_claim(claim, text, about.flags)
        return _judgements(model.ask(question, ClaimCriteria, run=run, step="criteria").criteria, text)

    return lambda claim: _or_unscored(partial(judged, claim), CRITERIA)


def _criteria_by_passages(
    model: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int
) -> Callable[[UnjudgedClaim], dict[str, Judgement]]:
    """A function that judges one claim, dimension by dimension, from the passages that BM25 ranks highest."""
    index = PassageIndex(split_passages(text))

    def judged(claim: UnjudgedClaim, dimension: Dimension) -> dict[str, Judgement]:
        subject = " ".join(claim.components) or claim.statement
        query = f"{subject} {prompts.query(dimension.code)}"
        passages = index.best(query, PASSAGES, without=claim.statement)
        flags = about.flags if dimension.code == MEASUREMENT else []  # they concern M1, and a small model reads slowly
        question = prompts.judge_dimension_small(dimension.code, claim.statement, passages, flags)
        form = statuses_by_passages(len(dimension.criteria), len(passages))
        reply: Any = model.ask(question, form, run=run, step=f"criteria {dimension.code}")
        statuses = zip(dimension.criteria, reply.statuses.split(), strict=True)
        return {code: _judgement_by_passage(status, passages, text) for code, status in statuses}

    def all_judged(claim: UnjudgedClaim) -> dict[str, Judgement]:
        criteria: dict[str, Judgement] = {}
        for dimension in DIMENSIONS:
            criteria |= _or_unscored(partial(judged, claim, dimension), dimension.criteria)
        return criteria

    return all_judged


def _choose_claims(model: LanguageModel, prompts: Prompts, text: str, run: int) -> list[FoundClaim]:
    """The sentences of the paper's opening that the model chooses among those that BM25 ranks highest."""
    opening = " ".join(text.split()[:OPENING_WORDS])
    sentences = [sentence for sentence in split_sentences(opening) if len(re.findall(r"\w+", sentence)) >= LEAST_WORDS]
    if not sentences:
        raise Unscored("no claims", "the paper's opening has no whole sentence")
    most = model.settings.max_claims
    sentences = PassageIndex(sentences).best(prompts.claim_query, CANDIDATES * most)
    form = chosen_sentences(len(sentences), most)
    reply: Any = model.ask(prompts.find_claims_small(sentences, most), form, run=run, step="claims")
    names = ComponentNames(text)
    return [_chosen_claim(choice, sentences, names) for choice in reply.claims.split(", ")]


def _chosen_claim(choice: str, sentences: Sequence[str], names: ComponentNames) -> FoundClaim:
    """The claim of a choice as "2 algorithmic": the second sentence, with the components that it names."""
    number, mode = choice.split()
    statement = sentences[int(number) - 1]
    return FoundClaim(
        statement=statement,
        description_mode=mode,
        evidence_families=[],  # not asked for: they affect no score
        components=names.as_written(names.keys_in(statement)),
    )


def _judgement_by_passage(reply: str, passages: Sequence[str], text: str) -> Judgement:
    """A criterion with a passage as its evidence: "YES2" is YES by the second."""
    word = reply.rstrip("0123456789")
    number = reply.removeprefix(word)
    status = STATUSES[STATUSES.index(word)]
    evidence = f'"{passages[int(number) - 1]}"' if number else ""
    return Judgement(status=status, evidence=evidence, quotes=locate_quotes(evidence, text))


def _or_unscored(judged: Callable[[], dict[str, Judgement]], codes: Iterable[str]) -> dict[str, Judgement]:
    try:
        return judged()
    except Unscored as reason:
        return unscored_criteria(str(reason), codes)


def _judgements(criteria: Any, text: str) -> dict[str, Judgement]:
    judged = {code: getattr(criteria, code) for code in CRITERIA}
    return {
        code: Judgement(status=reply.status, evidence=reply.evidence, quotes=locate_quotes(reply.evidence, text))
        for code, reply in judged.items()
    }


def _claim(proposed: FoundClaim, criteria: dict[str, Judgement]) -> Claim:
    return Claim(
        statement=" ".join(proposed.statement.split()),
        description_mode=proposed.description_mode,
        evidence_families=list(dict.fromkeys(proposed.evidence_families)),
        components=list(dict.fromkeys(name.strip() for name in proposed.components if name.strip())),
        criteria=criteria,
    )


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without those that repeat an earlier statement, in capitals or not."""
    return list({claim.statement.lower(): claim for claim in reversed(claims)}.values())[::-1]


def _check_length(model: LanguageModel, text: str) -> None:
    tokens = len(text) // 4  # roughly, for English
    if tokens > model.settings.context_tokens:
        raise Unscored(
            "too long",
            f"the paper has about {tokens} tokens, the judge's context_tokens are {model.settings.context_tokens}; "
            "judge it in 3 steps",
        )
