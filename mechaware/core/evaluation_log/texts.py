"""The texts of an item, which are read from every form of sample, and the forms in which logs write
chats and accepted answers.
"""

import ast
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple


class ItemTexts(NamedTuple):
    """The texts of an item.

    - `question`: empty for a text that is scored as a whole.
    - `answer`: the right answer, or the text that is scored; empty if the sample has no answer. If
      there are `choices`, the answer is one of them or empty.
    - `question_from`: the field of the sample that holds the question, or the fields of lm-eval's
      document that hold it, separated by commas; empty for a text that is scored as a whole.
    - `choices`: the texts to choose from; empty if the sample has none.
    """

    question: str
    answer: str
    question_from: str
    choices: tuple[str, ...] = ()


def chat_text(content: Any) -> str:
    """A text unchanged, or the texts of the user's messages in a chat, joined by line breaks.

    `content` is a text, a message (`role`, `content`), a part of a message (`text`), or a list of
    these. A text may hold a chat as JSON, as lm-eval writes it. Parts without a text, such as
    images, are left out. Raises `AttributeError` for anything else.
    """
    if isinstance(content, str):
        return _decoded_chat(content)
    if isinstance(content, list):
        texts = [chat_text(each) for each in content]
        return "\n".join(text for text in texts if text)
    if content.get("role", "user") != "user":
        return ""
    return chat_text(content.get("content", content.get("text", "")))


def _decoded_chat(text: str) -> str:
    """The user's texts in a chat that is written as JSON; any other text unchanged."""
    if text.startswith('[{"role"'):
        with suppress(ValueError):  # the text begins like a chat, but is not JSON
            return chat_text(json.loads(text))
    return text


def listed_answers(target: Any) -> list[Any]:
    """The accepted answers in `target`: the elements of a list, or of a list as Python prints it
    (`"['Rome', 'Roma']"`); any other target is the only answer.
    """
    if isinstance(target, list):
        return target
    if isinstance(target, str) and target.startswith("[") and target.endswith("]"):
        with suppress(ValueError, SyntaxError):  # a text in brackets that is not a list
            return list(ast.literal_eval(target))
    return [target]


def first_accepted(target: Any) -> str:
    """The first of the accepted answers as text; empty if there is none.

    A text that Python would print for a list is one answer unless all elements are texts: `[1, 2]`
    may well be the answer.
    """
    answers = listed_answers(target)
    if isinstance(target, str) and not all(isinstance(answer, str) for answer in answers):
        return target
    return str(answers[0]) if answers else ""


def quoted(texts: Sequence[str]) -> str:
    """The texts in quotes, separated by commas, for a message; each is cut after 40 characters."""
    return ", ".join(repr(text if len(text) <= 40 else f"{text[:40]}...") for text in texts)
