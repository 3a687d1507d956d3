"""CDD and the overlap with a corpus, against shares counted by hand."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.sequences import OVERLAP, PEAKEDNESS
from mechaware.instruments.radar.evidence.evidence import Samples
from tests.unit.instruments.radar.detectors.made_evidence import scored, tokens

TOKENS = tokens([-1])  # the item's token scores, which neither detector reads
GREEDY = list(range(100, 120))  # 20 tokens: one edit is allowed


class Continuations(NamedTuple):
    """A greedy continuation, drawn ones, and the share of drawn ones near the greedy one."""

    greedy: Sequence[int]
    drawn: Sequence[Sequence[int]]
    share: float


CONTINUATIONS = {
    # No edit, one edit and two edits.
    "within one edit in twenty": Continuations(
        GREEDY, [GREEDY, [7, *GREEDY[1:]], [7, 8, *GREEDY[2:]]], share=2 / 3
    ),
    "an edit is of a token, not of a digit": Continuations(
        GREEDY, [[*GREEDY[:-1], 98765]], share=1
    ),
    "a token left out shifts the others and is one edit": Continuations(
        GREEDY, [GREEDY[1:]], share=1
    ),
    # The second drawn continuation has 40 tokens, which allows two edits. The first one needs two
    # edits, the second one 40.
    "the length is the longest continuation's": Continuations(
        GREEDY, [[7, 8, *GREEDY[2:]], range(40)], share=0.5
    ),
    "short continuations have to be equal": Continuations(
        [1, 2], [[1, 2], [1, 3], [1], [1, 2, 3]], share=0.25
    ),
    "empty continuations are equal": Continuations([], [[], [1]], share=0.5),
    "no continuations score zero": Continuations([1], [], share=0),
}


@pytest.mark.parametrize("case", CONTINUATIONS.values(), ids=CONTINUATIONS)
def test_cdd_is_the_share_of_continuations_near_the_greedy_one(case: Continuations) -> None:
    drawn = [np.array(ids, dtype=int) for ids in case.drawn]
    samples = Samples(np.array(case.greedy, dtype=int), drawn)
    (score,) = PEAKEDNESS.score(scored(TOKENS, samples=[samples]), 0)
    assert score == pytest.approx(case.share)


OVERLAPS = {
    # 10 words are 3 8-grams; the corpus has the first two.
    "the share of the text's 8-grams": ("a b c d e f g h i j", ["z a b c d e f g h i z"], 2 / 3),
    "case and punctuation do not count": ("a b c d e f g h", ["A, b-c (D) e; f.\ng h!"], 1),
    # The distinct 8-grams are eight a's, twice in the text, and seven a's with b. The corpus has
    # the first.
    "a repeated 8-gram counts once": ("a a a a a a a a a b", ["a a a a a a a a"], 0.5),
    "a short text is sought whole": ("x y z", ["w x y z"], 1),
    "a short text in another order": ("x y z", ["x y w z"], 0),
    "a sequence lies within one text of the corpus": ("x y z", ["w x y", "z"], 0),
    "a text without words": ("?!", ["?!"], 0),
}


@pytest.mark.parametrize(("text", "corpus", "share"), OVERLAPS.values(), ids=OVERLAPS)
def test_the_overlap_is_the_share_of_8_grams_in_the_corpus(
    text: str, corpus: list[str], share: float
) -> None:
    (score,) = OVERLAP.score(scored(TOKENS, texts=[text], corpus=[corpus]), 0)
    assert score == pytest.approx(share)
