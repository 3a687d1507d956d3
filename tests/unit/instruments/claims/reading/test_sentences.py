"""Sentences end where their boundary says, and keep their places."""

import re

import pytest

from mechaware.instruments.claims.judges.lexical_sentences import SENTENCE_END
from mechaware.instruments.claims.reading.sentences import (
    AFTER_STOP,
    BEFORE_CAPITAL,
    search_sentences,
    sentence_spans,
)

TEXT = "Heads copy, e.g. those in Fig. 2.  They do!\n\nis it so? (Yes.) Or\nnot"


@pytest.mark.parametrize(
    ("boundary", "expected"),
    [
        (
            AFTER_STOP,
            ["Heads copy, e.g.", "those in Fig.", "2.", "They do!", "is it so?", "(Yes.) Or\nnot"],
        ),
        (
            BEFORE_CAPITAL,
            ["Heads copy, e.g. those in Fig.", "2.", "They do!", "is it so?", "(Yes.) Or\nnot"],
        ),
        (
            SENTENCE_END,
            ["Heads copy, e.g. those in Fig. 2.", "They do!", "is it so?", "(Yes.)", "Or\nnot"],
        ),
    ],
)
def test_a_text_is_split_at_the_boundary_that_its_caller_gives(
    boundary: re.Pattern[str], expected: list[str]
) -> None:
    assert [TEXT[start:end] for start, end in sentence_spans(TEXT, boundary)] == expected
    assert sentence_spans(" \n\n ", boundary) == []


def test_a_search_sees_words_that_a_line_end_cuts_and_letters_of_any_form() -> None:
    assert search_sentences("The \ufb01rst  cir-\ncuit. e.g. this\n\nNext") == [
        "The first circuit. e.g. this",
        "Next",
    ]
