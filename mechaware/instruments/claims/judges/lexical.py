"""The lexical judge: claims and statuses by search words,
the floor that a language model has to beat.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import read_yaml
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.components import ComponentNames
from mechaware.instruments.claims.judges.lexical_claims import (
    SYSTEM,
    VERB,
    find_claims,
    is_about_system,
    why_no_claim,
)
from mechaware.instruments.claims.judges.lexical_sentences import Sentence, read_sentences
from mechaware.instruments.claims.judges.quotes import quoted
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    LEAK_PRONE,
    STATUSES,
    Status,
)
from mechaware.instruments.claims.rubric.records import (
    Claim,
    Downgrade,
    Judgement,
    PaperText,
    Run,
    Usage,
)
from mechaware.instruments.claims.rubric.rubric import Rubric

# The fewest search words in one sentence for each status. On planted papers of the seeds 901 to
# 905, YES from 2 words on is right more often (on 48% of criteria; from 3 words on, 42%), but then
# any long text earns a high tier.
WORDS_FOR_YES = 3
WORDS_FOR_PARTIAL = 2
STEM_LETTERS = 6  # letters of a search word, so that "ablating" finds "ablation"
OF_THE_CLAIM = "Judged from the claim's own wording, not from the paper."
NEGATED = re.compile(
    r"(?i)\b(?:not|no|never|without|neither|nor|none|nothing|cannot|only)\b|n[\u2019']t\b"
)
# What a statement calls its components in words: "(number movers)", "act as number movers".
ALIAS = re.compile(
    r"\(([a-z][a-z-]+(?: [a-z][a-z-]+){0,2})\)|"
    r"\b(?:act as|called?|termed?) (?:the |an? )?([a-z][a-z-]+ [a-z-]+)|"
    r"\b[Tt]he ([a-z][a-z-]+ [a-z-]+), "
)


def search_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Finds the beginnings of search words, `STEM_LETTERS` letters of each,
    in a lower-case text.
    """
    stems = [word.lower()[:STEM_LETTERS] for word in words]
    return re.compile("|".join(rf"\b{re.escape(stem)}" for stem in stems))


class LexicalJudge:
    """The rules as a judge. They cost nothing, and every run gives the same claims.

    A claim is a sentence of the paper's opening with a component or a system and a verb of
    mechanism. If there is no such sentence, a claim is a sentence of the abstract, or a heading,
    that names a component only by its kind, as "attention heads".

    A sentence belongs to the claims whose components it names; all other sentences belong to the
    system-level claim. A criterion is decided by the claim's sentence with most of the criterion's
    search words: YES with `WORDS_FOR_YES` of them or more, PARTIAL with `WORDS_FOR_PARTIAL`, NO
    with fewer or if the sentence is negated. C1 is read from the claim's verb, not from the paper.
    """

    def __init__(self, name: str, terms: Mapping[str, Sequence[str]]) -> None:
        """`terms` are the search words of each criterion."""
        self._name = name
        self._words = {code: search_pattern(words) for code, words in terms.items()}

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One run over a paper."""
        claims = [] if about.fault else find_claims(text)
        return self.judge_claims(text, about, claims, run)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """One run over given claims of a paper; without claims its notes say why."""
        judged = [] if about.fault else self._judge(text, claims)
        return Run(
            judge=self._name,
            paper=about.paper,
            run=run,
            claims=judged,
            usage=Usage(),
            fault=about.fault,
            notes=[] if judged or about.fault else why_no_claim(text),
        )

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """A downgrade to NO for each leak-prone criterion of a component claim whose evidence
        names a whole system. Only PARTIAL and YES are downgraded.
        """
        leaks = []
        for index, claim in enumerate(claims):
            if claim.system:
                continue
            for code in LEAK_PRONE:
                judgement = claim.criteria[code]
                system = SYSTEM.search(judgement.evidence)
                if system is None or judgement.status not in ("PARTIAL", "YES"):
                    continue
                leaks.append(
                    Downgrade(
                        claim=index,
                        criterion=code,
                        before=judgement.status,
                        after="NO",
                        reason=f'it is of the "{system[0]}"',
                    )
                )
        return leaks

    def challenge(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> list[Downgrade]:
        """Nothing: rules have no second opinion."""
        del claims, mode
        return []

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        """The status by the search words of the passages.

        Raises `UserError` for a criterion without search words, or another rubric's statuses.

        C1, which the rules read from the claim's verb in a paper, is read from the passages like
        the others.
        """
        del run  # rules answer the same in each
        if question.criterion not in self._words or rubric.statuses != STATUSES:
            raise UserError(
                f"judge {self._name}: its rules know only the 27 criteria of Claim Validity Scores; name another judge"
            )
        sentences = read_sentences(question.text)
        hits = _count_hits(self._words[question.criterion], sentences)
        judged = _judgement(list(zip(hits, sentences, strict=True)))
        return Answer(question.id, question.edit, judged.status, judged.evidence)

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()

    def _judge(self, text: str, claims: Sequence[Claim]) -> list[Claim]:
        """The claims with criteria by the paper's sentences, and C1 by the statement's verb."""
        sentences = read_sentences(text)
        hits = {code: _count_hits(words, sentences) for code, words in self._words.items()}
        owned = _own_sentences(claims, sentences, ComponentNames(text))
        judged = []
        for claim, own in zip(claims, owned, strict=True):
            criteria = {}
            for code in CRITERIA:
                criteria[code] = _judgement([(hits[code][at], sentences[at]) for at in own])
            criteria["C1"] = _judge_wording(claim.statement)
            judged.append(claim.model_copy(update={"criteria": criteria}))
        return judged


@contextmanager
def open_lexical_judge(settings: JudgeSettings, files: JudgeFiles) -> Iterator[LexicalJudge]:
    """The lexical judge, which needs the criteria's search words and no settings but its name."""
    (path,) = (path for path in files.prompts if path.name == "criteria.yaml")
    criteria = read_yaml(path, str(path))
    yield LexicalJudge(settings.name, {code: criteria[code]["terms"] for code in CRITERIA})


def _own_sentences(
    claims: Sequence[Claim], sentences: Sequence[Sentence], names: ComponentNames
) -> list[list[int]]:
    """For each claim the indices of its sentences, without its statement.

    A component claim owns the sentences that name one of its components, the system-level claim all
    others.
    """
    keys = [names.keys_in(sentence.text) for sentence in sentences]
    owned: list[set[int]] = []
    taken_by_components: set[int] = set()
    for claim in claims:
        own = _naming(claim, sentences, keys, names)
        owned.append(own)
        if not _is_system_claim(claim, names):
            taken_by_components |= own

    all_others = set(range(len(sentences))) - taken_by_components
    by_claim = []
    for claim, own in zip(claims, owned, strict=True):
        indices = all_others if _is_system_claim(claim, names) else own
        by_claim.append(sorted(at for at in indices if sentences[at].text != claim.statement))
    return by_claim


def _naming(
    claim: Claim,
    sentences: Sequence[Sentence],
    keys: Sequence[frozenset[str]],
    names: ComponentNames,
) -> set[int]:
    """The indices of the sentences that name a component of a claim,
    by a key or by a word for it in the statement.
    """
    keys_of_claim = names.keys_in("; ".join([claim.statement, *claim.components]))
    aliases = []
    for match in ALIAS.finditer(claim.statement):
        aliases += [alias for alias in match.groups() if alias]

    naming = set()
    for at, sentence in enumerate(sentences):
        if keys_of_claim & keys[at] or any(alias in sentence.text for alias in aliases):
            naming.add(at)
    return naming


def _is_system_claim(claim: Claim, names: ComponentNames) -> bool:
    """Whether a claim is about the system: by `claim.system`; if None, by its statement."""
    if claim.system is None:
        return is_about_system(claim.statement, names)
    return claim.system


def _count_hits(words: re.Pattern[str], sentences: Sequence[Sentence]) -> list[int]:
    """How many different search words each sentence has."""
    return [len(set(words.findall(sentence.text.lower()))) for sentence in sentences]


def _judge_wording(statement: str) -> Judgement:
    """C1, by the verbs of a claim: YES if one of them says definitely what a component does."""
    definite = any(verb["definite"] for verb in VERB.finditer(statement))
    return Judgement(status="YES" if definite else "PARTIAL", evidence=OF_THE_CLAIM)


def _judgement(sentences_with_hits: Sequence[tuple[int, Sentence]]) -> Judgement:
    """The judgement by the claim's sentence with most search words, the first one in a tie.

    `sentences_with_hits` has the claim's sentences, each with its number of search words.
    """
    hits, sentence = max(sentences_with_hits, key=lambda pair: pair[0], default=(0, None))
    if sentence is None or hits < WORDS_FOR_PARTIAL or NEGATED.search(sentence.text):
        return Judgement(status="NO")
    status: Status = "YES" if hits >= WORDS_FOR_YES else "PARTIAL"
    return Judgement(
        status=status, evidence=quoted(sentence.text), quotes=[(sentence.start, sentence.end)]
    )
