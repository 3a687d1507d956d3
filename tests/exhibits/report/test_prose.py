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


# Bold words that name what a paragraph is about. A bold sentence that states something is the ledger's.
TOPICS = {
    *("Length.", "Matched pairs.", "The same words in another order.", "Knowledge."),
    *("Seen and unseen.", "By the meanings frozen before the run", "Where only memory answers."),
    *("What a question demands.", "Features and their names."),
    *("By dose.", "A pretrained model."),
    *(
        "Where the word is read.",
        "Where it reads.",
        "What prompts of the data cannot show.",
        "Habit.",
        "Where the column stands.",
        "Chosen controls.",
    ),
    *("Our rules", "Drawn controls.", "Without a patch", "Whose controls."),
    *("Constant answers.", "Words.", "Counterfactual edits.", "The vote."),
}
FINDINGS = [
    REPOSITORY / f"paper/sections/{study}.typ" for study in ("radar", "grounding", "claims")
]
LEDGER = yaml.safe_load((REPOSITORY / "paper/claims.yaml").read_text())


@pytest.mark.parametrize("section", FINDINGS, ids=lambda section: section.stem)
def test_a_paragraphs_bold_statement_is_the_ledgers(section: Path) -> None:
    typed = set(re.findall(r"^ *\*([^*\n]+)\*", section.read_text(), re.MULTILINE))
    assert typed
    assert typed <= TOPICS


def test_every_statement_of_the_ledger_is_printed_in_its_own_study() -> None:
    headlines = (REPOSITORY / "paper/sections/headlines.typ").read_text()
    listed = re.search(r"statements-of-the-abstract = \(\n(.*?)\n\)", headlines, re.DOTALL)
    assert listed
    in_abstract = set(re.findall(r'"([\w-]+)"', listed[1]))
    stated = {
        (section.stem, name)
        for section in FINDINGS
        for name in re.findall(r'#stated\("([\w-]+)"\)', section.read_text())
    }
    others = {(entry["study"], name) for name, entry in LEDGER.items() if name not in in_abstract}
    assert in_abstract < set(LEDGER)
    assert stated == others
