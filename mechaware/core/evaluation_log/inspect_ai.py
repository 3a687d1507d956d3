"""Reads the question, answer, choices and scores of a sample in a log of Inspect (inspect_ai)."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from mechaware.core.evaluation_log.texts import ItemTexts, chat_text, first_accepted, quoted

INPUT = "input"  # the field of a sample that holds its question
_SEPARATORS = {",", " "}  # between the letters of a target

Sample = Mapping[str, Any]


def sample_texts(sample: Sample) -> ItemTexts:
    """The user's messages as question; the target, or the choice that it names, as answer.

    Raises:
        ValueError: The target names no choice, or several.
        LookupError, TypeError, AttributeError: The sample lacks a field, or a field has another
            form.
    """
    question = chat_text(sample[INPUT])
    choices = [str(choice) for choice in sample.get("choices") or []]
    if not choices:
        answer = first_accepted(sample["target"])
        return ItemTexts(question, answer, question_from=INPUT)

    # Inspect's scorer `choice` reads a target as letters only.
    is_scored_by_letter = "choice" in (sample.get("scores") or {})
    answer = _right_choice(sample["target"], choices, prefer_letters=is_scored_by_letter)
    return ItemTexts(question, answer, question_from=INPUT, choices=tuple(choices))


def _right_choice(target: Any, choices: Sequence[str], *, prefer_letters: bool) -> str:
    """The choice that a target names by its letter or its text; empty for an empty target.

    A target can name one choice by its letter and another by its text: of the choices B, A and K,
    the target `A` names B by its letter and A by its text. With `prefer_letters` the letter
    decides; otherwise such a target is an error.

    Raises `ValueError` for a target that names no choice, or several.
    """
    targets = target if isinstance(target, list) else [target]
    accepted = [str(text).strip() for text in targets]
    if not any(accepted):
        return ""

    by_letter = _choices_by_letter("".join(accepted), choices)
    by_text = {choice for choice in choices if choice.strip() in accepted}
    named = by_letter | by_text
    if prefer_letters and by_letter:
        named = by_letter

    shown = quoted(accepted)
    if not named:
        raise ValueError(
            f"target {shown} is none of the choices {quoted(choices)}; correct the target"
        )
    if len(named) == 1:
        return named.pop()
    if by_letter and by_text and not prefer_letters:
        raise ValueError(
            f"target {shown} is a choice and the letter of another; "
            "correct the target or the choices"
        )
    raise ValueError(
        f"{len(named)} choices are right: {quoted(sorted(named))}; leave the sample out"
    )


def _choices_by_letter(letters: str, choices: Sequence[str]) -> set[str]:
    """The choices that `B`, `b`, `A,C` or `AC` name; none if one of the letters has no choice.

    Only a single letter may be lower-case: several, such as `ad`, may be a word.
    """
    # Choices after the 26th have no letter.
    by_letter = dict(zip(ascii_uppercase, choices, strict=False))
    target_letters = [letter for letter in letters if letter not in _SEPARATORS]
    if len(letters) == 1:
        target_letters = [letters.upper()]
    if not all(letter in by_letter for letter in target_letters):
        return set()
    return {by_letter[letter] for letter in target_letters}


def sample_values(sample: Sample) -> dict[str, Any]:
    """The values of a sample's scores, by scorer.

    If a scorer's value is a dictionary, each entry of it is also a value, under `scorer/key`. For
    example, if the scorer `match` has the value 1 and `judge` the value {"style": 0.2}:

        {"match": 1, "judge": {"style": 0.2}, "judge/style": 0.2}

    Raises `LookupError`, `TypeError` or `AttributeError` if `scores` has another form.
    """
    scores = {name: score["value"] for name, score in (sample.get("scores") or {}).items()}
    values = dict(scores)
    for name, value in scores.items():
        if isinstance(value, dict):
            values |= {f"{name}/{key}": part for key, part in value.items()}
    return values
