"""Which words are the same in another spelling, and which are others that merely look alike."""

import re
from collections.abc import Sequence

from mechaware.claims.judges.language_model.quotes.denials import NEGATION
from mechaware.claims.reading.sentences import stem_of

LIGATURES = re.compile("ffi|ffl|ff|fi|fl")
ENDINGS = frozenset(("", "s", "es", "d", "ed", "ing", "e", "y", "ies", "ied", "ying"))
LEAST_BEGINNING = 3  # letters that two forms of a word share
BRITISH = (("our", "or"), ("z", "s"), ("ll", "l"))


def are_respelt(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether some words are others in another spelling, of which `theirs` may lack ligatures ("signi cant").

    Spellings of a word are its inflections by `ENDINGS` with one stem, and British and American ones. Any other
    difference makes another word, however small it is: "million" is not "billion", nor "decoupled" "coupled".
    """
    if any(map(is_exact, [*ours, *theirs])):
        return False
    pattern = LIGATURES.sub(r"(?:\g<0>)?", "".join(ours))
    if re.fullmatch(pattern, "".join(theirs)):
        return True
    return len(ours) == len(theirs) and all(map(_is_respelt, ours, theirs))


def is_exact(word: str) -> bool:
    """Whether a word counts as it is alone: a number, a sign, a negation."""
    return not word[0].isalpha() or NEGATION.fullmatch(word) is not None


def _is_respelt(first: str, second: str) -> bool:
    return first == second or _american(first) == _american(second) or _is_inflected(first, second)


def _american(word: str) -> str:
    for british, american in BRITISH:
        word = word.replace(british, american)
    return word


def _is_inflected(first: str, second: str) -> bool:
    common = 0
    while common < min(len(first), len(second)) and first[common] == second[common]:
        common += 1
    endings = {first[common:], second[common:]}
    return common >= LEAST_BEGINNING and endings <= ENDINGS and stem_of(first) == stem_of(second)
