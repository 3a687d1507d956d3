"""Texts of a question and its answer, and the space between the two."""

import re
import unicodedata
from typing import NamedTuple

# The Unicode names of letters in scripts that put no space between words.
_UNSPACED = re.compile("CJK|IDEOGRAPHIC|HIRAGANA|KATAKANA|THAI|LAO|KHMER|MYANMAR|TIBETAN")


class QuestionAnswer(NamedTuple):
    """A text of a question and its answer, which models read as one text.

    In a statement `question` is empty.
    """

    question: str
    answer: str

    @property
    def text(self) -> str:
        """The whole text."""
        return self.question + self.answer


def join(question: str, answer: str) -> QuestionAnswer:
    """Question and answer with a space between them, which belongs to the answer.

    No space is put where there is white space already, where question or answer is blank, or in
    scripts without spaces between words, such as Chinese, Japanese and Thai. The script is that of
    the question's last letter or, if the question has no letter, of the answer's first. A blank
    question or answer becomes empty.
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
    """The question's last letter; without one the answer's first letter, and "" without either.

    For the question "2 + 2 is?" it is "s". For "2 + 2?" with the answer "four" it is "f".
    """
    question_backwards = question[::-1]
    for character in question_backwards + answer:
        if character.isalpha():
            return character
    return ""
