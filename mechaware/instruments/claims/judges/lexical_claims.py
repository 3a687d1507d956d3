"""Finds a paper's claims by words: a component of a model, and a verb that says what it does."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from mechaware.instruments.claims.judges.components import ComponentNames
from mechaware.instruments.claims.judges.lexical_sentences import (
    Sentence,
    read_headings,
    read_sentences,
)
from mechaware.instruments.claims.rubric.records import Claim

MAX_CLAIMS = 8

# The stricter words, for sentences of the opening: a component that is named by its location or its role, or a system.
OPENING = 6000  # characters: abstract and introduction
SYSTEM = re.compile(r"(?i)\b(?:circuit|mechanism|algorithm|sub-?network|pathway)s?\b(?!-)")
# Verbs of mechanism with their endings: definite verbs say what a component does, vague ones that it has a part.
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
# "is computed by head 3.1": the component follows the verb.
BY = re.compile(r"(?i)\s*(?:out )?(?:by|in|through)\b")
FINDS = re.compile(
    r"(?i)\bwe (?:\w+ )?(?:show|find|identify|discover|demonstrate|report|reverse-engineer)\b"
)
# Before the verb: what is denied, defined or done to a component is no claim about what it does.
NO_CLAIM = re.compile(
    r"(?i)^(?:figure|table)\b|\b(?:not|never|cannot|neither|nor|\w*ablat\w+|knock\w*|remov\w+|patch\w+|defin\w+|denot\w+)\b"
)
REACH = 60  # characters between a subject and its verb
# Between a component and its verb: what follows is said of something else, or not stated.
BREAK = re.compile(
    r"(?i)[.;:?]|\b(?:should|must|ought|could|would|can|may|might|whether|how|that|which)\b"
)

# The wider words, for the abstract and the headings of papers in which the stricter ones find no claim: a component
# that is named only by its kind, and further verbs of real abstracts. "We present attention heads that increment
# numbers".
# The abstract begins after the heading "Abstract", which authors and addresses precede, and ends before the heading
# "Introduction". Either heading may be missing.
ABSTRACT = re.compile(
    r"(?is)(?:.{0,10000}?\babstract\b)?(?P<text>.{0,3000}?(?=\n\W*(?:\d+\.?\s+|I\.\s+)?Introduction\b)|.{0,2000})"
)
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

# Why a paper has no claim.
NEAREST = 3  # sentences that are shown where none is a claim
NO_CLAIM_FOUND = (
    "The rules look for a sentence of the opening, or a heading, that names a component of a model (a head, a neuron, "
    "an MLP, a circuit) and then says what it does. The nearest:"
)
NO_VERB = "names a component, but not what it does"
NO_COMPONENT = "says what something does, but names no component of a model"
NO_DOER = "names a component and an action, but does not state that the component does it"


class _LexicalClaim(NamedTuple):
    """A claim of the paper: its statement, the keys of the components that it names, and its level."""

    statement: str
    keys: frozenset[str]
    is_system: bool


def find_claims(text: str) -> list[Claim]:
    """At most `MAX_CLAIMS`: the first system-level one, then one for each set of components, in the paper's order.

    A claim without a named component is about the system.
    """
    names = ComponentNames(text)
    claims: list[_LexicalClaim] = []
    for sentence in _claim_sentences(text, names):
        keys = names.keys_in(sentence.text)
        is_system = not keys or is_about_system(sentence.text, names)
        if is_system:
            is_new = not any(claim.is_system for claim in claims)
        else:
            is_new = all(claim.keys != keys for claim in claims)
        if is_new:
            claims.append(_LexicalClaim(sentence.text, keys, is_system))

    system_first = sorted(claims, key=lambda claim: not claim.is_system)
    unjudged = []
    for claim in system_first[:MAX_CLAIMS]:
        unjudged.append(
            Claim(
                statement=claim.statement,
                description_mode="implementational-functional",
                evidence_families=[],
                components=names.as_written(claim.keys),
                criteria={},
                system=claim.is_system,
            )
        )
    return unjudged


def _claim_sentences(text: str, names: ComponentNames) -> list[Sentence]:
    """The sentences of the opening that are claims, in the paper's order.

    If there are none, the sentences of the abstract and the headings that say what a kind of component does; sentences
    with "we find" or the like come first.
    """
    sentences = read_sentences(text)
    in_opening = [sentence for sentence in sentences if sentence.start < OPENING]
    claims = [sentence for sentence in in_opening if _is_claim(sentence.text, names)]
    if claims:
        return claims

    by_kind = []
    for sentence in _abstract_and_headings(text, sentences):
        if _says_what_a_kind_does(sentence.text):
            by_kind.append(sentence)
    return sorted(by_kind, key=lambda sentence: FINDS.search(sentence.text) is None)


def _abstract_and_headings(text: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that are at least partly in the abstract, then the headings without their numbers."""
    match = ABSTRACT.match(text)
    start, end = match.span("text") if match else (0, 0)
    abstract = [sentence for sentence in sentences if start < sentence.end and sentence.start < end]
    return [*abstract, *read_headings(text)]


def _is_claim(text: str, names: ComponentNames) -> bool:
    """Whether a component or system does what a verb of mechanism says: before the verb, or after "is done by".

    A system without components needs "we find" or the like: many papers speak of circuits, few of their own.
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


def _does(text: str, start: int, end: int, verb: re.Match[str]) -> bool:
    """Whether the component or system at [start, end) is near the verb and does what it says."""
    if 0 <= verb.start() - end <= REACH:
        return not BREAK.search(text[end : verb.start()])
    is_behind = 0 <= start - verb.end() <= REACH
    return is_behind and BY.match(text, verb.end(), start) is not None


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


def is_about_system(text: str, names: ComponentNames) -> bool:
    """Whether the statement is about a system: it names one, and no component before it."""
    system = SYSTEM.search(text)
    if system is None:
        return False
    mentions = names.mentions(text)
    return not mentions or mentions[0].start >= system.start()


def why_no_claim(text: str) -> list[str]:
    """In words, what the rules take for a claim, and why the `NEAREST` sentences that come nearest are none."""
    almost = []
    half = []
    for sentence in _abstract_and_headings(text, read_sentences(text)):
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
