"""The lexical judge: claims and statuses by keyword and pattern, the floor that a language model has to beat."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from rapidfuzz import fuzz

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.judge import JudgeFiles
from mechaware.claims.judges.lexical.audit import propose_leaks
from mechaware.claims.judges.lexical.claims import VERB, Candidate, description_mode, find_claims
from mechaware.claims.judges.lexical.evidence import NONE, Evidence, base_family
from mechaware.claims.judges.lexical.sentences import Sentence, read_sentences
from mechaware.claims.judges.lexical.words import ADDRESSES_JUDGE, OTHERS_WORK, OWN_WORK, SKIPPED_SECTION
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.records import Claim, Downgrade, Judgement, PaperText, Run, Usage


class LexicalJudge:
    """The rules as a judge. They cost nothing, and every run gives the same claims."""

    def __init__(self, name: str) -> None:
        self._name = name

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One run over a paper."""
        claims = [] if about.fault else judge_text(text)
        return Run(judge=self._name, paper=about.paper, run=run, claims=claims, usage=Usage(), fault=about.fault)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One run over given claims of a paper."""
        judged = [] if about.fault else judge_given(text, claims)
        return Run(judge=self._name, paper=about.paper, run=run, claims=judged, usage=Usage(), fault=about.fault)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The evidence sentences of component claims that name none of their components."""
        return propose_leaks(claims)

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """Nothing: rules have no second opinion."""
        del claims, mode
        return []

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()


@contextmanager
def open_lexical_judge(settings: JudgeSettings, files: JudgeFiles) -> Iterator[LexicalJudge]:
    """The lexical judge, which needs no files and no settings but its name."""
    del files
    yield LexicalJudge(settings.name)


def judge_text(text: str) -> list[Claim]:
    """The claims of a paper's text, judged by the tables of rules.py and words.py.

    Evidence is the sentence that decided, and `quotes` its place in `text`. Sentences that address a judge, report
    others' work or belong to a related-work section are ignored.
    """
    names = ComponentNames(text)
    sentences = [sentence for sentence in read_sentences(text, names) if not _is_ignored(sentence)]
    candidates = find_claims(sentences, names)
    parts = frozenset().union(*(candidate.keys for candidate in candidates if not candidate.system))
    base = base_family(text)
    claims = []
    for candidate in candidates:
        mode = description_mode(candidate)
        criteria, families = Evidence(candidate, sentences).decide(mode, base)
        claims.append(
            Claim(
                statement=candidate.statement,
                description_mode=mode,
                evidence_families=families,
                components=names.as_written(candidate.keys | parts if candidate.system else candidate.keys),
                criteria={code: _judgement(*criteria[code], text) for code in CRITERIA},
                system=candidate.system,
            )
        )
    return claims


def judge_given(text: str, claims: Sequence[Claim]) -> list[Claim]:
    """The given claims with the criteria that the paper's text earns them; every criterion is NO without a sentence."""
    names = ComponentNames(text)
    sentences = [sentence for sentence in read_sentences(text, names) if not _is_ignored(sentence)]
    base = base_family(text)
    judged = []
    for claim in claims:
        criteria = dict.fromkeys(CRITERIA, NONE)
        if sentences:
            candidate = _as_candidate(claim, sentences, names)
            criteria = dict(Evidence(candidate, sentences).decide(claim.description_mode, base)[0])
        judgements = {code: _judgement(*criteria[code], text) for code in CRITERIA}
        judged.append(claim.model_copy(update={"criteria": judgements}))
    return judged


def _as_candidate(claim: Claim, sentences: Sequence[Sentence], names: ComponentNames) -> Candidate:
    """A given claim as if its sentence were the one of the paper that shares most words with it."""
    nearest = max(sentences, key=lambda sentence: fuzz.token_set_ratio(claim.statement, sentence.text))
    verb = VERB.search(claim.statement)
    return Candidate(
        sentence=nearest,
        statement=claim.statement,
        keys=names.keys_in("; ".join([claim.statement, *claim.components])),
        system=bool(claim.system),
        strong=verb is not None and verb["strong"] is not None,
        score=0,
    )


def _is_ignored(sentence: Sentence) -> bool:
    text = sentence.text
    others = OTHERS_WORK.search(text) and not OWN_WORK.search(text)
    return bool(ADDRESSES_JUDGE.search(text) or others or SKIPPED_SECTION.search(sentence.section))


def _judgement(status: Status, sentence: Sentence | None, text: str) -> Judgement:
    if sentence is None:
        return Judgement(status=status)
    quote = (sentence.start, sentence.end)
    return Judgement(status=status, evidence=f'"{" ".join(text[slice(*quote)].split())}"', quotes=[quote])
