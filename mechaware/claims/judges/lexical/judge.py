"""The lexical judge: claims and statuses by search words, the floor that a language model has to beat."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.judge import JudgeFiles
from mechaware.claims.judges.language_model.quotes.locating import quoted
from mechaware.claims.judges.lexical.claims import SYSTEM, aliases, find_claims, is_definite, is_system
from mechaware.claims.judges.lexical.sentences import Sentence, read_sentences
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.reading.addressing import addresses_judge
from mechaware.claims.rubric.criteria import CRITERIA, LEAK_PRONE, Status
from mechaware.claims.rubric.records import Claim, Downgrade, Judgement, PaperText, Run, Usage
from mechaware.configuration import read_yaml

# Least search words in one sentence. On planted papers of the seeds 901 to 905, YES from 2 words on is right more often
# (48% of criteria, not 42%), but then any long text earns a high tier.
YES, PARTIAL = 3, 2
STEM = 6  # letters of a search word, so that "ablating" finds "ablation"
OF_THE_CLAIM = "Judged from the claim's own wording, not from the paper."
NEGATED = re.compile(r"(?i)\b(?:not|no|never|without|neither|nor|none|nothing|cannot|only)\b|n[\u2019']t\b")


class LexicalJudge:
    """The rules as a judge. They cost nothing, and every run gives the same claims.

    A claim is a sentence of the paper's opening with a component or a system and a verb of mechanism (`claims.py`). A
    criterion is decided by the sentence of the claim with most of the criterion's search words: YES for `YES` of them
    or more, PARTIAL for `PARTIAL`, NO for fewer or if the sentence is negated. A sentence belongs to the claims whose
    components it names, any other one to the system-level claim. C1 is read from the claim's verb, not from the paper.
    """

    def __init__(self, name: str, terms: Mapping[str, Sequence[str]]) -> None:
        """`terms` are the search words of each criterion."""
        self._name = name
        self._words = {
            code: re.compile("|".join(rf"\b{re.escape(word.lower()[:STEM])}" for word in words))
            for code, words in terms.items()
        }

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One run over a paper."""
        claims = [] if about.fault else _find(text)
        return self.judge_claims(text, about, claims, run)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One run over given claims of a paper."""
        judged = [] if about.fault else self._judge(text, claims)
        return Run(judge=self._name, paper=about.paper, run=run, claims=judged, usage=Usage(), fault=about.fault)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The evidence of component claims, on the leak-prone criteria, that speaks of a whole system."""
        return [
            Downgrade(
                claim=index, criterion=code, before=judged.status, after="NO", reason=f'it is of the "{whole[0]}"'
            )
            for index, claim in enumerate(claims)
            for code in LEAK_PRONE
            if not claim.system
            and (judged := claim.criteria[code]).status in ("PARTIAL", "YES")
            and (whole := SYSTEM.search(judged.evidence))
        ]

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """Nothing: rules have no second opinion."""
        del claims, mode
        return []

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()

    def _judge(self, text: str, claims: Sequence[Claim]) -> list[Claim]:
        sentences = _read(text)
        hits = {
            code: [len(set(words.findall(one.text.lower()))) for one in sentences]
            for code, words in self._words.items()
        }
        judged = []
        for claim, own in zip(claims, _own_sentences(claims, sentences, ComponentNames(text)), strict=True):
            criteria = {code: _judgement([(hits[code][at], sentences[at]) for at in own]) for code in CRITERIA}
            criteria["C1"] = Judgement(
                status="YES" if is_definite(claim.statement) else "PARTIAL", evidence=OF_THE_CLAIM
            )
            judged.append(claim.model_copy(update={"criteria": criteria}))
        return judged


@contextmanager
def open_lexical_judge(settings: JudgeSettings, files: JudgeFiles) -> Iterator[LexicalJudge]:
    """The lexical judge, which needs the criteria's search words and no settings but its name."""
    (path,) = (path for path in files.prompts if path.name == "criteria.yaml")
    criteria = read_yaml(path, str(path))
    yield LexicalJudge(settings.name, {code: criteria[code]["terms"] for code in CRITERIA})


def _read(text: str) -> list[Sentence]:
    return [sentence for sentence in read_sentences(text) if not addresses_judge(sentence.text)]


def _find(text: str) -> list[Claim]:
    names = ComponentNames(text)
    return [
        Claim(
            statement=found.sentence.text,
            description_mode="implementational-functional",
            evidence_families=[],
            components=names.as_written(found.keys),
            criteria={},
            system=found.system,
        )
        for found in find_claims(_read(text), names)
    ]


def _own_sentences(claims: Sequence[Claim], sentences: Sequence[Sentence], names: ComponentNames) -> list[list[int]]:
    """For each claim the indices of its sentences, without its statement.

    A component claim owns the sentences that name one of its components, the system-level claim all others.
    """
    named = [names.keys_in(sentence.text) for sentence in sentences]
    owned = []
    for claim in claims:
        keys, words = names.keys_in("; ".join([claim.statement, *claim.components])), aliases(claim.statement)
        owned.append(
            {
                at
                for at, sentence in enumerate(sentences)
                if keys & named[at] or any(word in sentence.text for word in words)
            }
        )
    systems = [is_system(claim.statement, names) if claim.system is None else claim.system for claim in claims]
    parts = {at for own, system in zip(owned, systems, strict=True) if not system for at in own}
    others = set(range(len(sentences))) - parts
    return [
        sorted(at for at in (others if system else own) if sentences[at].text != claim.statement)
        for claim, own, system in zip(claims, owned, systems, strict=True)
    ]


def _judgement(found: Sequence[tuple[int, Sentence]]) -> Judgement:
    """The judgement by the first sentence with most search words among the claim's, given with their numbers."""
    hits, sentence = max(found, key=lambda pair: pair[0], default=(0, None))
    if sentence is None or hits < PARTIAL or NEGATED.search(sentence.text):
        return Judgement(status="NO")
    status: Status = "YES" if hits >= YES else "PARTIAL"
    return Judgement(status=status, evidence=quoted(sentence.text), quotes=[(sentence.start, sentence.end)])
