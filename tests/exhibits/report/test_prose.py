"""The paper's prose: numbers come from values, captions and lines are short."""

import re
from pathlib import Path

import pytest

from tests.exhibits.report.paper_sources import NAMES, REPOSITORY, SECTIONS

# All captions, and those of figures and tables, which are in subfolders.
CAPTIONS = sorted((REPOSITORY / "paper/captions").rglob("*.rst"))
RESULT_CAPTIONS = sorted((REPOSITORY / "paper/captions").glob("*/*.rst"))
# Characters: three lines across a page, less the file's name with which a caption ends.
MAX_CAPTION_LENGTH = 350
# Characters: room for every sentence of the paper.
MAX_LINE_LENGTH = 300
# References to a source paper, as captions write them: "Table 3", "sections 4.2 and 5".
SOURCE_REFERENCES = r"(?:Tables?|Figures?|[Ss]ections?) \d[\d.]*(?:(?:,| to| and) \d+)*"
# What is not prose in a Typst source, and may have digits.
CODE = (
    r"^//.*$",  # comments
    r"\"[^\"]*\"",  # strings
    r"\$[^$]*\$",  # mathematics
    r"@[\w:-]+",  # citations and cross-references
    r"columns: \([^)]*\)",  # columns of a grid
    r"(?:style|side-by-side): \d",  # named arguments
    r"[<>=]=? [\d.]+",  # comparisons
    r"update\(0\)",  # a counter is reset
    r"\{ 0 \}",  # a branch that gives 0
    r", \d\)",  # the last argument of a call
)
NUMBER_WORDS = r"\b(?:five|six|seven|eight|nine|ten|eleven|twelve|hundred)\b"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_number_is_typed_in_a_section(section: Path) -> None:
    """Outside code and names, the source has no digit and no number word of `NUMBER_WORDS`."""
    prose = re.sub("|".join(CODE), "", section.read_text(), flags=re.MULTILINE)
    assert not re.findall(r"\S*\d\S*", re.sub(NAMES, "", prose))
    assert not re.findall(NUMBER_WORDS, prose, flags=re.IGNORECASE)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_sentence_begins_with_a_number(section: Path) -> None:
    """No call of a function that prints a number follows the end of a sentence."""
    assert not re.findall(
        r"[.!?]\s+#(?:num|formatted|with-interval|k-of-n|interval|reported)\(.*",
        section.read_text(),
    )


@pytest.mark.parametrize("caption", CAPTIONS, ids=lambda path: path.stem)
def test_no_number_is_typed_in_a_caption(caption: Path) -> None:
    prose = re.sub(f"{SOURCE_REFERENCES}|{NAMES}", "", caption.read_text())
    assert not re.findall(r"\S*\d\S*", prose)


@pytest.mark.parametrize("caption", RESULT_CAPTIONS, ids=lambda path: path.stem)
def test_a_caption_fits_three_lines(caption: Path) -> None:
    first_paragraph = caption.read_text().strip().split("\n\n")[0]
    assert len(" ".join(first_paragraph.split())) <= MAX_CAPTION_LENGTH


@pytest.mark.parametrize("caption", RESULT_CAPTIONS, ids=lambda path: path.stem)
def test_only_a_tables_caption_has_notes(caption: Path) -> None:
    """Notes are the paragraphs after the first paragraph of a caption."""
    paragraphs = caption.read_text().strip().split("\n\n")
    assert len(paragraphs) == 1 or caption.parent.name == "tables"


@pytest.mark.parametrize(
    "source",
    sorted((REPOSITORY / "paper").rglob("*.typ")),
    ids=lambda source: source.stem,
)
def test_no_line_of_a_source_holds_a_paragraph(source: Path) -> None:
    """Sources have one sentence a line, of at most `MAX_LINE_LENGTH` characters."""
    longest = max(source.read_text().splitlines(), key=len)
    assert len(longest) <= MAX_LINE_LENGTH, longest[:80]
