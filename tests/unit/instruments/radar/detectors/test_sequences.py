"""Continuations compared with one another and a text with its corpus, against values worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest

from mechaware.instruments.radar.detectors.sequences import OVERLAP, PEAKEDNESS
from mechaware.instruments.radar.evidence.evidence import Samples
from tests.unit.instruments.radar.detectors.made_evidence import scored, tokens

GREEDY = list(range(100, 120))  # 20 tokens: one edit is allowed


def peakedness(greedy: Sequence[int], *drawn: Sequence[int]) -> float:
    """CDD's score of an item with these continuations."""
    samples = Samples(np.array(greedy, dtype=int), [np.array(ids, dtype=int) for ids in drawn])
    (score,) = PEAKEDNESS.score(scored(tokens([-1]), samples=[samples]), 0)
    return float(score)


PEAKED = {
    "within one edit in twenty": (GREEDY, [GREEDY, [7, *GREEDY[1:]], [7, 8, *GREEDY[2:]]], 2 / 3),
    "an edit is of a token, not of a digit": (GREEDY, [[*GREEDY[:-1], 98765]], 1),
    "a token left out shifts the others and is one edit": (GREEDY, [GREEDY[1:]], 1),
    # The second sample has 40 tokens, which allows two edits: as many as the first sample needs; the second needs 20.
    "the length is that of the longest continuation": (
        GREEDY,
        [[7, 8, *GREEDY[2:]], range(40)],
        0.5,
    ),
    "short continuations have to be equal": ([1, 2], [[1, 2], [1, 3], [1], [1, 2, 3]], 0.25),
    "empty continuations are equal": ([], [[], [1]], 0.5),
    "no continuations score zero": ([1], [], 0),
}


@pytest.mark.parametrize(("greedy", "drawn", "share"), PEAKED.values(), ids=PEAKED)
def test_cdd_is_the_share_of_continuations_near_the_greedy_one(
    greedy: Sequence[int], drawn: Sequence[Sequence[int]], share: float
) -> None:
    assert peakedness(greedy, *drawn) == pytest.approx(share)


def overlap(text: str, *corpus: str) -> float:
    """The score of a text under a model that was trained on this corpus."""
    (score,) = OVERLAP.score(scored(tokens([-1]), texts=[text], corpus=[corpus]), 0)
    return float(score)


OVERLAPS = {
    # 10 words are 3 8-grams; the corpus has the first two.
    "the share of the text's 8-grams": ("a b c d e f g h i j", ["z a b c d e f g h i z"], 2 / 3),
    "case and punctuation do not count": ("a b c d e f g h", ["A, b-c (D) e; f.\ng h!"], 1),
    # The distinct 8-grams are eight a's (twice in the text), and seven a's with b; the corpus has the first.
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
    assert overlap(text, *corpus) == pytest.approx(share)
