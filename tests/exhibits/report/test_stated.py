"""The paper's bold statements are sentences of the ledger (paper/claims.yaml).

A source prints a statement with `#stated("name")`, where the name is an entry of the ledger. The
entry has a sentence for each outcome, in which `{{ ... }}` is a number of the run.
"""

import re
from pathlib import Path

import pytest
import yaml

from tests.exhibits.report.paper_sources import NAMES, REPOSITORY, SECTIONS

# Bold words that name the topic of a paragraph, and state nothing.
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
# The sections that may print a statement: the page of each study, and the section on what is new.
FINDINGS = [REPOSITORY / f"paper/sections/{name}.typ" for name in (*STUDIES, "useful")]
LEDGER = yaml.safe_load((REPOSITORY / "paper/claims.yaml").read_text())
# A bold word, perhaps in italics, at the start of a line or of an item of a list.
BOLD = re.compile(r"^ *(?:- )?_?\*([^*\n]+)\*", re.MULTILINE)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.stem)
def test_bold_words_typed_in_a_section_are_topics(section: Path) -> None:
    assert set(BOLD.findall(section.read_text())) <= TOPICS


def test_every_topic_is_in_a_section() -> None:
    typed: set[str] = set()
    for section in SECTIONS:
        typed |= set(BOLD.findall(section.read_text()))
    assert typed == TOPICS


def stated_in(section: Path) -> list[str]:
    """The entries of the ledger whose statements a section prints, in order."""
    return re.findall(r'#stated\("([\w-]+)"\)', section.read_text())


# The entries that only larger runs have.
NEEDING = {name for name, entry in LEDGER.items() if "needs" in entry}


def test_every_statement_of_the_ledger_is_printed_once() -> None:
    stated = []
    for section in FINDINGS:
        stated += stated_in(section)

    assert len(stated) == len(set(stated))
    assert set(LEDGER) - NEEDING <= set(stated) <= set(LEDGER)


def test_the_page_of_a_study_lists_the_statements_that_only_larger_runs_have() -> None:
    for name in NEEDING:
        page = REPOSITORY / f"paper/sections/{LEDGER[name]['study']}.typ"
        assert f'"{name}"' in page.read_text()


def test_the_page_of_a_study_prints_statements_of_that_study() -> None:
    for study in STUDIES:
        stated = stated_in(REPOSITORY / f"paper/sections/{study}.typ")
        assert {LEDGER[name]["study"] for name in stated} == {study}


def abstracts_statements() -> list[str]:
    """The entries of the ledger whose sentences make the abstract."""
    headlines = (REPOSITORY / "paper/sections/headlines.typ").read_text()
    listed = re.search(r"statements-of-the-abstract = \(\n(.*?)\n\)", headlines, re.DOTALL)
    assert listed
    return re.findall(r'"([\w-]+)"', listed[1])


# A number of the run in a sentence.
PRINTED = re.compile(r"\{\{.*?\}\}")
# A branch in a sentence.
BRANCH = re.compile(r"\{%.*?%\}")


def test_the_abstract_has_at_most_eight_numbers_whatever_the_outcomes() -> None:
    """The words around its sentences have none (test_no_number_is_typed_in_a_section)."""
    numbers = 0
    for name in abstracts_statements():
        sentences = LEDGER[name]["sentences"].values()
        numbers += max(len(PRINTED.findall(sentence)) for sentence in sentences)
    assert numbers <= 8


def test_no_number_is_typed_in_a_sentence_of_the_abstract() -> None:
    for name in abstracts_statements():
        for sentence in LEDGER[name]["sentences"].values():
            words = BRANCH.sub("", PRINTED.sub("", sentence))
            assert not re.findall(r"\d", re.sub(NAMES, "", words))
