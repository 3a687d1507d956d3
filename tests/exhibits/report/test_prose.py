"""What the sources of the paper may not have: numbers that are typed, and sentences that begin with one."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
# What prose may say with a digit in it: names of rules and models.
NAMES = r"\b(?:R[1-3]|G[1-5]|[IE][2-5]|SmolLM2|TinyStories-33M)\b"
# Where a source paper has something, as captions name it.
PLACES = r"(?:Tables?|Figures?|[Ss]ections?) \d[\d.]*(?:(?:,| to| and) \d+)*"
# Code, mathematics and references.
CODE = (
    *(
        r"^//.*$",
        r"\"[^\"]*\"",
        r"\$[^$]*\$",
        r"@[\w:-]+",
        r"columns: \([^)]*\)",
        r"(?:style|side-by-side): \d",
        r"[<>=]=? [\d.]+",
    ),
    *(r"update\(0\)", r"\{ 0 \}", r", \d\)"),
)
SECTIONS = sorted((REPOSITORY / "paper/sections").glob("*.typ"))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_number_is_typed_in_a_section(section: Path) -> None:
    """What is left without code, mathematics and references has no digit but in names."""
    prose = re.sub("|".join(CODE), "", section.read_text(), flags=re.MULTILINE)
    assert not re.findall(r"\S*\d\S*", re.sub(NAMES, "", prose))
    assert not re.findall(r"\b(?:five|six|seven|eight|nine|ten|eleven|twelve|hundred)\b", prose)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_no_sentence_begins_with_a_number(section: Path) -> None:
    assert not re.findall(
        r"[.!?]\s+#(?:num|formatted|with-interval|k-of-n|interval|reported)\(.*",
        section.read_text(),
    )


@pytest.mark.parametrize(
    "caption", sorted((REPOSITORY / "paper/captions").rglob("*.rst")), ids=lambda path: path.stem
)
def test_no_number_is_typed_in_a_caption(caption: Path) -> None:
    assert not re.findall(r"\S*\d\S*", re.sub(f"{PLACES}|{NAMES}", "", caption.read_text()))
