"""The committed README.md and docs/findings.md: made of the gallery's values, short, explained."""

import json
import re
from pathlib import Path

import pytest

from exhibits.report.findings import BEGIN, END
from scripts.write_docs import findings

REPOSITORY = Path(__file__).resolve().parents[3]


def test_readme_and_findings_are_what_make_docs_makes_of_the_gallerys_values() -> None:
    """To change them, edit docs/*findings.md.j2 or paper/claims.yaml, and run `make docs`."""
    values = json.loads((REPOSITORY / "docs/gallery/values.json").read_text())
    documents, used = findings(values)

    assert {path.name for path in documents} == {"README.md", "findings.md"}

    for path, text in documents.items():
        assert path.read_text() == text, "run `make docs`"
    assert used == values


@pytest.mark.parametrize("name", ["readme_findings", "findings"])
def test_no_template_sets_a_sentence_in_bold(name: str) -> None:
    """Bold is left to `stated`, which uses it for a sentence whose tests decide the statement."""
    assert "**" not in (REPOSITORY / f"docs/{name}.md.j2").read_text()


def test_the_readme_is_short_and_names_no_term_before_it_is_explained() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    before, _, rest = readme.partition(BEGIN)
    section, _, _ = rest.partition(END)

    assert len(section.splitlines()) < 25

    for term in ("AUROC", "RADAR", "R1", "G1", "loss", "patch"):
        assert term not in before

    # The section has a heading with an introduction, a table of terms (from its first | to its last
    # |), and sentences.
    _heading, table, sentences = re.split(r"(^\|.*\|$)", section, maxsplit=1, flags=re.M | re.S)
    first_cells = re.findall(r"^\| ([^|]+) \| ", table, re.M)
    terms = first_cells[1:]

    assert terms == [
        "RADAR",
        "loss",
        "AUROC",
        "patch",
        "R1 to R3, G1 to G5",
        "Claim Validity Score",
    ]

    for term in terms:
        # Of "R1 to R3, G1 to G5" the sentences need only name the first part.
        first_part = term.partition(",")[0]
        assert first_part in sentences


def test_the_readme_has_three_findings_each_with_advice_and_a_figure_with_its_caption() -> None:
    readme = (REPOSITORY / "README.md").read_text()
    section = readme.partition(BEGIN)[2].partition(END)[0]
    _heading, _introduction, _table, *paragraphs = section.strip().split("\n\n")

    # Finding, figure, finding, figure, finding, figure.
    assert len(paragraphs) == 6

    for finding in paragraphs[0::2]:
        sentence, advice = finding.split(" *What to do:* ")
        # One sentence, plain, in bold or with a dagger; its only other full stops are decimal
        # points.
        assert re.fullmatch(r"(\*\*)?[^.]+(\.\d[^.]*)*\.(\*\*|†)?", sentence)
        assert advice.endswith(".")
    for figure in paragraphs[1::2]:
        # ![alt text](docs/gallery/name.png) *Caption.*
        assert re.fullmatch(r"!\[[^\]]+\]\(docs/gallery/\w+\.png\) \*.+\.\*", figure)
