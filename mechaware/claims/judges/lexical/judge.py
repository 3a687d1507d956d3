"""The lexical judge: claims and statuses by keyword and pattern, the floor that a language model has to beat."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.judge import JudgeFiles
from mechaware.claims.judges.lexical.audit import propose_leaks
from mechaware.claims.judges.lexical.claims import description_mode, find_claims
from mechaware.claims.judges.lexical.evidence import Evidence, base_family
from mechaware.claims.judges.lexical.sentences import Sentence, read_sentences
from mechaware.claims.judges.lexical.words import OTHERS_WORK, OWN_WORK, SKIPPED_SECTION
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.reading.addressing import ADDRESSES_JUDGE
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
            )
        )
    return claims


def _is_ignored(sentence: Sentence) -> bool:
    text = sentence.text
    others = OTHERS_WORK.search(text) and not OWN_WORK.search(text)
    return bool(ADDRESSES_JUDGE.search(text) or others or SKIPPED_SECTION.search(sentence.section))


def _judgement(status: Status, sentence: Sentence | None, text: str) -> Judgement:
    if sentence is None:
        return Judgement(status=status)
    quote = (sentence.start, sentence.end)
    return Judgement(status=status, evidence=f'"{" ".join(text[slice(*quote)].split())}"', quotes=[quote])
