"""One independent run of a judge over a paper: its claims, and 27 criteria for each (sections 3.1 and 3.2)."""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from mechaware.claims.judges.language_model.model import LanguageModel, Unscored
from mechaware.claims.judges.language_model.passages import PassageIndex, split_passages, split_sentences
from mechaware.claims.judges.language_model.prompts import Prompts
from mechaware.claims.judges.language_model.quotes import locate_quotes
from mechaware.claims.judges.language_model.replies import (
    ClaimCriteria,
    FoundClaim,
    JudgedClaims,
    chosen_sentences,
    found_claims,
    statuses_by_passages,
)
from mechaware.claims.judges.lexical.claims import display
from mechaware.claims.judges.lexical.text import Names
from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, STATUSES, Dimension
from mechaware.claims.rubric.records import Claim, Fault, Judgement, PaperText, Run

OPENING_WORDS = 300  # of a paper, where its main claims stand
CANDIDATES = 3  # sentences of the opening for each claim that is wanted
LEAST_WORDS = 5  # of a sentence; a heading or a number is shorter
MEASUREMENT = "M"
PASSAGES = 2  # for each dimension of each claim


def extract(judge: LanguageModel, prompts: Prompts, text: str, about: PaperText, *, run: int) -> Run:
    """The claims that `judge` finds in the paper's text, judged in the number of steps of its settings.

    1: claims and criteria at once. 2: the claims, then the criteria of each. 3: the claims from the paper's opening,
    then the criteria of each dimension, both from what BM25 finds. A reply that cannot be used leaves unscored what
    it was asked for: the run, a claim's criteria, or those of one dimension.
    """
    steps = {1: _at_once, 2: _claim_by_claim, 3: _from_passages}
    fault, claims = about.fault, []
    if fault is None:
        try:
            claims = _distinct(steps[judge.settings.steps](judge, prompts, text, about, run))
        except Unscored as reason:
            fault = Fault(kind=reason.kind, message=str(reason))
    return Run(
        judge=judge.settings.name, paper=about.paper, run=run, claims=claims, usage=judge.take_usage(), fault=fault
    )


def unscored_criteria(reason: str, codes: Iterable[str] = CRITERIA) -> dict[str, Judgement]:
    """Criteria without a status, and why."""
    return {code: Judgement(status=None, evidence=f"[UNSCORED: {reason}]") for code in codes}


def _at_once(judge: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    _check_length(judge, text)
    messages = prompts.extract_all(text, about.flags, judge.settings.max_claims)
    reply = judge.ask(messages, JudgedClaims, run=run, step="claims")
    return [_claim(found, _judgements(found.criteria, text)) for found in reply.claims]


def _claim_by_claim(judge: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    _check_length(judge, text)
    messages = prompts.find_claims(text, about.flags, judge.settings.max_claims)
    reply: Any = judge.ask(messages, found_claims(judge.settings.max_claims), run=run, step="claims")

    def judged(found: FoundClaim) -> dict[str, Judgement]:
        asked = prompts.judge_claim(found, text, about.flags)
        return _judgements(judge.ask(asked, ClaimCriteria, run=run, step="criteria").criteria, text)

    return [_claim(found, _or_unscored(partial(judged, found), CRITERIA)) for found in reply.claims]


def _from_passages(judge: LanguageModel, prompts: Prompts, text: str, about: PaperText, run: int) -> list[Claim]:
    index = PassageIndex(split_passages(text))

    def judged(found: FoundClaim, dimension: Dimension) -> dict[str, Judgement]:
        about_it = " ".join(found.components) or found.statement
        query = f"{about_it} {prompts.query(dimension.code)}"
        passages = index.best(query, PASSAGES, without=found.statement)
        flags = about.flags if dimension.code == MEASUREMENT else []  # they bear on M1, and a small model reads slowly
        asked = prompts.judge_dimension_small(dimension.code, found.statement, passages, flags)
        wanted = statuses_by_passages(len(dimension.criteria), len(passages))
        answer: Any = judge.ask(asked, wanted, run=run, step=f"criteria {dimension.code}")
        words = zip(dimension.criteria, answer.statuses.split(), strict=True)
        return {code: _pointed_at(word, passages, text) for code, word in words}

    claims = []
    for found in _choose_claims(judge, prompts, text, run):
        criteria: dict[str, Judgement] = {}
        for dimension in DIMENSIONS:
            criteria |= _or_unscored(partial(judged, found, dimension), dimension.criteria)
        claims.append(_claim(found, criteria))
    return claims


def _choose_claims(judge: LanguageModel, prompts: Prompts, text: str, run: int) -> list[FoundClaim]:
    """The sentences of the paper's opening, of those found by BM25, that the judge points at."""
    opening = " ".join(text.split()[:OPENING_WORDS])
    sentences = [one for one in split_sentences(opening) if len(re.findall(r"\w+", one)) >= LEAST_WORDS]
    if not sentences:
        raise Unscored("no claims", "the paper's opening has no whole sentence")
    most = judge.settings.max_claims
    sentences = PassageIndex(sentences).best(prompts.claim_query, CANDIDATES * most)
    wanted = chosen_sentences(len(sentences), most)
    answer: Any = judge.ask(prompts.find_claims_small(sentences, most), wanted, run=run, step="claims")
    names = Names(text)
    return [_chosen(one, sentences, names) for one in answer.claims.split(", ")]


def _chosen(answer: str, sentences: Sequence[str], names: Names) -> FoundClaim:
    """The sentence that "2 algorithmic" points at as a claim, with the components that it names."""
    number, mode = answer.split()
    statement = sentences[int(number) - 1]
    named = frozenset().union(*(mention.keys for mention in names.mentions(statement)))
    return FoundClaim(
        statement=statement,
        description_mode=mode,
        evidence_families=[],  # not asked for: they bear on no score
        components=display(named, names),
    )


def _pointed_at(answer: str, passages: Sequence[str], text: str) -> Judgement:
    """A criterion with the passage that the judge points at as its evidence: "YES2" is YES by the second."""
    word = answer.rstrip("0123456789")
    number = answer.removeprefix(word)
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
        code: Judgement(status=one.status, evidence=one.evidence, quotes=locate_quotes(one.evidence, text))
        for code, one in judged.items()
    }


def _claim(found: FoundClaim, criteria: dict[str, Judgement]) -> Claim:
    return Claim(
        statement=" ".join(found.statement.split()),
        description_mode=found.description_mode,
        evidence_families=list(dict.fromkeys(found.evidence_families)),
        components=list(dict.fromkeys(name.strip() for name in found.components if name.strip())),
        criteria=criteria,
    )


def _distinct(claims: Sequence[Claim]) -> list[Claim]:
    """The claims without those whose statement was told before."""
    return list({claim.statement.lower(): claim for claim in reversed(claims)}.values())[::-1]


def _check_length(judge: LanguageModel, text: str) -> None:
    tokens = len(text) // 4  # of English, about
    if tokens > judge.settings.context_tokens:
        raise Unscored(
            "too long",
            f"the paper has about {tokens} tokens, the judge's context_tokens are {judge.settings.context_tokens}; "
            "judge it in 3 steps",
        )
