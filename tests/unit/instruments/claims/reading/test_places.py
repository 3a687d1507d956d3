"""The page of a place in a text and the heading of its section; None where not certain."""

import pytest

from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.rubric.records import PaperText

# Four kinds of lines begin with a number and are no headings: items of a list ("1. Heads that
# copy"), the end of a sentence ("27 in all."), a row of a table ("12 Names of 40 Characters") and a
# reference ("5 Smith and Jones").
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
    """The record of a paper with these pages; without page starts its format has no pages."""
    pages = len(page_starts) or None
    return PaperText(
        paper="p",
        pages=pages,
        pages_read=pages,
        page_starts=page_starts,
        truncated=False,
        characters=0,
        flags=[],
        hidden=[],
    )


def heading(text: str, words: str) -> str | None:
    """The heading of the section in which `words` first occur."""
    return place_of(text.index(words), text, about([])).heading


def test_pages_count_from_one_and_an_empty_page_is_passed_over() -> None:
    text = 30 * "a"
    # Page 2 has no text: it begins where page 3 does.
    with_pages = about([0, 10, 10, 20])
    page_of = {0: 1, 9: 1, 10: 3, 19: 3, 20: 4, 29: 4}

    for start, page in page_of.items():
        assert place_of(start, text, with_pages).page == page


def test_a_text_without_pages_has_places_without_a_page() -> None:
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
            "\\section{A circuit}\n\\subsection*{Patching \n}\n"
            "\\subsection{Patching}\\label{s}\nWords.",
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


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(332, "Abstract", id="3,993 characters"),
        pytest.param(333, None, id="4,005 characters"),
    ],
)
def test_a_heading_of_a_usual_name_is_certain_for_4000_characters(
    lines: int, expected: str | None
) -> None:
    text = "Abstract\n" + lines * "It goes on.\n" + "Words."

    assert heading(text, "Words.") == expected
