"""Copies of a text with exchanged words: which words they keep, and where their question ends."""

import random

import pytest

from mechaware.instruments.radar.evidence.swapped_words import _exchange_words, _split_after


@pytest.mark.parametrize(
    "text",
    ["Lorak, Dabis zul: Bamor.", "Lorak lives in Bamor.", "Who is it?\nAnn, and so on"],
)
def test_a_copy_has_the_words_of_the_text_in_another_order(text: str) -> None:
    copy = _exchange_words(text, random.Random(1))  # noqa: S311
    assert sorted(copy.split(" ")) == sorted(text.split(" "))
    assert copy != text


@pytest.mark.parametrize(("text", "copy"), [("", ""), ("one", "one"), ("a b", "b a")])
def test_a_text_of_at_most_one_word_stays_and_two_words_change_places(text: str, copy: str) -> None:
    assert _exchange_words(text, random.Random(1)) == copy  # noqa: S311


@pytest.mark.parametrize(
    ("copy", "question", "expected"),
    [
        ("is Rome What? blue", "What is Rome?", ("is Rome What?", " blue")),
        # Words are separated by spaces: a line break joins the last word of the question and the
        # first word of the answer.
        ("Ann? Who\nis", "Who?\nAnn is", ("Ann? Who\nis", "")),
        ("Rome is", "", ("", "Rome is")),
    ],
)
def test_the_question_of_a_copy_has_as_many_words_as_the_question_of_the_text(
    copy: str, question: str, expected: tuple[str, str]
) -> None:
    line = _split_after(copy, question)
    assert line == expected
    assert line.text == copy
