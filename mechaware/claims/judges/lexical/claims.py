"""Finds the mechanism claims of a paper: sentences of its opening that say what a component or a circuit does."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from mechaware.claims.judges.components import ComponentNames
from mechaware.claims.judges.lexical.sentences import Sentence

OPENING = 6000  # characters: abstract and introduction
MOST_CLAIMS = 8
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
FINDS = re.compile(r"(?i)\bwe (?:\w+ )?(?:show|find|identify|discover|demonstrate|report|reverse-engineer)\b")
# Before the verb: what is denied, defined or done to a component is no claim about what it does.
NO_CLAIM = re.compile(
    r"(?i)^(?:figure|table)\b|\b(?:not|never|cannot|neither|nor|\w*ablat\w+|knock\w*|remov\w+|patch\w+|defin\w+|denot\w+)\b"
)
BREAK = re.compile(r"(?i)[.;:?]|\b(?:should|must|ought|could|would|can|may|might|whether|how|that|which)\b")
ALIAS = re.compile(
    r"\(([a-z][a-z-]+(?: [a-z][a-z-]+){0,2})\)|"
    r"\b(?:act as|called?|termed?) (?:the |an? )?([a-z][a-z-]+ [a-z-]+)|"
    r"\b[Tt]he ([a-z][a-z-]+ [a-z-]+), "
)


class Found(NamedTuple):
    """A claim: its sentence, the components that it names by key, and whether it is about the whole system."""

    sentence: Sentence
    keys: frozenset[str]
    system: bool


def find_claims(sentences: Iterable[Sentence], names: ComponentNames) -> list[Found]:
    """At most `MOST_CLAIMS`: the first system-level one, then one for each set of components, in the paper's order."""
    found: list[Found] = []
    for sentence in sentences:
        if sentence.start < OPENING and is_claim(sentence.text, names):
            keys, system = names.keys_in(sentence.text), is_system(sentence.text, names)
            if not any(other.system if system else other.keys == keys for other in found):
                found.append(Found(sentence, keys, system))
    return sorted(found, key=lambda claim: not claim.system)[:MOST_CLAIMS]


def is_claim(text: str, names: ComponentNames) -> bool:
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


def is_system(text: str, names: ComponentNames) -> bool:
    """Whether the statement is about a system: it names one, and no component before it."""
    system, mentions = SYSTEM.search(text), names.mentions(text)
    return system is not None and not (mentions and mentions[0].start < system.start())


def is_definite(statement: str) -> bool:
    """Whether the statement says what is done, not only that something takes part."""
    return any(verb["definite"] for verb in VERB.finditer(statement))


def aliases(statement: str) -> list[str]:
    """What the statement calls its components in words: "(number movers)", "act as number movers"."""
    return [next(filter(None, match.groups())) for match in ALIAS.finditer(statement)]


def _does(text: str, start: int, end: int, verb: re.Match[str]) -> bool:
    """Whether what stands at [start, end) is near the verb and does what it says."""
    if 0 <= verb.start() - end <= REACH:
        return not BREAK.search(text[end : verb.start()])
    return 0 <= start - verb.end() <= REACH and BY.match(text, verb.end(), start) is not None
