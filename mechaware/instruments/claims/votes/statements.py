"""Reads a claim's statement for comparison: its telling words, whether it raises or lowers
something, and whether it is a denial.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from mechaware.instruments.claims.reading.sentences import stem_of

# A head or a neuron: 9.9, l9h9, a9.h9, "layer 9, head 9".
_IN_LAYER = r"(?:l|a|layer ?|block ?|neuron ?)?(?P<layer>\d+)(?:\.h?|h|,? ?head ?)(?P<index>\d+)"
# MLPs: mlp 10, m10, "feed-forward block 10", "mlps 8-10".
_MLPS = (
    r"(?:mlps?(?: layers?)?|m|(?:feed-?forward|ffn)(?: (?:block|layer|network)s?)?) ?(?P<mlp>\d+)"
    r"(?:\s?(?:-|\u2013|to)\s?(?P<last>\d+))?"
)
# A layer without a component: l5, "layer 5".
_BARE_LAYER = r"(?:l|layers? ?|blocks? ?)(?P<bare>\d+)"
# Where a component is in the model, in a text of small letters.
LOCATIONS = re.compile(rf"\b(?:{_IN_LAYER}|{_MLPS}|{_BARE_LAYER})\b")
# Lists of words, separated by white space. Verbs are no telling words, because "reads", "detects"
# and "attends to" are used about anything. Of verbs that raise or lower something, only the effect
# is compared, and which effect comes first (`Statement`).
RAISES = """
    copy write move carry transport bring pass output boost raise increase add promote store hold keep encode
    represent held written wrote brought amplify enhance strengthen enrich"""
LOWERS = """
    suppress inhibit remove reduce lower block stop cancel erase prevent against decrease diminish weaken attenuate
    dampen"""
OTHER_VERBS = """
    detect attend recognise recognize match find read look signal identify compute implement perform combine solve make
    track notice predict act work use underlie underlies arise cause produce decide change contain recover learn become
    begin kept come do have be let give take show"""
# Everyday words and words of the field, which claims about anything may have.
EVERYDAY = """
    a an and are as at back by for from in into is it its of off on one or out over that the their them then
    these they this those to two three four five six seven eight nine ten was were what when where whether which
    whose will with without by than all any both each every few many more most other same several some such so
    only not no but up down after before attention head heads neuron neurons layer layers block mlp mlps circuit
    circuits algorithm mechanism subgraph subnetwork model models network transformer class classes component
    components part parts set single small large input inputs output outputs position positional token tokens
    word words text sentence prompt residual stream activation activations state states late later early earlier
    last direct directly whole sparse main role internal behaviour behavior step steps task gpt feed ffn"""
WORD = re.compile(r"[a-z]{2,}")
# Nouns and adjectives that are spelt as verbs of the lists: "the output", "each block", "lower
# layers". They name a place, such as the output that a head writes to, and raise or lower nothing.
NO_VERB = re.compile(
    r"\b(?:the|an|its|their|final|model'?s?|of|at|to|in|into|from|mlp)\s+outputs?\b|"
    r"\b(?:the|a|forward|attention|transformer|residual|mlp|early|late|each|every|of|in|after|before)\s+blocks?\b|"
    r"\bblocks?(?=\s+\d)|\blower(?=\s+(?:layer|block|head|half))"
)
# Words with a digit: components, which are compared separately, and models such as GPT-2.
NUMBERED = re.compile(r"\S*\d\S*")
# A stem of at least this many letters that begins another one, as "quot" begins "quotat", counts as
# the same stem.
MIN_PREFIX = 4

# Negations of a verb or an object. A "not" without its verb is no negation: "of one gender and not
# of the other" does not deny the claim.
NEGATION = re.compile(
    r"\b(?:(?:is|are|was|were|be|do|does|did|has|have|can|could|will|would|should|may) (?:\w+ly )?not(?! only)|"
    r"no|never|neither|none|nothing|nowhere|cannot)\b|n['\u2019]t\b"
)
# Where the main clause ends.
CLAUSE_END = re.compile(r"[,;:]|\b(?:that|which|who|whose|where|should)\b")


class Statement(NamedTuple):
    """A claim's statement as it is compared.

    - `words`: the stems of its telling words, which are all but verbs and everyday words.
    - `raises`: whether it has a verb of `RAISES`.
    - `lowers`: whether it has a verb of `LOWERS`.
    - `direction`: 1 if the first of these verbs is in `RAISES`, -1 if it is in `LOWERS`, 0 without
      such a verb.
    - `denied`: whether its main clause is a denial. Two negations cancel each other.
    """

    words: frozenset[str]
    raises: bool
    lowers: bool
    direction: int
    denied: bool

    def has_opposite_effect(self, other: "Statement") -> bool:
        """Whether one of the two only raises what the other only lowers."""
        ours = (self.raises, self.lowers)
        theirs = (other.raises, other.lowers)
        return {ours, theirs} == {(True, False), (False, True)}


def read_statement(text: str, without_classes: str) -> Statement:
    """The statement `text` as it is compared. Capitals do not count.

    `without_classes` is the text without the classes of components that it names, such as "name
    mover heads".
    """
    stems = _word_stems(without_classes)
    negations = NEGATION.findall(_main_clause(text.lower()))
    return Statement(
        words=content_words(without_classes),
        raises=not _stems_of_list(RAISES).isdisjoint(stems),
        lowers=not _stems_of_list(LOWERS).isdisjoint(stems),
        direction=_direction_of(stems),
        denied=len(negations) % 2 == 1,
    )


def content_words(text: str) -> frozenset[str]:
    """The stems of a text's telling words: all but verbs and everyday words."""
    common = _stems_of_list(f"{RAISES} {LOWERS} {OTHER_VERBS} {EVERYDAY}")
    return frozenset(stem for stem in _word_stems(text) if stem not in common)


def shared_stems(first: Iterable[str], second: Iterable[str]) -> set[str]:
    """The stems of `first` that are the same as a stem of `second` (`_is_same_stem`)."""
    others = tuple(second)
    shared = set()
    for stem in first:
        if any(_is_same_stem(stem, other) for other in others):
            shared.add(stem)
    return shared


def _is_same_stem(first: str, second: str) -> bool:
    """Whether two stems are equal, or the shorter one begins the longer one and has
    `MIN_PREFIX` letters or more.
    """
    shorter, longer = sorted((first, second), key=len)
    if shorter == longer:
        return True
    return len(shorter) >= MIN_PREFIX and longer.startswith(shorter)


def _direction_of(stems: Iterable[str]) -> int:
    """1 if the first verb of `RAISES` or `LOWERS` is in `RAISES`, -1 if it is in `LOWERS`;
    0 without such a verb.
    """
    for stem in stems:
        if stem in _stems_of_list(RAISES):
            return 1
        if stem in _stems_of_list(LOWERS):
            return -1
    return 0


def _word_stems(text: str) -> list[str]:
    """The stems of a text's words in their order, without nouns and adjectives that are spelt as
    verbs, and without components.
    """
    without_nouns = NO_VERB.sub(" ", text.lower())
    without_numbered = NUMBERED.sub(" ", without_nouns)
    return _stems(WORD.findall(without_numbered))


def _stems(words: Iterable[str]) -> list[str]:
    return [stem_of(word) for word in words]


@cache
def _stems_of_list(words: str) -> frozenset[str]:
    """The stems of a list of words that are separated by white space."""
    return frozenset(_stems(words.split()))


def _main_clause(text: str) -> str:
    """The text up to the end of its first clause.

    Locations are removed first, each with the comma after it: the commas of a list of components
    end no clause.
    """
    without_locations = re.sub(rf"(?:{LOCATIONS.pattern})\s*,?", " ", text)
    return CLAUSE_END.split(without_locations, maxsplit=1)[0]
