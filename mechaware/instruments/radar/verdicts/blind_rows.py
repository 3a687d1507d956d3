"""Do the texts alone separate a benchmark's items from its control? The blind rows of a verdict.

A blind row compares the two sets by what can be read without a model. Das et al. 2024
(arXiv:2406.16201) found that baselines which read only the texts beat detectors on many published
comparisons.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from mechaware.core.stats.p_values import largest_statistic_p
from mechaware.core.stats.roc import areas_under_roc
from mechaware.models.summaries import TokenScores

# The number of characters, words and tokens of a text, and how much nearer its words are to the
# items' than to the controls'.
BLIND_ROWS = ("characters", "words", "tokens", "bag of words")
PERMUTATIONS = 199  # p-values are multiples of 1 / 200, the smallest is 0.005


class BlindTest(NamedTuple):
    """The AUROC of a blind row, and its p-value, corrected for the number of blind rows."""

    row: str
    auroc: float
    p: float


def blind_tests(
    texts: Sequence[str],
    token_scores: Sequence[TokenScores],
    is_item: Bool[np.ndarray, " text"],
    seed: int,
) -> list[BlindTest]:
    """A test of each of `BLIND_ROWS`; lengths are tested two-sided, the bag of words one-sided.

    The bag of words of a text is the tf-idf vector of its words and punctuation marks. Its score is
    the mean cosine with the *other* items minus the mean cosine with the other controls (nearest
    centroid, each text left out in turn). The p-values hold for the four tests together
    (`stats.largest_statistic_p`).

    Args:
        texts: The items and the controls.
        token_scores: The token scores of the texts; only the numbers of tokens are read.
        is_item: Which of the texts are items.
        seed: The seed of the permutations.

    Returns:
        The tests, in the order of `BLIND_ROWS`.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    # One column a draw, 1 for the items: first the observed column, then permutations of it. For
    # two items and a control with two permutations:
    #   item     1 1 0
    #   item     1 0 1
    #   control  0 1 1
    generator = np.random.default_rng(seed)
    draws = [is_item]
    for _ in range(PERMUTATIONS):
        draws.append(generator.permutation(is_item))
    items = np.stack(draws, axis=1).astype(float)

    characters = np.array([len(text) for text in texts], dtype=float)
    words = np.array([len(text.split()) for text in texts], dtype=float)
    tokens = np.array([len(scores.ids) for scores in token_scores], dtype=float)
    vectorizer = TfidfVectorizer(lowercase=False, token_pattern=r"\w+|[^\w\s]")  # noqa: S106
    vectors = vectorizer.fit_transform(texts)
    nearness = _mean_cosine(vectors, items) - _mean_cosine(vectors, 1 - items)

    # A length is the same in every draw, the nearness is not.
    rows = [characters[:, None], words[:, None], tokens[:, None], nearness]
    # Blind row x draw, as are the distances and the statistics.
    aurocs = np.array([areas_under_roc(row, items) for row in rows])
    distances = aurocs - 0.5
    # A length separates by an AUROC on either side of 0.5. An AUROC of the bag of words below 0.5
    # means that nothing was learnt.
    statistics = distances.copy()
    statistics[:-1] = np.abs(distances[:-1])
    p_values = largest_statistic_p(statistics)

    observed = (distances[:, 0] + 0.5).tolist()
    by_row = zip(BLIND_ROWS, observed, p_values.tolist(), strict=True)
    return [BlindTest(name, auroc, p) for name, auroc, p in by_row]


def _mean_cosine(
    vectors: Any, side: Float[np.ndarray, "text draw"]
) -> Float[np.ndarray, "text draw"]:
    """The mean cosine of each text with the *other* texts of a side, in every draw.

    `vectors` is a sparse matrix with a vector of length 1 for each text; `side` is 1 for the texts
    of the side, else 0. If no other text is on the side, the mean is 0.
    """
    sums = vectors @ (vectors.T @ side) - side  # a text's cosine with itself is 1
    n_others = side.sum(axis=0) - side
    mean: np.ndarray = np.divide(sums, n_others, out=np.zeros_like(sums), where=n_others > 0)
    return mean
