"""Whether two statements in much the same words say different things: one denies, replaces or reverses the other's."""

import re
from difflib import SequenceMatcher
from typing import NamedTuple

from mechaware.claims.reading.sentences import stem_of
from mechaware.claims.votes.named_parts import LOCATIONS
from mechaware.claims.votes.wording import direction_of, is_everyday, is_verb, tells_apart

# Of the verb or the object: "of one gender and not of the other" denies nothing of the claim.
NEGATION = re.compile(
    r"\b(?:(?:is|are|was|were|be|do|does|did|has|have|can|could|will|would|should|may) (?:\w+ly )?not(?! only)|"
    r"no|never|neither|none|nothing|nowhere|cannot)\b|n['\u2019]t\b"
)
CLAUSE_END = re.compile(r"[,;:]|\b(?:that|which|who|whose|where|should)\b")  # what follows is not the main statement
OPPOSING_PREFIXES = ("un", "in", "im", "ir", "non", "dis", "de", "anti", "mis", "a")
LEAST_STEM = 5  # letters behind a prefix: "inputs" is not the opposite of "puts"
LEAST_EQUAL = 3  # words that two statements of one frame share, and half of all
TOKEN = re.compile(r"[^\W_]+(?:[.\-'][^\W_]+)*")
LISTED = re.compile(r"(?:\W|\band\b|\bor\b|\bheads?\b|\bmlps?\b|\blayers?\b|\bneurons?\b)*")
PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being)\b.*\bby\b")


class Statement(NamedTuple):
    """A claim's statement as it is compared: its stems in their order, and the groups of locations that it names."""

    stems: tuple[str, ...]
    denied: bool
    passive: bool
    groups: tuple[frozenset[str], ...]


def read_statement(text: str) -> Statement:
    """The statement of a claim, whatever its case. Locations are no stems; those of a list are one group."""
    lower = text.lower()
    matches = list(LOCATIONS.finditer(lower))
    stems = (stem_of(word) for word in TOKEN.findall(LOCATIONS.sub(" ", lower)))
    groups: list[set[str]] = []
    for before, match in zip([None, *matches], matches, strict=False):
        if before is None or not LISTED.fullmatch(lower[before.end() : match.start()]):
            groups.append(set())
        groups[-1].add(re.sub(r"\D+", " ", match[0]).strip())
    return Statement(
        stems=tuple(stems),
        denied=len(NEGATION.findall(_main_clause(lower))) % 2 == 1,
        passive=PASSIVE.search(lower) is not None,
        groups=tuple(map(frozenset, groups)),
    )


def _main_clause(text: str) -> str:
    """The text up to its first clause's end, without the locations and the commas behind them."""
    unlisted = re.sub(rf"(?:{LOCATIONS.pattern})\s*,?", " ", text)
    return CLAUSE_END.split(unlisted, maxsplit=1)[0]


def exclude(first: Statement, second: Statement) -> bool:
    """Whether two statements about the same components cannot both be meant by one claim.

    One denies what the other does not, has a word's opposite by prefix, differs in one word of the same frame ("stores
    the capital", "stores the language"), or names the same components in exchanged roles. Our definition; opposites in
    other words are undetected.
    """
    return (
        first.denied != second.denied
        or _have_opposites(set(first.stems), set(second.stems))
        or _is_one_frame(first.stems, second.stems)
        or _are_exchanged(first, second)
    )


def _have_opposites(first: set[str], second: set[str]) -> bool:
    return any(
        len(stem) >= LEAST_STEM
        and not is_everyday(stem)  # "directly raises" and "the indirect object"
        and prefix + stem in other
        and stem not in other
        and prefix + stem not in own
        for own, other in ((first, second), (second, first))
        for stem in own
        for prefix in OPPOSING_PREFIXES
    )


def _is_one_frame(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether two sentences are the same but for words in one place, which tell claims apart or go opposite ways."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
    equal = sum(end - start for tag, start, end, _, _ in blocks if tag == "equal")
    changed = [(first[i:j], second[k:m]) for tag, i, j, k, m in blocks if tag != "equal"]
    if len(changed) != 1 or equal < max(LEAST_EQUAL, min(len(first), len(second)) / 2):
        return False
    ours, theirs = changed[0]
    if {direction_of(ours), direction_of(theirs)} == {-1, 1}:
        return True
    nouns = [[stem for stem in words if not is_verb(stem)] for words in (ours, theirs)]
    return bool(all(nouns) and tells_apart(set(nouns[0]), set(nouns[1])))


def _are_exchanged(first: Statement, second: Statement) -> bool:
    """Whether the components of one statement's subject are the other's object, and the reverse."""
    ours, theirs = first.groups, second.groups
    if len(ours) != 2 or len(theirs) != 2 or ours[0] == ours[1]:
        return False
    exchanged = theirs == ours[::-1]
    return exchanged != (first.passive != second.passive) if theirs in (ours, ours[::-1]) else False
