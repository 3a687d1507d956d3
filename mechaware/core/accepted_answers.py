"""Whether a continuation gives an accepted answer."""

import re
import unicodedata
from collections.abc import Sequence

# Numbers, with separators of thousands and decimals: 1,000.50. Words, with hyphens inside:
# twenty-seven.
_WORD = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d]+(?:-[^\W\d]+)*")


def is_accepted(continuation: str, answers: Sequence[str]) -> bool:
    """Whether the first line of `continuation` that holds text has an accepted answer as a whole
    sequence of words.

    Case, punctuation and the separators of thousands do not count, and 30.00 is 30. A hyphenated
    word is one word, so that `seven` is not found in `twenty-seven`. Our definition: a line that
    names the answer among others is right.
    """
    # A base model goes on writing: later lines are new questions of its own.
    lines = continuation.strip().splitlines()
    return bool(lines) and any(has_words(lines[0], answer) for answer in answers)


def has_words(text: str, answer: str) -> bool:
    """Whether a text has the words of an answer one after the other;
    an answer without a word is in no text.
    """
    words = _words(text)
    wanted = _words(answer)
    n = len(wanted)
    if n == 0:
        return False
    return any(words[start : start + n] == wanted for start in range(len(words) - n + 1))


def _words(text: str) -> list[str]:
    """The words of a text as they are compared: `Twenty-Seven` is `twenty-seven`,
    and `1,000.00` is `1000`.
    """
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return [re.sub(r"\.0+$", "", word.replace(",", "")) for word in words]
