"""The oracle that has the training corpus: what of a text occurs in it word by word."""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence

LENGTH = 8  # words
WORD = re.compile(r"\w+")

_Ngrams = set[tuple[str, ...]]


def score_overlap(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """The share of the text's distinct 8-grams of words that occur in a text of the corpus. From 0 to 1.

    Words are maximal runs of letters, digits and underscores, in lower case; punctuation and spaces between them do not
    count. Of a text of fewer than 8 words the whole sequence is sought; a text without words scores 0. An n-gram lies
    within one text of the corpus. Trap: an item shares its template with others, so an unseen item has an overlap, too.
    """
    found: dict[tuple[int, int], _Ngrams] = {}  # by the corpus's identity: rows of one model share it
    scores = []
    for text, corpus in zip(evidence.texts, measured(evidence.corpus), strict=True):
        words = _words(text)
        length = min(LENGTH, len(words))
        key = (id(corpus), length)
        if key not in found:
            found[key] = _ngrams_of_all(corpus, length)
        ngrams = _ngrams(words, length)
        scores.append(len(ngrams & found[key]) / len(ngrams) if ngrams else 0.0)
    return np.array(scores)


def _words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _ngrams(words: Sequence[str], length: int) -> _Ngrams:
    if length == 0:
        return set()
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def _ngrams_of_all(corpus: Sequence[str], length: int) -> _Ngrams:
    return {ngram for text in corpus for ngram in _ngrams(_words(text), length)}


OVERLAP = Detector("overlap", "8-gram overlap", "ours", ("corpus",), score_overlap)
