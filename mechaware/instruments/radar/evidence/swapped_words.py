"""Copies of texts with exchanged words, as PAC compares them with the text (Ye et al. 2024)."""

import random
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer

# PAC makes 5 copies of a text. In each, two random words are exchanged 0.3 n times, where n is the
# number of the text's words.
_COPIES = 5
_EXCHANGES_PER_WORD = 0.3


def score_swapped(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], seed: int
) -> list[list[Float[np.ndarray, " token"]]]:
    """The log-probabilities of the tokens, in nats, of `_COPIES` copies of each line.

    Each copy has other words exchanged. A copy that does not fit the model's context is cut.
    """
    generator = random.Random(seed)  # noqa: S311
    copies = []
    for line in lines:
        for _ in range(_COPIES):
            exchanged = _exchange_words(line.text, generator)
            copies.append(_split_after(exchanged, line.question))

    # An exchange may change the number of tokens, so that a copy is longer than its text.
    log_probs = [text.log_probs for text in target.score(copies, cut=True)]
    # All copies of the first line come first, then those of the second.
    by_line = []
    for start in range(0, len(copies), _COPIES):
        by_line.append(log_probs[start : start + _COPIES])
    return by_line


def _exchange_words(text: str, generator: random.Random) -> str:
    """The text after repeated exchanges of two random words; a text of one word stays as it is."""
    words = text.split(" ")
    if len(words) == 1:
        return text
    n_exchanges = max(1, int(_EXCHANGES_PER_WORD * len(words)))
    for _ in range(n_exchanges):
        first, second = generator.sample(range(len(words)), 2)
        words[first], words[second] = words[second], words[first]
    return " ".join(words)


def _split_after(text: str, question: str) -> QuestionAnswer:
    """`text` split into question and answer where the question has as many words as `question`.

    For the question "the cat" the text "sat mat the cat" has the question "sat mat" and the answer
    " the cat". A chat template surrounds only the question. Without a question all is answer.
    """
    if not question:
        return QuestionAnswer("", text)
    words = text.split(" ")
    new_question = " ".join(words[: len(question.split(" "))])
    return QuestionAnswer(new_question, text.removeprefix(new_question))
