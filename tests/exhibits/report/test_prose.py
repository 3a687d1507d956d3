"""The paper's prose: numbers come from values, captions and lines are short."""

import re
from pathlib import Path

import pytest

from tests.exhibits.report.paper_sources import NAMES, REPOSITORY, SECTIONS

# Where a source paper has something, as captions name it.
PLACES = r"(?:Tables?|Figures?|[Ss]ections?) \d[\d.]*(?:(?:,| to| and) \d+)*"
# What is not prose in a Typst source.
CODE = (
    r"^//.*$",  # comments
    r"\"[^\"]*\"",  # strings
    r"\$[^$]*\$",  # mathematics
    r"@[\w:-]+",  # references
    r"columns: \([^)]*\)",  # columns of a grid
    r"(?:style|side-by-side): \d",  # named arguments
    r"[<>=]=? [\d.]+",  # comparisons
    r"update\(0\)",  # a counter is reset
    r"\{ 0 \}",  # a branch that gives 0
    r", \d\)",  # the last argument of a call
)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_number_is_typed_in_a_section(section: Path) -> None:
    """Outside of code and names the source has no digit, and no word for a number from five on."""
    prose = re.sub("|".join(CODE), "", section.read_text(), flags=re.MULTILINE)
    assert not re.findall(r"\S*\d\S*", re.sub(NAMES, "", prose))
    assert not re.findall(r"\b(?:five|six|seven|eight|nine|ten|eleven|twelve|hundred)\b", prose)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_sentence_begins_with_a_number(section: Path) -> None:
    """No function that prints a number follows the end of a sentence."""
    assert not re.findall(
        r"[.!?]\s+#(?:num|formatted|with-interval|k-of-n|interval|reported)\(.*",
        section.read_text(),
    )


@pytest.mark.parametrize(
    "caption", sorted((REPOSITORY / "paper/captions").rglob("*.rst")), ids=lambda path: path.stem
)
def test_no_number_is_typed_in_a_caption(caption: Path) -> None:
    assert not re.findall(r"\S*\d\S*", re.sub(f"{PLACES}|{NAMES}", "", caption.read_text()))


# Characters: three lines across a page, less the file's name with which a caption ends.
MAX_CAPTION_LENGTH = 350
RESULT_CAPTIONS = sorted((REPOSITORY / "paper/captions").glob("*/*.rst"))


@pytest.mark.parametrize("caption", RESULT_CAPTIONS, ids=lambda path: path.stem)
def test_a_caption_fits_three_lines(caption: Path) -> None:
    first_paragraph = caption.read_text().strip().split("\n\n")[0]
    assert len(" ".join(first_paragraph.split())) <= MAX_CAPTION_LENGTH


@pytest.mark.parametrize("caption", RESULT_CAPTIONS, ids=lambda path: path.stem)
def test_only_a_tables_caption_has_notes(caption: Path) -> None:
    """Notes are the paragraphs after the first."""
    paragraphs = caption.read_text().strip().split("\n\n")
    assert len(paragraphs) == 1 or caption.parent.name == "tables"


@pytest.mark.parametrize(
    "source",
    sorted((REPOSITORY / "paper").rglob("*.typ")),
    ids=lambda source: source.stem,
)
def test_no_line_of_a_source_holds_a_paragraph(source: Path) -> None:
    """Sources have one sentence a line, and no sentence needs more than 300 characters."""
    longest = max(source.read_text().splitlines(), key=len)
    assert len(longest) <= 300, longest[:80]
