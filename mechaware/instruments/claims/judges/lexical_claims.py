"""Finds a paper's claims by words: a sentence names a component, and a verb says what it does.

Stricter words are tried first, in the paper's opening. If they find no claim, wider words are tried
in the abstract and the headings.
"""

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

# The stricter words: a component that is named by its location or its role, or a system.
OPENING = 6000  # characters: abstract and introduction
SYSTEM = re.compile(r"(?i)\b(?:circuit|mechanism|algorithm|sub-?network|pathway)s?\b(?!-)")
# Stems of verbs of mechanism, with their endings. Definite verbs say what a component does, vague
# verbs only that it has a part in something.
DEFINITE = (
    r"(?:implement|perform|comput|execut|cop(?:y|i)|mov|send|sent|pass|rout|read|writ|writt|stor|"
    r"hold|held|keep|kept|record|track|mark|detect|encod|represent|attend|match|compar|select|add|"
    r"suppress|inhibit|promot|boost|predict|carr(?:y|i)|solv|retriev|act|serv|work|transform|map|"
    r"combin|determin|collect|rais|find)(?:e|es|s|ed|d|en|t)?\b"
)
VAGUE = (
    r"(?:involv|contribut|participat|matter|support|mediat|relat|associat)(?:e|es|s|ed|d)?\b|"
    r"(?:play|tak)(?:e|es|s)? (?:an? )?(?:part|role)\b"
)
VERB = re.compile(rf"(?i)\b(?:(?P<definite>{DEFINITE})|{VAGUE})")
# Between a verb and a component that follows it: "is computed by head 3.1".
BY = re.compile(r"(?i)\s*(?:out )?(?:by|in|through)\b")
WE_FIND = re.compile(
    r"(?i)\bwe (?:\w+ )?(?:show|find|identify|discover|demonstrate|report|reverse-engineer)\b"
)
# With one of these words before the verb a sentence states no claim: it denies something, defines
# something, reports what was done to a component, or is a caption.
NO_CLAIM = re.compile(
    r"(?i)^(?:figure|table)\b|\b(?:not|never|cannot|neither|nor|\w*ablat\w+|knock\w*|remov\w+|"
    r"patch\w+|defin\w+|denot\w+)\b"
)
MAX_GAP = 60  # characters between a component or system and its verb
# Separates a component from a verb after it. After a stop, "how", "that" or "which" the verb may
# have another subject; after a modal verb or "whether" it is not asserted.
BREAK = re.compile(
    r"(?i)[.;:?]|\b(?:should|must|ought|could|would|can|may|might|whether|how|that|which)\b"
)

# The abstract begins after the heading "Abstract", which authors and addresses precede, and ends
# before the heading "Introduction". Either heading may be missing.
ABSTRACT = re.compile(
    r"(?is)(?:.{0,10000}?\babstract\b)?"
    r"(?P<text>.{0,3000}?(?=\n\W*(?:\d+\.?\s+|I\.\s+)?Introduction\b)|.{0,2000})"
)

# The wider words: a component that is named only by its kind, and further verbs of real abstracts.
# "We present attention heads that increment numbers."
KIND = re.compile(
    r"(?i)\b(?:heads?|neurons?|mlps?|perceptrons?|feed-?forward|layers?|sub-?spaces?|directions?|"
    r"representations?|circuits?|mechanisms?|algorithms?|sub-?networks?|features?|latents?)\b(?!-)"
)
WIDER_VERB = re.compile(
    rf"(?i)\b(?:{DEFINITE}|{VAGUE}|(?:increment|complet|convert|turn|us|mediat|control|"
    r"amplif(?:y|i)|clos|count|shift|rotat|underli|driv|caus|answer|respond|recall)"
    r"(?:es|e|s|ed|d)?\b)"
)
WIDER_MAX_GAP = 100  # characters between such a component and its verb
# Unlike `BREAK`, without "can", "how", "that", "which" and the colon, but with a closing bracket.
WIDER_BREAK = re.compile(r"(?i)[.;?)]|\b(?:should|must|ought|could|would|might|may|whether)\b")

# What the notes of a paper without claims state.
NEAREST = 3  # sentences that are quoted
NO_CLAIM_FOUND = (
    "The rules look for a sentence of the opening, or a heading, that names a component of a model "
    "(a head, a neuron, an MLP, a circuit) and then says what it does. The nearest:"
)
NO_VERB = "names a component, but not what it does"
NO_COMPONENT = "says what something does, but names no component of a model"
NO_DOER = "names a component and an action, but does not state that the component does it"


class _LexicalClaim(NamedTuple):
    """A claim of the paper, the keys of the components that it names, and whether it is
    system-level.
    """

    statement: str
    keys: frozenset[str]
    is_system: bool


def find_claims(text: str) -> list[Claim]:
    """The claims of a paper, not yet judged: at most `MAX_CLAIMS`, the system-level claim first.

    A sentence of `_claim_sentences` is system-level if it names no component, or names a system and
    no component before it. Only the first system-level sentence is a claim. A sentence that is not
    system-level is a claim if no claim before it, in the order of `_claim_sentences`, names the
    same set of components.
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
    """The sentences of the opening that are claims by the stricter words, in the paper's order.

    If there are none, the sentences of the abstract and the headings that are claims by the wider
    words; sentences with "we find" or the like come first.
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
    return sorted(by_kind, key=lambda sentence: WE_FIND.search(sentence.text) is None)


def _abstract_and_headings(text: str, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences that are at least partly in the abstract, then the headings without numbers."""
    match = ABSTRACT.match(text)
    start, end = match.span("text") if match else (0, 0)
    abstract = [sentence for sentence in sentences if start < sentence.end and sentence.start < end]
    return [*abstract, *read_headings(text)]


def _is_claim(text: str, names: ComponentNames) -> bool:
    """Whether a component or a system is the subject of a verb of mechanism, or its agent.

    A subject precedes the verb ("head 3.1 computes"), an agent follows it ("is computed by head
    3.1"). In a sentence without components a system counts only with "we find" or the like: many
    papers mention circuits that are not their own.
    """
    doers = [(mention.start, mention.end) for mention in names.mentions(text)]
    if doers or WE_FIND.search(text):
        doers += [match.span() for match in SYSTEM.finditer(text)]

    for verb in VERB.finditer(text):
        if NO_CLAIM.search(text[: verb.start()]):
            continue
        if any(_does(text, start, end, verb) for start, end in doers):
            return True
    return False


def _does(text: str, start: int, end: int, verb: re.Match[str]) -> bool:
    """Whether the component or system at [start, end) is the subject or agent of a near verb."""
    verb_follows = 0 <= verb.start() - end <= MAX_GAP
    if verb_follows:
        return not BREAK.search(text[end : verb.start()])
    verb_precedes = 0 <= start - verb.end() <= MAX_GAP
    return verb_precedes and BY.match(text, verb.end(), start) is not None


def _says_what_a_kind_does(text: str) -> bool:
    """Whether a sentence is a claim by the wider words, as in "heads that increment numbers".

    Only a subject before the verb counts, not an agent after it.
    """
    if text.endswith("?"):
        return False
    for kind in KIND.finditer(text):
        if "whether" in text[: kind.start()]:
            continue
        for verb in WIDER_VERB.finditer(text):
            if not 0 <= verb.start() - kind.end() <= WIDER_MAX_GAP:
                continue
            is_broken = WIDER_BREAK.search(text[kind.end() : verb.start()])
            if not is_broken and not NO_CLAIM.search(text[: verb.start()]):
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
    """What the rules take for a claim, and up to `NEAREST` sentences, each with what it lacks.

    The sentences are of the abstract and the headings: first those with a component and a verb,
    then those with one of the two.
    """
    with_both = []
    with_one = []
    for sentence in _abstract_and_headings(text, read_sentences(text)):
        has_component = KIND.search(sentence.text) is not None
        has_verb = WIDER_VERB.search(sentence.text) is not None
        if has_component and has_verb:
            with_both.append(f'"{sentence.text}": {NO_DOER}')
        elif has_component:
            with_one.append(f'"{sentence.text}": {NO_VERB}')
        elif has_verb:
            with_one.append(f'"{sentence.text}": {NO_COMPONENT}')
    nearest = [*with_both, *with_one]
    return [NO_CLAIM_FOUND, *nearest[:NEAREST]]
