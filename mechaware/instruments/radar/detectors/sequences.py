"""Detectors that compare sequences: continuations with one another, and a text with the corpus.

The continuations are the model's own; the corpus is what the model was trained on.
"""

import re
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.evidence.evidence import Evidence, Samples

ALPHA = 0.05  # CDD: the edits that are allowed for each token of the longest continuation
NGRAM_LENGTH = 8  # words
_WORD = re.compile(r"\w+")

_Ngrams = set[tuple[str, ...]]


def _score_peakedness(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CDD: the share of drawn continuations within alpha * l edits of the greedy one.

    Dong et al. 2024 (arXiv:2402.15938). Edits are insertions, deletions and substitutions of
    tokens, l is the length of the longest continuation, greedy or drawn, and alpha is 0.05. From 0
    to 1; an item without drawn continuations scores 0.

    As in the paper, continuations are drawn at temperature 0.8 and cut at 100 tokens; the authors
    draw 50 of each item.

    Traps: the distance counts tokens, not characters. Below 20 tokens alpha * l is less than one
    edit, so continuations have to be equal.
    """
    return np.array([_peakedness(samples) for samples in required(evidence.samples)])


def _peakedness(samples: Samples) -> float:
    """The share of drawn continuations near the greedy one, and 0 without any."""
    if not samples.drawn:
        return 0.0
    # Imported here: figures import the list of detectors, and their environment has no rapidfuzz.
    from rapidfuzz.distance import Levenshtein

    longest = max(len(samples.greedy), *map(len, samples.drawn))
    allowed_edits = ALPHA * longest
    greedy = samples.greedy.tolist()
    distances = [Levenshtein.distance(greedy, drawn.tolist()) for drawn in samples.drawn]
    return float(np.mean([distance <= allowed_edits for distance in distances]))


def _score_overlap(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """The share of an item's distinct 8-grams of words that occur in a text of the corpus.

    From 0 to 1. Words are maximal runs of letters, digits and underscores, in lower case;
    punctuation and spaces between them do not count. An item of fewer than 8 words is one n-gram;
    an item without words scores 0. An n-gram lies within one text of the corpus.

    Trap: an item shares its template with others, so an unseen item also has an overlap.
    """
    # The n-grams of each corpus, by the corpus and the n-grams' length. The corpus is known by the
    # identity of its list, which all rows of a model share.
    corpus_ngrams: dict[tuple[int, int], _Ngrams] = {}
    scores = []
    for text, corpus in zip(evidence.texts, required(evidence.corpus), strict=True):
        words = _words(text)
        length = min(NGRAM_LENGTH, len(words))
        key = (id(corpus), length)
        if key not in corpus_ngrams:
            corpus_ngrams[key] = _ngrams_of_lines(corpus, length)

        ngrams = _ngrams(words, length)
        share = 0.0
        if ngrams:
            share = len(ngrams & corpus_ngrams[key]) / len(ngrams)
        scores.append(share)
    return np.array(scores)


def _ngrams_of_lines(lines: Sequence[str], length: int) -> _Ngrams:
    """The distinct n-grams of the lines, each within one line."""
    ngrams: _Ngrams = set()
    for line in lines:
        ngrams |= _ngrams(_words(line), length)
    return ngrams


def _words(text: str) -> list[str]:
    """The words of a text in lower case, without punctuation."""
    return _WORD.findall(text.lower())


def _ngrams(words: Sequence[str], length: int) -> _Ngrams:
    """The distinct runs of `length` words: of a, b, c and length 2, (a, b) and (b, c)."""
    if length == 0:
        return set()
    starts = range(len(words) - length + 1)
    return {tuple(words[start : start + length]) for start in starts}


PEAKEDNESS = Detector("peakedness", "CDD", "Dong et al. 2024", ("samples",), _score_peakedness)
OVERLAP = Detector("overlap", "8-gram overlap", "ours", ("corpus",), _score_overlap)
