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
# From the word, after names and addresses, to the introduction; both may be missing.
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
# A component named only by its kind, and further verbs of real abstracts. For papers of which the stricter words
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
# The fewest search words in one sentence. On planted papers of the seeds 901 to 905, YES from 2 words on is right more
# often (48% of criteria, not 42%), but then any long text earns a high tier.
YES = 3
PARTIAL = 2
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


class _FoundClaim(NamedTuple):
    """A claim of the paper: its statement, the keys of the components that it names, and its level."""

    statement: str
    keys: frozenset[str]
    is_system: bool


def _read_sentences(text: str) -> list[_Sentence]:
    """The sentences before the list of references, but for those that report others' work or address a judge."""
    references = REFERENCES.search(text)
    body = text[: references.start()] if references else text
    body = HEADING.sub(lambda heading: " " * (len(heading[0]) - 2) + "\n\n", body)  # no place moves
    sentences = []
    for start, end in sentence_spans(body, SENTENCE_END):
        sentence = _Sentence(start, end, " ".join(body[start:end].split()))
        if _is_of_the_paper(sentence.text):
            sentences.append(sentence)
    return sentences


def _is_of_the_paper(sentence: str) -> bool:
    """Whether a sentence is prose about the paper's own work, addressed to its readers."""
    if len(sentence) > MAX_SENTENCE:
        return False
    if CITED.search(sentence) and not OWN.search(sentence):
        return False
    return not addresses_judge(sentence)


def _find_claims(text: str) -> list[Claim]:
    """At most `MAX_CLAIMS`: the first system-level one, then one for each set of components, in the paper's order.

    A claim without a named component is about the system.
    """
    names = ComponentNames(text)
    found: list[_FoundClaim] = []
    for sentence in _claim_sentences(text, names):
        keys = names.keys_in(sentence.text)
        is_system = not keys or _is_system(sentence.text, names)
        if is_system:
            is_new = not any(claim.is_system for claim in found)
        else:
            is_new = all(claim.keys != keys for claim in found)
        if is_new:
            found.append(_FoundClaim(sentence.text, keys, is_system))

    system_first = sorted(found, key=lambda claim: not claim.is_system)
    claims = []
    for claim in system_first[:MAX_CLAIMS]:
        claims.append(
            Claim(
                statement=claim.statement,
                description_mode="implementational-functional",
                evidence_families=[],
                components=names.as_written(claim.keys),
                criteria={},
                system=claim.is_system,
            )
        )
    return claims


def _claim_sentences(text: str, names: ComponentNames) -> list[_Sentence]:
    """The sentences of the opening that are claims. Without any, those of the abstract and the headings by `KIND`.

    Of the latter those that say "we find" or the like come first.
    """
    sentences = _read_sentences(text)
    in_opening = [sentence for sentence in sentences if sentence.start < OPENING]
    claims = [sentence for sentence in in_opening if _is_claim(sentence.text, names)]
    if claims:
        return claims

    by_kind = []
    for sentence in _abstract_and_headings(text, sentences):
        if _says_what_a_kind_does(sentence.text):
            by_kind.append(sentence)
    return sorted(by_kind, key=lambda sentence: FINDS.search(sentence.text) is None)


def _abstract_and_headings(text: str, sentences: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentences that the abstract has a part of, then the headings without their numbers."""
    found = ABSTRACT.match(text)
    start, end = found.span("text") if found else (0, 0)
    abstract = [sentence for sentence in sentences if start < sentence.end and sentence.start < end]
    headings = []
    for match in HEADING.finditer(text):
        heading = " ".join(NUMBER.sub("", match[0]).split())
        if not addresses_judge(heading):
            headings.append(_Sentence(*match.span(), heading))
    return [*abstract, *headings]


def _why_no_claim(text: str) -> list[str]:
    """In words, what a claim is, and why the `NEAREST` sentences that come nearest to one are none."""
    almost = []
    half = []
    for sentence in _abstract_and_headings(text, _read_sentences(text)):
        has_component = KIND.search(sentence.text) is not None
        has_verb = DOES.search(sentence.text) is not None
        if has_component and has_verb:
            almost.append(f'"{sentence.text}": {NO_DOER}')
        elif has_component:
            half.append(f'"{sentence.text}": {NO_VERB}')
        elif has_verb:
            half.append(f'"{sentence.text}": {NO_COMPONENT}')
    nearest = [*almost, *half]
    return [NO_CLAIM_FOUND, *nearest[:NEAREST]]


def _is_claim(text: str, names: ComponentNames) -> bool:
    """Whether a verb of mechanism follows a component or system that does it ("is done by" comes before it).

    A system without components needs "we find" or the like: many papers speak of circuits, few of one that they found.
    """
    doers = [(mention.start, mention.end) for mention in names.mentions(text)]
    if doers or FINDS.search(text):
        doers += [match.span() for match in SYSTEM.finditer(text)]

    for verb in VERB.finditer(text):
        if NO_CLAIM.search(text[: verb.start()]):
            continue
        if any(_does(text, start, end, verb) for start, end in doers):
            return True
    return False


def _says_what_a_kind_does(text: str) -> bool:
    """As `_is_claim`, for a component that is named only by its kind, and with "that" or "which" before the verb."""
    if text.endswith("?"):
        return False
    for kind in KIND.finditer(text):
        if "whether" in text[: kind.start()]:
            continue
        for verb in DOES.finditer(text):
            if not 0 <= verb.start() - kind.end() <= FAR:
                continue
            is_doubted = DOUBT.search(text[kind.end() : verb.start()])
            if not is_doubted and not NO_CLAIM.search(text[: verb.start()]):
                return True
    return False


def _is_system(text: str, names: ComponentNames) -> bool:
    """Whether the statement is about a system: it names one, and no component before it."""
    system = SYSTEM.search(text)
    mentions = names.mentions(text)
    if system is None:
        return False
    return not mentions or mentions[0].start >= system.start()


def _does(text: str, start: int, end: int, verb: re.Match[str]) -> bool:
    """Whether the component or system at [start, end) is near the verb and does what it says."""
    if 0 <= verb.start() - end <= REACH:
        return not BREAK.search(text[end : verb.start()])
    is_behind = 0 <= start - verb.end() <= REACH
    return is_behind and BY.match(text, verb.end(), start) is not None


def search_pattern(words: Sequence[str]) -> re.Pattern[str]:
    """Finds the beginnings of search words, `STEM_LETTERS` letters of each, in a text in small letters."""
    stems = [word.lower()[:STEM_LETTERS] for word in words]
    return re.compile("|".join(rf"\b{re.escape(stem)}" for stem in stems))


class _LexicalJudge:
    """The rules as a judge. They cost nothing, and every run gives the same claims.

    A claim is a sentence of the paper's opening with a component or a system and a verb of mechanism. If there is none,
    it is a sentence of the abstract, or a heading, that names a component only by its kind, as "attention heads". A
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
        claims = [] if about.fault else _find_claims(text)
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
            notes=[] if judged or about.fault else _why_no_claim(text),
        )

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The evidence of component claims, on the leak-prone criteria, that speaks of a whole system."""
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
        """The status by the search words of the passages: only for the paper's own criteria, which have such words.

        C1, which the rules read from the claim's verb in a paper, is read from the passages like the others.
        """
        del run  # rules answer the same in each
        if question.criterion not in self._words or rubric.statuses != STATUSES:
            raise UserError(
                f"judge {self._name}: its rules know only the 27 criteria of Claim Validity Scores; name another judge"
            )
        sentences = _read_sentences(question.text)
        hits = _count_hits(self._words[question.criterion], sentences)
        judged = _judgement(list(zip(hits, sentences, strict=True)))
        return Answer(question.id, question.edit, judged.status, judged.evidence)

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()

    def _judge(self, text: str, claims: Sequence[Claim]) -> list[Claim]:
        sentences = _read_sentences(text)
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
    keys = [names.keys_in(sentence.text) for sentence in sentences]
    owned: list[set[int]] = []
    of_components: set[int] = set()
    for claim in claims:
        own = _naming(claim, sentences, keys, names)
        owned.append(own)
        if not _is_system_claim(claim, names):
            of_components |= own

    all_others = set(range(len(sentences))) - of_components
    of_claims = []
    for claim, own in zip(claims, owned, strict=True):
        indices = all_others if _is_system_claim(claim, names) else own
        of_claims.append(sorted(at for at in indices if sentences[at].text != claim.statement))
    return of_claims


def _naming(
    claim: Claim,
    sentences: Sequence[_Sentence],
    keys: Sequence[frozenset[str]],
    names: ComponentNames,
) -> set[int]:
    """The indices of the sentences that name a component of a claim, by a key or by a word for it in the statement."""
    of_claim = names.keys_in("; ".join([claim.statement, *claim.components]))
    aliases = []
    for match in ALIAS.finditer(claim.statement):
        aliases += [alias for alias in match.groups() if alias]

    naming = set()
    for at, sentence in enumerate(sentences):
        if of_claim & keys[at] or any(alias in sentence.text for alias in aliases):
            naming.add(at)
    return naming


def _is_system_claim(claim: Claim, names: ComponentNames) -> bool:
    """The level of a claim, by its statement if the claim does not say."""
    if claim.system is None:
        return _is_system(claim.statement, names)
    return claim.system


def _count_hits(words: re.Pattern[str], sentences: Sequence[_Sentence]) -> list[int]:
    """How many different search words each sentence has."""
    return [len(set(words.findall(sentence.text.lower()))) for sentence in sentences]


def _judge_wording(statement: str) -> Judgement:
    """C1, by the verbs of a claim: YES if one of them says definitely what a component does."""
    definite = any(verb["definite"] for verb in VERB.finditer(statement))
    return Judgement(status="YES" if definite else "PARTIAL", evidence=OF_THE_CLAIM)


def _judgement(found: Sequence[tuple[int, _Sentence]]) -> Judgement:
    """The judgement by the first sentence with most search words among the claim's, given with their numbers."""
    hits, sentence = max(found, key=lambda pair: pair[0], default=(0, None))
    if sentence is None or hits < PARTIAL or NEGATED.search(sentence.text):
        return Judgement(status="NO")
    status: Status = "YES" if hits >= YES else "PARTIAL"
    return Judgement(
        status=status, evidence=quoted(sentence.text), quotes=[(sentence.start, sentence.end)]
    )
