"""Quotes are found across page ends, in columns under a running head and behind line numbers; data keep theirs."""

from pathlib import Path

import pytest
import yaml

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
MARGINS = yaml.safe_load((Path(__file__).parent / "margins.yaml").read_text())


@pytest.mark.parametrize("layout", MARGINS["layouts"])
def test_every_sentence_is_found_as_a_quote(tmp_path: Path, layout: str) -> None:
    """Nine layouts with at least six sentences that a page end cuts."""
    paragraphs = "\n\n".join(" ".join(SENTENCES[start : start + 9]) for start in range(0, 90, 9))
    size = "#set page(width: 12cm, height: 9cm, margin: 1.5cm)\n#set par(justify: true)\n#set text(9pt)"
    (tmp_path / "document.pdf").write_bytes(
        typeset(tmp_path, f"{size}\n{MARGINS['layouts'][layout]}\n{paragraphs}")
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


@pytest.mark.parametrize(("pages", "expected"), MARGINS["pages"])
def test_margins_are_told_from_text(pages: list[str], expected: list[str] | None) -> None:
    assert without_margins(pages) == (expected or pages)
