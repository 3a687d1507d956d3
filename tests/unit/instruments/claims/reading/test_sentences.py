"""A text is split into sentences at a given boundary, and prepared for a search."""

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
        pytest.param(
            AFTER_STOP,
            ["Heads copy, e.g.", "those in Fig.", "2.", "They do!", "is it so?", "(Yes.) Or\nnot"],
            id="after every stop and white space",
        ),
        pytest.param(
            BEFORE_CAPITAL,
            ["Heads copy, e.g. those in Fig.", "2.", "They do!", "is it so?", "(Yes.) Or\nnot"],
            id="not before a small letter, but at an empty line",
        ),
        pytest.param(
            SENTENCE_END,
            ["Heads copy, e.g. those in Fig. 2.", "They do!", "is it so?", "(Yes.)", "Or\nnot"],
            id="not after an abbreviation, but after a bracket",
        ),
    ],
)
def test_a_text_is_split_at_the_boundary_that_its_caller_gives(
    boundary: re.Pattern[str], expected: list[str]
) -> None:
    assert [TEXT[start:end] for start, end in sentence_spans(TEXT, boundary)] == expected


@pytest.mark.parametrize("boundary", [AFTER_STOP, BEFORE_CAPITAL, SENTENCE_END])
def test_white_space_has_no_sentence(boundary: re.Pattern[str]) -> None:
    assert sentence_spans(" \n\n ", boundary) == []


def test_a_search_joins_hyphenated_words_and_replaces_ligatures() -> None:
    text = "The \ufb01rst  cir-\ncuit. e.g. this\n\nNext"

    assert search_sentences(text) == ["The first circuit. e.g. this", "Next"]
