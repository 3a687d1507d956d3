"""CITATION.cff holds what the Citation File Format 1.2.0 asks for, and agrees with the licence."""

from pathlib import Path

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
CITATION = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
# Of its schema: the required keys, and the keys that are used here.
REQUIRED = {"authors", "cff-version", "message", "title"}
KNOWN = REQUIRED | {"abstract", "keywords", "license", "references", "type", "version"}
REFERENCE = {"authors", "title", "type"}
PERSON = {"affiliation", "family-names", "given-names"}


def test_the_keys_are_those_of_the_format() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION.keys() >= REQUIRED
    assert CITATION.keys() <= KNOWN
    assert CITATION["type"] == "software"
    assert all(isinstance(CITATION[key], str) and CITATION[key] for key in ("message", "title", "abstract", "version"))
    assert len(set(CITATION["keywords"])) == len(CITATION["keywords"]) > 0


def test_authors_and_licence_are_those_of_the_licence_file() -> None:
    licence = (REPOSITORY / "LICENSE").read_text()
    assert licence.startswith(f"{CITATION['license']} License")
    (author,) = CITATION["authors"]
    assert author.keys() == {"name"}
    assert f" {author['name']}\n" in licence


def test_the_three_source_papers_have_title_and_authors() -> None:
    for reference in CITATION["references"]:
        assert reference.keys() == REFERENCE
        assert reference["authors"]
        for person in reference["authors"]:
            assert {"family-names", "given-names"} <= person.keys() <= PERSON
    titles = [reference["title"].split(":")[0] for reference in CITATION["references"]]
    known = ("RADAR", "Beyond Accuracy", "Automated Validity Assessment of Mechanistic Interpretability Claims")
    assert tuple(titles) == known
