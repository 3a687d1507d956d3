"""Quotes are found across page ends, in columns under a running head and next to line
numbers; the numbers of tables and results stay in the text.
"""

from pathlib import Path

import pytest

from mechaware.instruments.claims.judges.quotes import locate_quotes
from mechaware.instruments.claims.reading.child import document_answer
from mechaware.instruments.claims.reading.margins import without_margins
from mechaware.instruments.claims.reading.pdf import read_pdf
from tests.unit.instruments.claims.reading.ordinary_pdf import typeset

HEADS = (
    "attention heads",
    "induction heads",
    "name movers",
    "early layers",
    "value vectors",
    "negative heads",
)
VERBS = (
    "copy the subject",
    "lower the logit",
    "write the answer",
    "move the position signal",
    "carry the direction",
)
ENDS = (
    "to the last position of the prompt",
    "in all of the forty templates that we tried",
    "at layer nine",
)
# No two are equal: 101 is a prime, so 37 * n % 101 differs for every n below 101.
SENTENCES = [
    f"We see that {HEADS[n % 6]} {VERBS[n % 5]} {ENDS[n % 3]}, which GPT-2 repeats for the word {37 * n % 101}."
    for n in range(90)
]
# Layouts of pages, in typst's language.
LAYOUTS = {
    "page numbers": '#set page(numbering: "1")',
    "a head and a foot": (
        '#set page(numbering: "1 / 1", header: [Circuits of names #h(1fr) Under review])'
    ),
    "a head of three lines": (
        "#set page(header: [Circuits of names\\ Proceedings of the workshop\\ Volume 3])"
    ),
    "heads of left and right pages": (
        "#set page(header: context if calc.odd(counter(page).get().first()) [Circuits #h(1fr) #counter(page).display()]"
        " else [Smith and Jones #h(1fr) #counter(page).display()])"
    ),
    "two columns under a head": (
        '#set page(columns: 2, numbering: "1", header: [Circuits of names #h(1fr) 2026])'
    ),
    "line numbers": '#set page(numbering: "1")\n#set par.line(numbering: "1")',
    "line numbers of each page": (
        '#set page(header: [Draft])\n#set par.line(numbering: "001", numbering-scope: "page")'
    ),
    "line numbers on the right": (
        '#set page(header: [Draft])\n#set par.line(numbering: "1", number-margin: right)'
    ),
    "numbered lines in two columns": (
        '#set page(columns: 2, header: [Draft])\n#set par.line(numbering: "1")'
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_sentence_is_found_as_a_quote(tmp_path: Path, layout: str) -> None:
    """At least six of the 90 sentences run across the end of a page: page ends are tested."""
    paragraphs = [" ".join(SENTENCES[start : start + 9]) for start in range(0, 90, 9)]
    body = "\n\n".join(paragraphs)
    size = "#set page(width: 12cm, height: 9cm, margin: 1.5cm)\n#set par(justify: true)\n#set text(9pt)"
    document = tmp_path / "document.pdf"
    document.write_bytes(typeset(tmp_path, f"{size}\n{LAYOUTS[layout]}\n{body}"))

    # What the process that reads a document returns about it.
    answer = document_answer(read_pdf(document, 50))

    n_cut_by_page_end = 0
    for sentence in SENTENCES:
        (place,) = locate_quotes(f'"{sentence}"', answer["text"])
        assert place is not None, sentence
        start, end = place
        n_cut_by_page_end += any(
            start < page_start < end for page_start in answer["page_starts"][1:]
        )
    assert n_cut_by_page_end >= 6
    assert answer["hidden"] == []
    # The only flag: no sentence reports how much a result varies.
    assert answer["flags"] == ["NO_VARIANCE_REPORTED"]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        pytest.param(
            ["Heads copy the9\nsubject and at-10\ntend to names11"],
            ["Heads copy the\nsubject and at-\ntend to names"],
            id="line numbers right after the text",
        ),
        pytest.param(
            ["Heads copy\n7\n1", "names and\n5\n2"],
            ["Heads copy\n7", "names and\n5"],
            id="page numbers below numbers of a table",
        ),
        # The head of the first page may be the title and stays. The heads of the other pages are
        # put after the text of the last page.
        pytest.param(
            ["Heads\nWe", "2 Heads\nsee a", "3 Heads\nname."],
            ["Heads\nWe", "see a", "name.\n\n2 Heads\n3 Heads"],
            id="running heads",
        ),
    ],
)
def test_margins_are_taken_out_of_the_text(pages: list[str], expected: list[str]) -> None:
    assert without_margins(pages) == expected


@pytest.mark.parametrize(
    "pages",
    [
        pytest.param(
            [
                "1 0.5\n2 0.4\n3 0.6\nHeads copy.\nThey do\nso at\nthe end.\nWe saw\nit\nthere,\ntoo."
            ],
            id="rows of a table on one page",
        ),
        pytest.param(["Heads copy\n1", "names and\n3"], id="numbers that go up by two"),
        pytest.param(
            [
                "In all\n0 0.2 0.6\n1 0.3 0.7\n2 0.4 0.8\nWe see\nhow\nso for all",
                "In most\n0 0.2 0.6\n1 0.3 0.7\n2 0.4 0.8\nWe see\nhow\nso for most",
            ],
            id="rows of a table on every page, with as many lines of text",
        ),
        pytest.param(
            ["We see\nit fell from 0.95 to 0.12", "Heads\nit fell from 0.95 to 0.48"],
            id="last lines that differ in a result",
        ),
        pytest.param(["Case 2 has\nnames", "Case 2 did\nmore"], id="first lines that begin alike"),
        pytest.param(["Parts\n1/2", "Heads\n2/3", "Names\n3/4"], id="fractions"),
        pytest.param(
            ["We see\nHeads copy", "Heads copy\nnames"],
            id="a last line that is also the first line of the next page",
        ),
    ],
)
def test_text_that_looks_like_a_margin_stays(pages: list[str]) -> None:
    assert without_margins(pages) == pages
