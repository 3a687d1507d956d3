"""A place of a text has a page and the heading of its section, or neither where that is not certain."""

import pytest

from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.rubric.records import PaperText

PAPER = """\
A circuit for pronouns
Abstract
The abstract.
1 Introduction
The introduction, with a list:
1. Heads that copy names from the subject to
the end
2. Heads that read names, of which there are
27 in all.
2 Background
2.1 Circuits
On circuits.
2.2 Probes
On probes.
3 Method
12 Names of 40 Characters
The method.
4. Results and Discussion
What we found.
References
5 Smith and Jones
A reference.
A Further Results
In the appendix.
A.1 A Table
In the table.
"""


def about(page_starts: list[int]) -> PaperText:
    return PaperText(
        paper="p",
        pages=3,
        pages_read=3,
        page_starts=page_starts,
        truncated=False,
        characters=0,
        flags=[],
        hidden=[],
    )


def heading(text: str, words: str) -> str | None:
    return place_of(text.index(words), text, about([])).heading


def test_pages_count_from_one_and_an_empty_page_is_passed_over() -> None:
    starts = [0, 10, 10, 20]
    places = [place_of(start, 30 * "a", about(starts)) for start in (0, 9, 10, 19, 20, 29)]
    assert [place.page for place in places] == [1, 1, 3, 3, 4, 4]
    assert place_of(5, "a text", about([])).page is None


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("A circuit", None),
        ("The abstract", "Abstract"),
        ("The intro", "1 Introduction"),
        ("27 in all", "1 Introduction"),
        ("On circuits", "2.1 Circuits"),
        ("On probes", "2.2 Probes"),
        ("The method", "3 Method"),
        ("What we found", "4. Results and Discussion"),
        ("A reference", "References"),
        ("In the appendix", "A Further Results"),
        ("In the table", "A.1 A Table"),
    ],
)
def test_a_place_has_the_heading_of_its_section(words: str, expected: str | None) -> None:
    assert heading(PAPER, words) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "# A circuit\n\n## Patching of heads ##\nWords.", "Patching of heads", id="Markdown"
        ),
        pytest.param(
            "\\section{A circuit}\n\\subsection*{Patching \n}\n\\subsection{Patching}\\label{s}\nWords.",
            "Patching",
            id="TeX",
        ),
        pytest.param(
            "ABSTRACT\nOn heads.\nIV. CONCLUSIONS AND FUTURE WORK\nWords.",
            "IV. CONCLUSIONS AND FUTURE WORK",
            id="usual names in capitals",
        ),
        pytest.param(
            "1 Introduction\nOn heads.\n2 Method\nHow.\n4 Discussion\nWords.",
            "4 Discussion",
            id="one number is missed",
        ),
        pytest.param(
            "1 Introduction\nOn heads.\n2 Method\nHow.\n5 Discussion\nWords.",
            "2 Method",
            id="two numbers are missed",
        ),
        pytest.param(
            "1 Introduction\n2 Method\n1 Introduction\nWords.\n2 Method\nHow.",
            "1 Introduction",
            id="after a table of contents",
        ),
        pytest.param("The heads\n12 Names and 40 Places\nWords.", None, id="a row of a table"),
        pytest.param("Words.", None, id="no heading"),
    ],
)
def test_a_heading_is_recognised_in_each_form_and_a_row_of_a_table_is_none(
    text: str, expected: str | None
) -> None:
    assert heading(text, "Words.") == expected


def test_a_heading_far_above_is_not_certain() -> None:
    assert heading("Abstract\n" + 400 * "It goes on.\n" + "Words.", "Words.") is None
