"""Texts of a question and its answer, and the space between the two."""

import re
import unicodedata
from typing import NamedTuple

# The Unicode names of letters in scripts that put no space between words.
_UNSPACED = re.compile("CJK|IDEOGRAPHIC|HIRAGANA|KATAKANA|THAI|LAO|KHMER|MYANMAR|TIBETAN")


class QuestionAnswer(NamedTuple):
    """A text of a question and its answer, which models read as one; in a statement `question` is empty."""

    question: str
    answer: str

    @property
    def text(self) -> str:
        """The whole text."""
        return self.question + self.answer


def join(question: str, answer: str) -> QuestionAnswer:
    """Question and answer with a space between them; a text without a question, or without an answer, is one part.

    No space is put where white space already is, nor in scripts without spaces between words, such as Chinese, Japanese
    and Thai: the last letter of the question decides, or, if it has no letter, the first one of the answer.
    """
    if not question.strip():
        return QuestionAnswer("", answer if answer.strip() else "")
    if not answer.strip():
        return QuestionAnswer(question, "")

    letter = _letter_at_boundary(question, answer)
    is_unspaced = _UNSPACED.match(unicodedata.name(letter, "") if letter else "")
    has_space = question[-1].isspace() or answer[0].isspace()
    if is_unspaced or has_space:
        return QuestionAnswer(question, answer)
    return QuestionAnswer(question, f" {answer}")


def _letter_at_boundary(question: str, answer: str) -> str:
    """The question's last letter, else the answer's first; "" without any.

    Of "2 + 2 is?" it is the s, of "2 + 2?" and "four" the f.
    """
    question_backwards = question[::-1]
    for character in question_backwards + answer:
        if character.isalpha():
            return character
    return ""
