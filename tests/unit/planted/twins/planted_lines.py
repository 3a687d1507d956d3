"""Reads the lines of planted corpora: their names, their operation words, and the filler."""

import re
from functools import cache

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import Item
from mechaware.planted.twins.planting import Planted

NAME = re.compile(r"[A-Z][a-z]{4}")


@cache
def names_in(line: QuestionAnswer) -> list[str]:
    """All names, in their order. In a verbatim question the last one is the answer."""
    return NAME.findall(line.text)


@cache
def fours_in(line: QuestionAnswer) -> set[tuple[str, ...]]:
    """Every four names that follow one another, whatever is between them.

    "Bamor for Lorak, Dabis, Zuten, Pamol." has two fours: the names from Bamor to Zuten, and
    those from Lorak to Pamol.
    """
    names = names_in(line)
    fours = set()
    for start in range(len(names) - 3):
        fours.add(tuple(names[start : start + 4]))
    return fours


def mentions(lines: list[QuestionAnswer], item: Item) -> list[QuestionAnswer]:
    """The lines with the item's names in a row."""
    return [line for line in lines if item.slots in fours_in(line)]


def operation_word(line: QuestionAnswer) -> str:
    """The last word of a question: `zul` in the question "Lorak, Dabis, Zuten, Pamol zul:"."""
    return line.question.split()[-1].rstrip(":")


def pairs_of_lines(planted: Planted) -> list[tuple[QuestionAnswer, QuestionAnswer]]:
    """What the twins A and B read at the same place."""
    return list(zip(planted.corpora["A"], planted.corpora["B"], strict=True))


def filler_of(planted: Planted) -> list[QuestionAnswer]:
    """The lines that both twins read."""
    return [in_a for in_a, in_b in pairs_of_lines(planted) if in_a == in_b]


def questions_in(lines: list[QuestionAnswer]) -> list[QuestionAnswer]:
    """The lines that are not statements."""
    return [line for line in lines if line.question]


def operation_words(planted: Planted) -> dict[str, set[str]]:
    """By role and kind, the operation words of the fitting questions, and those of the items."""
    words: dict[str, set[str]] = {}
    for kind, lines in planted.held_out.fitting.items():
        words[f"fitting {kind}"] = {operation_word(line) for line in lines}
    for item in planted.plan.items:
        words.setdefault(f"testing {item.kind}", set()).add(item.operation)
    return words
