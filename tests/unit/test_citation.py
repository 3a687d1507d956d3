"""CITATION.cff holds what the Citation File Format 1.2.0 asks for, and agrees with the licence."""

from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
# Of its schema: the required keys, and the keys that are used here.
REQUIRED = {"authors", "cff-version", "message", "title"}
KNOWN = REQUIRED | {"abstract", "keywords", "license", "references", "type", "version"}


def test_keys_are_those_of_the_format_and_authors_those_of_the_licence() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert REQUIRED <= CITATION.keys() <= KNOWN
    licence = (REPOSITORY / "LICENSE").read_text()
    assert licence.startswith(f"{CITATION['license']} License")
    (author,) = CITATION["authors"]
    assert author.keys() == {"name"}
    assert f" {author['name']}\n" in licence


def test_the_three_source_papers_have_title_and_authors() -> None:
    for reference in CITATION["references"]:
        assert {"authors", "title", "type"} == reference.keys()
        assert all(
            {"family-names", "given-names"} <= person.keys() for person in reference["authors"]
        )
    titles = [reference["title"].split(":")[0] for reference in CITATION["references"]]
    known = (
        "RADAR",
        "Beyond Accuracy",
        "Automated Validity Assessment of Mechanistic Interpretability Claims",
    )
    assert tuple(titles) == known
