"""The columns of the table of planted items, apart from those of the detectors."""

IDENTITY = ("twin", "id", "kind", "form", "dose", "seen")
QUESTION_LOSS = "question_loss"
# Blind readers of what the loss reads, question and answer.
BLIND = {"length": "length", "zlib_bytes": "compressed length", "bag_of_words": "bag of words"}
# Blind readers of what RADAR reads, the question. Fitted ones learn from the questions that RADAR learns from.
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
