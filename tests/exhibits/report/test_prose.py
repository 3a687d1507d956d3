"""What the sources of the paper may not have: typed numbers and findings, sentences that begin with one."""

import re
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[3]
# What prose may say with a digit in it: names of rules, criteria and models.
NAMES = r"\b(?:R[1-3]|G[1-5]|[CIMEV][1-6]|SmolLM2|TinyStories-33M)\b"
# Where a source paper has something, as captions name it.
PLACES = r"(?:Tables?|Figures?|[Ss]ections?) \d[\d.]*(?:(?:,| to| and) \d+)*"
# Code, mathematics and references.
CODE = (
    r"^//.*$",
    r"\"[^\"]*\"",
    r"\$[^$]*\$",
    r"@[\w:-]+",
    r"columns: \([^)]*\)",
    r"(?:style|side-by-side): \d",
    r"[<>=]=? [\d.]+",
    r"update\(0\)",
    r"\{ 0 \}",
    r", \d\)",
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


# Three lines across a page, with the file that a caption ends with.
MAX_CAPTION_LENGTH = 350
RESULT_CAPTIONS = sorted((REPOSITORY / "paper/captions").glob("*/*.rst"))


@pytest.mark.parametrize("caption", RESULT_CAPTIONS, ids=lambda path: path.stem)
def test_a_caption_has_three_lines_and_only_a_tables_has_notes(caption: Path) -> None:
    first, *notes = caption.read_text().strip().split("\n\n")
    assert len(" ".join(first.split())) <= MAX_CAPTION_LENGTH
    assert not notes or caption.parent.name == "tables"


# Bold words that name what a paragraph is about. A bold sentence that states something is the ledger's.
TOPICS = {
    "RADAR",
    "Symbolic-mechanistic evaluation",
    "Claim Validity Scores",
    "Bold sentences",
    "Prompts like the paper's.",
    "Prompts of equal length.",
    "Planted questions.",
    "Seen or unseen.",
    "RADAR against the loss.",
    "A pretrained model.",
    "Trained models.",
    "Transformers written by hand.",
    "What answers cannot show.",
    "The layer of R3.",
    "The block after it.",
    "Cuts.",
    "Attribution.",
    "The reference.",
    "Edits.",
    "RADAR.",
    "Grounding.",
    "Claims.",
    "Correction.",
    "What this cannot show.",
    "Truth by construction.",
    "Nothing to find.",
    "Patching and schemas.",
    "Judges.",
    "What is ours.",
    # In the appendix.
    "The reconstruction.",
    "Length.",
    "Matched pairs.",
    "The same words in another order.",
    "Knowledge.",
    "Seen and unseen.",
    "By the meanings frozen before the run",
    "Where only memory answers.",
    "What a question demands.",
    "Features and their names.",
    "Other models.",
    "Where the word is read.",
    "Habit.",
    "What G4 refuses.",
    "The place of the column.",
    "Chosen controls.",
    "Drawn controls.",
    "Prompts of the data.",
    "The lists of tiers.",
    "Planted papers.",
    "Trust.",
    "Votes, audit and advocate.",
    "R1",
    "R2",
    "R3",
    "G1",
    "G2",
    "G3",
    "G4",
    "G5",
    "Planted memorisation.",
}
STUDIES = ("radar", "grounding", "claims")
# Where a statement may be: on the page of its study, or among what is new.
FINDINGS = [REPOSITORY / f"paper/sections/{name}.typ" for name in (*STUDIES, "useful")]
LEDGER = yaml.safe_load((REPOSITORY / "paper/claims.yaml").read_text())
# A bold word, perhaps in italics, at the start of a line or of an item of a list.
BOLD = re.compile(r"^ *(?:- )?_?\*([^*\n]+)\*", re.MULTILINE)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_a_paragraphs_bold_statement_is_the_ledgers(section: Path) -> None:
    assert set(BOLD.findall(section.read_text())) <= TOPICS


def test_every_bold_topic_is_one_of_the_text() -> None:
    typed = {topic for section in SECTIONS for topic in BOLD.findall(section.read_text())}
    assert typed == TOPICS


def names_in(pattern: str, section: Path) -> list[str]:
    """What the pattern's group matches in a section, in order."""
    return re.findall(pattern, section.read_text())


def test_every_statement_of_the_ledger_is_printed_once_in_its_section() -> None:
    """Those that only larger runs have are printed from a list of names."""
    stated = []
    for section in FINDINGS:
        stated += names_in(r'#stated\("([\w-]+)"\)', section)
    needing = {name for name, entry in LEDGER.items() if "needs" in entry}

    assert len(stated) == len(set(stated))
    assert set(LEDGER) - needing <= set(stated) <= set(LEDGER)

    for name in needing:
        section = REPOSITORY / f"paper/sections/{LEDGER[name]['study']}.typ"
        assert f'"{name}"' in section.read_text()
    for study in STUDIES:
        page = set(names_in(r'#stated\("([\w-]+)"\)', REPOSITORY / f"paper/sections/{study}.typ"))
        assert {LEDGER[name]["study"] for name in page} == {study}


def abstracts_statements() -> list[str]:
    headlines = (REPOSITORY / "paper/sections/headlines.typ").read_text()
    listed = re.search(r"statements-of-the-abstract = \(\n(.*?)\n\)", headlines, re.DOTALL)
    assert listed
    return re.findall(r'"([\w-]+)"', listed[1])


# What a sentence prints of the run, a number each.
PRINTED = re.compile(r"\{\{.*?\}\}")


def test_the_abstract_has_at_most_eight_numbers_whatever_comes_out() -> None:
    """The words around its sentences have none (test_no_number_is_typed_in_a_section)."""
    numbers = 0
    for name in abstracts_statements():
        sentences = LEDGER[name]["sentences"].values()
        numbers += max(len(PRINTED.findall(sentence)) for sentence in sentences)
        for sentence in sentences:
            without_code = re.sub(r"\{%.*?%\}", "", PRINTED.sub("", sentence))
            typed = re.sub(NAMES, "", without_code)
            assert not re.findall(r"\d", typed)
    assert numbers <= 8


@pytest.mark.parametrize(
    "source",
    sorted((REPOSITORY / "paper").rglob("*.typ")),
    ids=lambda source: source.stem,
)
def test_no_line_of_a_source_holds_a_paragraph(source: Path) -> None:
    """One sentence a line."""
    longest = max(source.read_text().splitlines(), key=len)
    assert len(longest) <= 300, longest[:80]
