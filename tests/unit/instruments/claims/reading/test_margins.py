"""Quotes are found across page ends, in columns under a running head and behind line numbers; data keep theirs."""

from pathlib import Path

import pytest

from mechaware.instruments.claims.judges.quotes import locate_quotes
from mechaware.instruments.claims.reading.child import _answer_of
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
SENTENCES = [
    f"We see that {HEADS[n % 6]} {VERBS[n % 5]} {ENDS[n % 3]}, which GPT-2 repeats for the word {37 * n % 101}."
    for n in range(90)
]
# Layouts of pages, as typst sets them.
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
    """Nine layouts with at least six sentences that a page end cuts."""
    paragraphs = "\n\n".join(" ".join(SENTENCES[start : start + 9]) for start in range(0, 90, 9))
    size = "#set page(width: 12cm, height: 9cm, margin: 1.5cm)\n#set par(justify: true)\n#set text(9pt)"
    (tmp_path / "document.pdf").write_bytes(
        typeset(tmp_path, f"{size}\n{LAYOUTS[layout]}\n{paragraphs}")
    )
    answer = _answer_of(read_pdf(tmp_path / "document.pdf", 50))
    places = [locate_quotes(f'"{sentence}"', answer["text"])[0] for sentence in SENTENCES]
    assert [
        sentence for sentence, place in zip(SENTENCES, places, strict=True) if place is None
    ] == []
    cut = [
        start
        for start in answer["page_starts"][1:]
        for place in places
        if place and place[0] < start < place[1]
    ]
    assert len(cut) >= 6
    assert (answer["hidden"], answer["flags"]) == ([], ["NO_VARIANCE_REPORTED"])


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        # A number behind the text, without a space; a word that a line end cuts.
        (
            ["Heads copy the9\nsubject and at-10\ntend to names11"],
            ["Heads copy the\nsubject and at-\ntend to names"],
        ),
        # Rows of a table on one page of several.
        (
            [
                "1 0.5\n2 0.4\n3 0.6\nHeads copy.\nThey do\nso at\nthe end.\nWe saw\nit\nthere,\ntoo."
            ],
            None,
        ),
        # A number of a table beside a page number, and a number that goes up by two.
        (["Heads copy\n7\n1", "names and\n5\n2"], ["Heads copy\n7", "names and\n5"]),
        (["Heads copy\n1", "names and\n3"], None),
        # A title stays, although it is the running head of the other pages, whose words are put behind the text.
        (
            ["Heads\nWe", "2 Heads\nsee a", "3 Heads\nname."],
            ["Heads\nWe", "see a", "name.\n\n2 Heads\n3 Heads"],
        ),
        # Rows of a table on every page, beside as many lines of text.
        (
            [
                "In all\n0 0.2 0.6\n1 0.3 0.7\n2 0.4 0.8\nWe see\nhow\nso for all",
                "In most\n0 0.2 0.6\n1 0.3 0.7\n2 0.4 0.8\nWe see\nhow\nso for most",
            ],
            None,
        ),
        # The ends of pages, which differ in numbers of the text alone.
        (["We see\nit fell from 0.95 to 0.12", "Heads\nit fell from 0.95 to 0.48"], None),
        (["Case 2 has\nnames", "Case 2 did\nmore"], None),
        (["Parts\n1/2", "Heads\n2/3", "Names\n3/4"], None),
        # The same line at other places of its page is none.
        (["We see\nHeads copy", "Heads copy\nnames"], None),
    ],
)
def test_margins_are_told_from_text(pages: list[str], expected: list[str] | None) -> None:
    """Texts of pages, and what is left without their margins; None where all is text."""
    assert without_margins(pages) == (expected or pages)
