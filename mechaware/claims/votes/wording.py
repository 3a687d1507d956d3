"""The words of a claim's statement that say what it is about: stems without the field's everyday words."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

# Verbs say which operation a claim states. They are compared as a whole and never count as shared words: "reads",
# "detects" and "attends to" are used of anything.
RAISES = """
    copy write move carry transport bring pass output boost raise increase add promote store hold keep encode
    represent"""
LOWERS = "suppress inhibit remove reduce lower block stop cancel erase prevent against"
OTHER_VERBS = """
    detect attend recognise recognize match find read look signal identify compute implement perform combine solve make
    track notice predict act work use underlie underlies arise cause produce decide change contain recover learn become
    begin come do have be let give take show"""
# Words that most claims have, whatever they are about.
EVERYDAY = """
    a an and are as at back by for from in into is it its of off on one or out over that the their them then they this
    to two three four five six seven eight nine ten was were what when where whether which whose will with without by
    than all any both each every few many more most other same several some such so only not no but up down after
    before attention head heads neuron neurons layer layers block mlp mlps circuit circuits algorithm mechanism
    subgraph subnetwork model models network transformer class classes component components part parts set single
    small large input inputs output outputs position positional token tokens word words text sentence prompt residual
    stream activation activations state states late later early earlier last direct directly whole sparse main role
    internal behaviour behavior step steps task gpt"""
SYNONYMS = (
    "repeat repetition duplicate twice second again",
    "plural plurality singular number",
    "next following",
)
WORD = re.compile(r"[a-z]{2,}")
NUMBERED = re.compile(r"\S*\d\S*")  # components, which are compared by themselves, and models: GPT-2, Tern-200M
LEAST_PREFIX = 4  # letters that two stems share if one begins the other: "quot" and "quotat"


class Wording(NamedTuple):
    """The stems of a text that tell claims apart, and whether it says that something is raised or lowered."""

    words: frozenset[str]
    raises: bool
    lowers: bool

    def contradicts(self, other: "Wording") -> bool:
        """Whether one of the two only raises what the other only lowers."""
        return (self.raises and not self.lowers and other.lowers and not other.raises) or (
            other.raises and not other.lowers and self.lowers and not self.raises
        )


def read_wording(text: str) -> Wording:
    """The wording of a text, whatever its case."""
    stems = _stems(WORD.findall(NUMBERED.sub(" ", text.lower())))
    raising, lowering, dull = _listed(RAISES), _listed(LOWERS), _listed(f"{OTHER_VERBS} {EVERYDAY}")
    return Wording(
        words=frozenset(_concepts().get(stem, stem) for stem in stems if stem not in raising | lowering | dull),
        raises=not raising.isdisjoint(stems),
        lowers=not lowering.isdisjoint(stems),
    )


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
    return [_stem(word) for word in words]


@cache
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")
