"""Columns of the table of planted items, except the columns of detectors,
which have the detectors' names.
"""

from collections.abc import Iterable

IDENTITY = ("twin", "id", "kind", "form", "dose", "seen")
QUESTION_LOSS = "question_loss"
# Scores that read question and answer, as the loss does, but never the model, and their labels.
BLIND = {"length": "length", "zlib_bytes": "compressed length", "bag_of_words": "bag of words"}
# RADAR, and the scores that it is compared with on kinds of items, with their labels. RADAR alone
# reads the model; the others that are fitted learn from the questions that RADAR learns from.
KIND_READERS = {
    "radar": "RADAR",
    "question_characters": "characters of the question",
    "question_frequency": "mean frequency of the question's tokens in the clean base's texts",
    "question_frequency_fitted": "that frequency, fitted as RADAR is",
    "question_words": "words of the question, fitted as RADAR is",
    "question_letters": "letters of the question, fitted as RADAR is",
    "zlib_bytes": "compressed length of question and answer",
}
SHUFFLED = "shuffled"  # prefix of the columns of shuffled truths
FEATURE = "feature_"  # prefix of the columns of RADAR's features


def columns_of_detectors(columns: Iterable[str]) -> list[str]:
    """The detectors among the columns of scores, in their order.

    A detector also has a column of its scores under a shuffled truth, and so has the truth itself,
    which is in `IDENTITY`: of `id`, `seen`, `shuffled_seen`, `loss` and `shuffled_loss`, the
    detector is `loss`.
    """
    names = list(columns)
    return [name for name in names if f"{SHUFFLED}_{name}" in names and name not in IDENTITY]
