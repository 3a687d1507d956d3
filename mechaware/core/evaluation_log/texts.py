"""What every form of a sample comes to, and how logs write chats and accepted answers."""

import ast
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple


class ItemTexts(NamedTuple):
    """The texts of an item. `question_from`: where the question is in the sample,
    empty without a question.
    """

    question: str
    answer: str
    question_from: str
    choices: tuple[str, ...] = ()  # the answer is one of them


def chat_text(content: Any) -> str:
    """A text, or the texts of a chat's user, a line each; lm-eval writes a chat as JSON.

    `content` is a text, a message (`role`, `content`), a part of one (`text`), or a list of these.
    Parts without a text, such as images, are left out. Raises `AttributeError` for anything else.
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
    if text.startswith('[{"role"'):
        with suppress(ValueError):  # a text that only begins like a chat
            return chat_text(json.loads(text))
    return text


def listed_answers(target: Any) -> list[Any]:
    """The accepted answers in `target`: the elements of a list,
    or of a list as Python prints it, else `target`.
    """
    if isinstance(target, list):
        return target
    if isinstance(target, str) and target.startswith("[") and target.endswith("]"):
        with suppress(ValueError, SyntaxError):  # a text in brackets
            return list(ast.literal_eval(target))
    return [target]


def first_accepted(target: Any) -> str:
    """The first of several accepted texts, or the only one; empty if there is none.

    A list of numbers as Python prints it is one text: `[1, 2]` may well be the answer.
    """
    answers = listed_answers(target)
    if isinstance(target, str) and not all(isinstance(answer, str) for answer in answers):
        return target
    return str(answers[0]) if answers else ""


def quoted(texts: Sequence[str]) -> str:
    """The texts in a message, each cut after 40 characters."""
    return ", ".join(repr(text if len(text) <= 40 else f"{text[:40]}...") for text in texts)
