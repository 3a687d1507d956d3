"""The words of a claim's statement that say what it is about: stems without the field's everyday words."""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from mechaware.claims.reading.sentences import stem_of

# Verbs say which operation a claim states. They are compared as a whole and never count as shared words: "reads",
# "detects" and "attends to" are used of anything.
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
# Words that most claims have, whatever they are about.
EVERYDAY = """
    a an and are as at back by for from in into is it its of off on one or out over that the their them then
    these they this those to two three four five six seven eight nine ten was were what when where whether which
    whose will with without by than all any both each every few many more most other same several some such so
    only not no but up down after before attention head heads neuron neurons layer layers block mlp mlps circuit
    circuits algorithm mechanism subgraph subnetwork model models network transformer class classes component
    components part parts set single small large input inputs output outputs position positional token tokens
    word words text sentence prompt residual stream activation activations state states late later early earlier
    last direct directly whole sparse main role internal behaviour behavior step steps task gpt feed forward ffn"""
SYNONYMS = (
    "repeat repetition duplicate twice second again",
    "plural plurality number",
    "next following",
)
WORD = re.compile(r"[a-z]{2,}")
# Nouns and adjectives that are spelt as verbs of the lists: where something is written does not say that it is raised.
NO_VERB = re.compile(
    r"\b(?:the|an|its|their|final|model'?s?|of|at|to|in|into|from|mlp)\s+outputs?\b|"
    r"\b(?:the|a|forward|attention|transformer|residual|mlp|early|late|each|every|of|in|after|before)\s+blocks?\b|"
    r"\bblocks?(?=\s+\d)|\blower(?=\s+(?:layer|block|head|half))"
)
MEASURES = "logit logits probability probabilities score scores amount strength"  # of an effect, whatever it is on
NUMBERED = re.compile(r"\S*\d\S*")  # components, which are compared by themselves, and models: GPT-2, Tern-200M
LEAST_PREFIX = 4  # letters that two stems share if one begins the other: "quot" and "quotat"


class Wording(NamedTuple):
    """The stems of a text that tell claims apart, and whether it says that something is raised or lowered."""

    words: frozenset[str]
    raises: bool
    lowers: bool
    direction: int  # 1 raised, -1 lowered, 0 neither, by the first verb that says so

    def contradicts(self, other: "Wording") -> bool:
        """Whether one of the two only raises what the other only lowers."""
        return (self.raises and not self.lowers and other.lowers and not other.raises) or (
            other.raises and not other.lowers and self.lowers and not self.raises
        )


def read_wording(text: str) -> Wording:
    """The wording of a text, whatever its case."""
    stems = _stems(WORD.findall(NUMBERED.sub(" ", NO_VERB.sub(" ", text.lower()))))
    raising, lowering, dull = _listed(RAISES), _listed(LOWERS), _listed(f"{OTHER_VERBS} {EVERYDAY}")
    return Wording(
        words=frozenset(_concepts().get(stem, stem) for stem in stems if stem not in raising | lowering | dull),
        raises=not raising.isdisjoint(stems),
        lowers=not lowering.isdisjoint(stems),
        direction=direction_of(stems),
    )


def direction_of(stems: Iterable[str]) -> int:
    """Whether the first verb that says so says that something is raised (1) or lowered (-1); 0 if none does."""
    raising, lowering = _listed(RAISES), _listed(LOWERS)
    return next((1 if stem in raising else -1 for stem in stems if stem in raising | lowering), 0)


def measures() -> frozenset[str]:
    """The stems that say how an effect is measured, not on what it is."""
    return _listed(MEASURES)


def is_everyday(stem: str) -> bool:
    """Whether most claims have a word of this stem, whatever they are about."""
    return stem in _listed(EVERYDAY)


def is_verb(stem: str) -> bool:
    """Whether a stem is that of a verb that states an operation."""
    return stem in _listed(f"{RAISES} {LOWERS} {OTHER_VERBS}")


def tells_apart(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether each of two sets of stems has one that the other lacks, and one of these is no everyday word."""
    ours, theirs = ({_concepts().get(stem, stem) for stem in stems} for stems in (first, second))
    only = [ours - shared(ours, theirs), theirs - shared(theirs, ours)]
    return all(only) and not all(map(is_everyday, only[0] | only[1]))


def shared(first: Iterable[str], second: Iterable[str]) -> set[str]:
    """The stems of `first` that `second` has, too; of two stems one may be the other's beginning."""
    others = tuple(second)
    return {word for word in first if any(_same(word, other) for other in others)}


def _same(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return shorter == longer or (len(shorter) >= LEAST_PREFIX and longer.startswith(shorter))


@cache
def _listed(words: str) -> frozenset[str]:
    return frozenset(_stems(words.split()))


@cache
def _concepts() -> dict[str, str]:
    """By stem, the first of its synonyms."""
    return {stem: stems[0] for line in SYNONYMS for stems in [_stems(line.split())] for stem in stems}


def _stems(words: Iterable[str]) -> list[str]:
    return [stem_of(word) for word in words]
