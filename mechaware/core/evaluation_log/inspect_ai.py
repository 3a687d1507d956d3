"""The texts of a sample in a log of Inspect, and its scores."""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from mechaware.core.evaluation_log.texts import ItemTexts, chat_text, first_accepted, quoted

INPUT = "input"  # where a question is
_SEPARATORS = ", "  # between letters of a target

Sample = Mapping[str, Any]


def sample_texts(sample: Sample) -> ItemTexts:
    """The user's messages as question; the target, or the choice that it names, as answer.

    Raises `ValueError` for a target that names no choice, or several. A sample of another form may raise `LookupError`,
    `TypeError` or `AttributeError`.
    """
    question = chat_text(sample["input"])
    choices = [str(choice) for choice in sample.get("choices") or []]
    if not choices:
        return ItemTexts(question, first_accepted(sample["target"]), INPUT)
    is_scored_by_letter = "choice" in (sample.get("scores") or {})
    answer = _right_choice(sample["target"], choices, is_scored_by_letter)
    return ItemTexts(question, answer, INPUT, tuple(choices))


def _right_choice(target: Any, choices: Sequence[str], is_scored_by_letter: bool) -> str:
    """The choice that a target names by its letter or its text; empty for an empty target.

    The scorer `choice` reads only letters. Where letter and text name different choices without it, neither is taken.
    """
    targets = target if isinstance(target, list) else [target]
    accepted = [str(each).strip() for each in targets]
    if not any(accepted):
        return ""

    by_letter = _choices_by_letter("".join(accepted), choices)
    by_text = {choice for choice in choices if choice.strip() in accepted}
    named = by_letter | by_text
    if is_scored_by_letter and by_letter:
        named = by_letter

    shown = quoted(accepted)
    if not named:
        raise ValueError(
            f"target {shown} is none of the choices {quoted(choices)}; correct the target"
        )
    if len(named) > 1 and by_letter and by_text and not is_scored_by_letter:
        raise ValueError(
            f"target {shown} is a choice and the letter of another; correct the target or the choices"
        )
    if len(named) > 1:
        raise ValueError(
            f"{len(named)} choices are right: {quoted(sorted(named))}; leave the sample out"
        )
    return named.pop()


def _choices_by_letter(letters: str, choices: Sequence[str]) -> set[str]:
    """The choices that letters name (`B`, `b`, `A,C`, `AC`); none if one of the letters is no choice's.

    Several letters are upper-case: `a` and `I` are also words.
    """
    by_letter = dict(zip(ascii_uppercase, choices, strict=False))
    named = [letter for letter in letters if letter not in _SEPARATORS]
    if len(letters) == 1:
        named = [letters.upper()]
    if not all(letter in by_letter for letter in named):
        return set()
    return {by_letter[letter] for letter in named}


def sample_values(sample: Sample) -> dict[str, Any]:
    """The values of a sample's scores by scorer, then those of scorers with several by `scorer/key`."""
    scores = {name: score["value"] for name, score in (sample.get("scores") or {}).items()}
    values = dict(scores)
    for name, value in scores.items():
        if isinstance(value, dict):
            values |= {f"{name}/{key}": each for key, each in value.items()}
    return values
