"""The lexical judge: claims and statuses by search words, the floor that a language model has to beat."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.schema import read_yaml
from mechaware.instruments.claims.items.edits import Question
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.components import ComponentNames
from mechaware.instruments.claims.judges.quotes import quoted
from mechaware.instruments.claims.judges.settings import JudgeFiles, JudgeSettings
from mechaware.instruments.claims.reading.addressing import addresses_judge
from mechaware.instruments.claims.reading.sentences import sentence_spans
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

# Sentences.
NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|#+)\s+")  # of a heading
HEADING = re.compile(
    r"(?m)^(?:\d+(?:\.\d+)*\.?\s+|#+\s+)?[A-Z](?:[^.!?,;:\n]|\.\d){1,60}\n(?=\s*[A-Z])"
)
SENTENCE_END = re.compile(
    r"(?<!\bal)(?<!\bFig)(?<!\bEq)(?<!\bSec)(?<!\be\.g)(?<!\bi\.e)[.!?][\"”)\]]*\s+(?=[A-Z0-9\"“(\[])|\n\s*\n"
)
REFERENCES = re.compile(r"(?m)^\W*(?:\d+\.?\s+)?(?:References|Bibliography)\s*$")
# Results of other papers: a citation, and no word of one's own.
CITED = re.compile(
    r"et al\b|\(\d{4}[a-z]?\)|,\s+\d{4}[a-z]?[);]|\b(?:prior|previous|earlier) (?:work|studies|papers)\b"
)
OWN = re.compile(r"(?i)\b(?:we|our|us)\b")
MAX_SENTENCE = 1500  # characters; anything longer is a table

# Claims.
OPENING = 6000  # characters: abstract and introduction
# From the word, behind names and addresses, to the introduction; both may be missing.
ABSTRACT = re.compile(
    r"(?is)(?:.{0,10000}?\babstract\b)?(?P<text>.{0,3000}?(?=\n\W*(?:\d+\.?\s+|I\.\s+)?Introduction\b)|.{0,2000})"
)
MAX_CLAIMS = 8
REACH = 60  # characters between a subject and its verb

SYSTEM = re.compile(r"(?i)\b(?:circuit|mechanism|algorithm|sub-?network|pathway)s?\b(?!-)")
DEFINITE = (
    r"(?:implement|perform|comput|execut|cop(?:y|i)|mov|send|sent|pass|rout|read|writ|writt|stor|hold|held|keep|kept|"
    r"record|track|mark|detect|encod|represent|attend|match|compar|select|add|suppress|inhibit|promot|boost|predict|"
    r"carr(?:y|i)|solv|retriev|act|serv|work|transform|map|combin|determin|collect|rais|find)(?:e|es|s|ed|d|en|t)?\b"
)
VAGUE = (
    r"(?:involv|contribut|participat|matter|support|mediat|relat|associat)(?:e|es|s|ed|d)?\b|"
    r"(?:play|tak)(?:e|es|s)? (?:an? )?(?:part|role)\b"
)
VERB = re.compile(rf"(?i)\b(?:(?P<definite>{DEFINITE})|{VAGUE})")
BY = re.compile(r"(?i)\s*(?:out )?(?:by|in|through)\b")
FINDS = re.compile(
    r"(?i)\bwe (?:\w+ )?(?:show|find|identify|discover|demonstrate|report|reverse-engineer)\b"
)
# Before the verb: what is denied, defined or done to a component is no claim about what it does.
NO_CLAIM = re.compile(
    r"(?i)^(?:figure|table)\b|\b(?:not|never|cannot|neither|nor|\w*ablat\w+|knock\w*|remov\w+|patch\w+|defin\w+|denot\w+)\b"
)
# A component by its kind alone, and the verbs that real abstracts have besides. For papers of which the stricter words
# find no claim: "we present attention heads that increment numbers".
KIND = re.compile(
    r"(?i)\b(?:heads?|neurons?|mlps?|perceptrons?|feed-?forward|layers?|sub-?spaces?|directions?|representations?|"
    r"circuits?|mechanisms?|algorithms?|sub-?networks?|features?|latents?)\b(?!-)"
)
DOES = re.compile(
    rf"(?i)\b(?:{DEFINITE}|{VAGUE}|(?:increment|complet|convert|turn|us|mediat|control|amplif(?:y|i)|clos|count|shift|"
    r"rotat|underli|driv|caus|answer|respond|recall)(?:es|e|s|ed|d)?\b)"
)
FAR = 100  # characters between such a component and its verb
DOUBT = re.compile(r"(?i)[.;?)]|\b(?:should|must|ought|could|would|might|may|whether)\b")
NEAREST = 3  # sentences that are shown where none is a claim
NO_CLAIM_FOUND = (
    "The rules look for a sentence of the opening, or a heading, that names a component of a model (a head, a neuron, "
    "an MLP, a circuit) and then says what it does. The nearest:"
)
NO_VERB = "names a component, but not what it does"
NO_COMPONENT = "says what something does, but names no component of a model"
NO_DOER = "names a component and an action, but does not state that the component does it"
BREAK = re.compile(
    r"(?i)[.;:?]|\b(?:should|must|ought|could|would|can|may|might|whether|how|that|which)\b"
)
# What a statement calls its components in words: "(number movers)", "act as number movers".
ALIAS = re.compile(
    r"\(([a-z][a-z-]+(?: [a-z][a-z-]+){0,2})\)|"
    r"\b(?:act as|called?|termed?) (?:the |an? )?([a-z][a-z-]+ [a-z-]+)|"
    r"\b[Tt]he ([a-z][a-z-]+ [a-z-]+), "
)

# Statuses.
# Least search words in one sentence. On planted papers of the seeds 901 to 905, YES from 2 words on is right more often
# (48% of criteria, not 42%), but then any long text earns a high tier.
YES, PARTIAL = 3, 2
STEM_LETTERS = 6  # letters of a search word, so that "ablating" finds "ablation"
OF_THE_CLAIM = "Judged from the claim's own wording, not from the paper."
NEGATED = re.compile(
    r"(?i)\b(?:not|no|never|without|neither|nor|none|nothing|cannot|only)\b|n[\u2019']t\b"
)


class _Sentence(NamedTuple):
    """A sentence on one line, and its place [start, end) in the paper's text."""

    start: int
    end: int
    text: str


def _read_sentences(text: str) -> list[_Sentence]:
    """The sentences before the list of references, but for those that report others' work or address a judge."""
    references = REFERENCES.search(text)
    body = text[: references.start()] if references else text
    body = HEADING.sub(lambda heading: " " * (len(heading[0]) - 2) + "\n\n", body)  # no place moves
    spans = sentence_spans(body, SENTENCE_END)
    sentences = [_Sentence(start, end, " ".join(body[start:end].split())) for start, end in spans]
    return [
        sentence
        for sentence in sentences
        if len(sentence.text) <= MAX_SENTENCE
        and (OWN.search(sentence.text) or not CITED.search(sentence.text))
        and not addresses_judge(sentence.text)
    ]


def _find_claims(text: str) -> list[Claim]:
    """At most `MAX_CLAIMS`: the first system-level one, then one for each set of components, in the paper's order.

    A claim without a named component is about the system.
    """
    names = ComponentNames(text)
    found: list[tuple[str, frozenset[str], bool]] = []
    for sentence in _claim_sentences(text, names):
        keys = names.keys_in(sentence.text)
        system = _is_system(sentence.text, names) or not keys
        if not any(is_system if system else others == keys for _, others, is_system in found):
            found.append((sentence.text, keys, system))
    return [
        Claim(
            statement=statement,
            description_mode="implementational-functional",
            evidence_families=[],
            components=names.as_written(keys),
            criteria={},
            system=system,
        )
        for statement, keys, system in sorted(found, key=lambda claim: not claim[2])[:MAX_CLAIMS]
    ]


def _claim_sentences(text: str, names: ComponentNames) -> list[_Sentence]:
    """The sentences of the opening that are claims. Without any, those of the abstract and the headings by `KIND`.

    Of the latter those that say "we find" or the like come first.
    """
    sentences = _read_sentences(text)
    claims = [one for one in sentences if one.start < OPENING and _is_claim(one.text, names)]
    by_kind = (
        one for one in _abstract_and_headings(text, sentences) if _says_what_a_kind_does(one.text)
    )
    return claims or sorted(by_kind, key=lambda one: FINDS.search(one.text) is None)


def _abstract_and_headings(text: str, sentences: Sequence[_Sentence]) -> list[_Sentence]:
    found = ABSTRACT.match(text)
    start, end = found.span("text") if found else (0, 0)
    abstract = [one for one in sentences if start < one.end and one.start < end]
    headings = (
        _Sentence(*match.span(), " ".join(NUMBER.sub("", match[0]).split()))
        for match in HEADING.finditer(text)
    )
    return [*abstract, *(one for one in headings if not addresses_judge(one.text))]


def _why_no_claim(text: str) -> list[str]:
    """In words, what a claim is, and why the `NEAREST` sentences that come nearest to one are none."""
    nearest = []
    for one in _abstract_and_headings(text, _read_sentences(text)):
        kind, verb = KIND.search(one.text), DOES.search(one.text)
        if kind and verb:
            nearest.append((0, f'"{one.text}": {NO_DOER}'))
        elif kind or verb:
            nearest.append((1, f'"{one.text}": {NO_VERB if kind else NO_COMPONENT}'))
    return [
        NO_CLAIM_FOUND,
        *(note for _, note in sorted(nearest, key=lambda pair: pair[0])[:NEAREST]),
    ]


def _is_claim(text: str, names: ComponentNames) -> bool:
    """Whether a verb of mechanism follows a component or system that does it ("is done by" comes before it).

    A system alone needs "we find" or the like: many papers speak of circuits, few of one that they found.
    """
    doers = [(mention.start, mention.end) for mention in names.mentions(text)]
    if doers or FINDS.search(text):
        doers += [match.span() for match in SYSTEM.finditer(text)]
    return any(
        _does(text, start, end, verb) and not NO_CLAIM.search(text[: verb.start()])
        for verb in VERB.finditer(text)
        for start, end in doers
    )


def _says_what_a_kind_does(text: str) -> bool:
    """As `_is_claim`, for a component that is named by its kind alone, and with "that" or "which" before the verb."""
    return any(
        0 <= verb.start() - kind.end() <= FAR
        and not DOUBT.search(text[kind.end() : verb.start()])
        and not NO_CLAIM.search(text[: verb.start()])
        and not text.endswith("?")
        and "whether" not in text[: kind.start()]
        for kind in KIND.finditer(text)
        for verb in DOES.finditer(text)
    )


def _is_system(text: str, names: ComponentNames) -> bool:
    """Whether the statement is about a system: it names one, and no component before it."""
    system, mentions = SYSTEM.search(text), names.mentions(text)
    return system is not None and not (mentions and mentions[0].start < system.start())


def _does(text: str, start: int, end: int, verb: re.Match[str]) -> bool:
    """Whether what stands at [start, end) is near the verb and does what it says."""
    if 0 <= verb.start() - end <= REACH:
        return not BREAK.search(text[end : verb.start()])
    return 0 <= start - verb.end() <= REACH and BY.match(text, verb.end(), start) is not None


def search_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Finds the beginnings of search words, `STEM_LETTERS` letters of each, in a text in small letters."""
    return re.compile("|".join(rf"\b{re.escape(word.lower()[:STEM_LETTERS])}" for word in words))


class _LexicalJudge:
    """The rules as a judge. They cost nothing, and every run gives the same claims.

    A claim is a sentence of the paper's opening with a component or a system and a verb of mechanism. If there is none,
    it is a sentence of the abstract, or a heading, that names a component by its kind alone, as "attention heads". A
    criterion is decided by the sentence of the claim with most of the criterion's search words: YES for `YES` of them
    or more, PARTIAL for `PARTIAL`, NO for fewer or if the sentence is negated. A sentence belongs to the claims whose
    components it names, any other one to the system-level claim. C1 is read from the claim's verb, not from the paper.
    """

    def __init__(self, name: str, terms: Mapping[str, Sequence[str]]) -> None:
        """`terms` are the search words of each criterion."""
        self._name = name
        self._words = {code: search_pattern(words) for code, words in terms.items()}

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """One run over a paper."""
        return self.judge_claims(text, about, [] if about.fault else _find_claims(text), run)

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
            notes=[] if judged or about.fault else _why_no_claim(text),
        )

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The evidence of component claims, on the leak-prone criteria, that speaks of a whole system."""
        return [
            Downgrade(
                claim=index,
                criterion=code,
                before=judged.status,
                after="NO",
                reason=f'it is of the "{whole[0]}"',
            )
            for index, claim in enumerate(claims)
            for code in LEAK_PRONE
            if not claim.system
            and (judged := claim.criteria[code]).status in ("PARTIAL", "YES")
            and (whole := SYSTEM.search(judged.evidence))
        ]

    def challenge(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> list[Downgrade]:
        """Nothing: rules have no second opinion."""
        del claims, mode
        return []

    def judge_passages(self, question: Question, rubric: Rubric, run: int) -> Answer:
        """The status by the search words of the passages: of the paper's own criteria, which alone have such words.

        C1, which the rules read from the claim's verb in a paper, is read from the passages like the others.
        """
        del run  # rules answer the same in each
        if question.criterion not in self._words or rubric.statuses != STATUSES:
            raise UserError(
                f"judge {self._name}: its rules know the 27 criteria of Claim Validity Scores alone; name another judge"
            )
        words = self._words[question.criterion]
        sentences = _read_sentences(question.text)
        found = [(len(set(words.findall(one.text.lower()))), one) for one in sentences]
        judged = _judgement(found)
        return Answer(question.id, question.edit, judged.status, judged.evidence)

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()

    def _judge(self, text: str, claims: Sequence[Claim]) -> list[Claim]:
        sentences = _read_sentences(text)
        hits = {
            code: [len(set(words.findall(one.text.lower()))) for one in sentences]
            for code, words in self._words.items()
        }
        judged = []
        for claim, own in zip(
            claims, _own_sentences(claims, sentences, ComponentNames(text)), strict=True
        ):
            criteria = {
                code: _judgement([(hits[code][at], sentences[at]) for at in own])
                for code in CRITERIA
            }
            definite = any(verb["definite"] for verb in VERB.finditer(claim.statement))
            criteria["C1"] = Judgement(
                status="YES" if definite else "PARTIAL", evidence=OF_THE_CLAIM
            )
            judged.append(claim.model_copy(update={"criteria": criteria}))
        return judged


@contextmanager
def open_lexical_judge(settings: JudgeSettings, files: JudgeFiles) -> Iterator[_LexicalJudge]:
    """The lexical judge, which needs the criteria's search words and no settings but its name."""
    (path,) = (path for path in files.prompts if path.name == "criteria.yaml")
    criteria = read_yaml(path, str(path))
    yield _LexicalJudge(settings.name, {code: criteria[code]["terms"] for code in CRITERIA})


def _own_sentences(
    claims: Sequence[Claim], sentences: Sequence[_Sentence], names: ComponentNames
) -> list[list[int]]:
    """For each claim the indices of its sentences, without its statement.

    A component claim owns the sentences that name one of its components, the system-level claim all others.
    """
    named = [names.keys_in(sentence.text) for sentence in sentences]
    owned = []
    for claim in claims:
        keys = names.keys_in("; ".join([claim.statement, *claim.components]))
        aliases = [next(filter(None, match.groups())) for match in ALIAS.finditer(claim.statement)]
        owned.append(
            {
                at
                for at, sentence in enumerate(sentences)
                if keys & named[at] or any(alias in sentence.text for alias in aliases)
            }
        )
    systems = [
        _is_system(claim.statement, names) if claim.system is None else claim.system
        for claim in claims
    ]
    parts = {at for own, system in zip(owned, systems, strict=True) if not system for at in own}
    others = set(range(len(sentences))) - parts
    return [
        sorted(at for at in (others if system else own) if sentences[at].text != claim.statement)
        for claim, own, system in zip(claims, owned, systems, strict=True)
    ]


def _judgement(found: Sequence[tuple[int, _Sentence]]) -> Judgement:
    """The judgement by the first sentence with most search words among the claim's, given with their numbers."""
    hits, sentence = max(found, key=lambda pair: pair[0], default=(0, None))
    if sentence is None or hits < PARTIAL or NEGATED.search(sentence.text):
        return Judgement(status="NO")
    status: Status = "YES" if hits >= YES else "PARTIAL"
    return Judgement(
        status=status, evidence=quoted(sentence.text), quotes=[(sentence.start, sentence.end)]
    )
