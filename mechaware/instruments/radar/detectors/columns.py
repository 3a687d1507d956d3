"""Columns of the table of planted items, except the columns of detectors, which have the detectors' names."""

IDENTITY = ("twin", "id", "kind", "form", "dose", "seen")
QUESTION_LOSS = "question_loss"
# Scores that read question and answer, as the loss does, but never the model, and their labels.
BLIND = {"length": "length", "zlib_bytes": "compressed length", "bag_of_words": "bag of words"}
# RADAR and the scores that it is compared with on kinds of items, and their labels: all but RADAR never read the model.
# Those that are fitted learn from the questions that RADAR learns from.
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
