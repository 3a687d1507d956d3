"""The catalogue names every file of the results, and the inputs and the software of the run.

It names no machine and no time of writing, so that equal results have equal catalogues.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from rocrate.rocrate import ROCrate

from mechaware.core import archive

COMMIT = "1" * 40
CITATION = {
    "title": "A title",
    "abstract": "An abstract.",
    "keywords": ["one", "two"],
    "license": "MIT",
    "version": "0.1.0",
    "authors": [{"name": "The authors"}],
    "references": [{"title": "A paper"}],
}
RECORD = {
    "git": {"commit": COMMIT, "modified": False},
    "models": [
        {"name": "small", "kind": "wheel", "revision": "0.1.2", "weights_sha256": "ab"},
        {"name": "made-here", "kind": "trained", "revision": "cd", "weights_sha256": "ef"},
    ],
}


class Folder(NamedTuple):
    """A folder of results, and the arguments of `write_crate` for its catalogue."""

    root: Path
    results: list[Path]
    records: list[Path]
    inputs: list[Path]
    captions: list[Path]
    citation: Path

    def write_catalogue(self) -> Path:
        """Write the catalogue of the folder; returns its path."""
        path = self.root / "ro-crate-metadata.json"
        archive.write_crate(
            path,
            results=self.results,
            records=self.records,
            inputs=self.inputs,
            captions=self.captions,
            citation=self.citation,
        )
        return path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Four results: a table, a figure, an HTML page, and a folder of files with one record, in
    which Snakemake keeps a hidden file of its own.

    The input `mine.csv` stands for a prompt set of the repository.
    """
    monkeypatch.setattr(archive, "REPOSITORY", tmp_path)
    monkeypatch.setattr(archive, "_commit_date", {COMMIT: "2026-01-02T03:04:05+01:00"}.get)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    write("results/claims/trust/judge/.snakemake_timestamp", "")
    records = []
    for name in ("tables/a_table", "figures/a_figure", "claims/judge", "claims/trust/judge"):
        records.append(write(f"results/{name}.provenance.json", json.dumps(RECORD)))
    return Folder(
        root=tmp_path / "results",
        results=[
            write("results/tables/a_table.csv", "x\n1\n"),
            write("results/figures/a_figure.png", "picture"),
            write("results/claims/judge.html", "<title>A judge's page</title>"),
            write("results/claims/trust/judge/criteria.csv", "x\n1\n").parent,
        ],
        records=records,
        inputs=[write("config/prompts/mine.csv", "hello\n")],
        captions=[
            write(
                "captions/tables/a_table.rst",
                "The paper's Table 1: ``n`` of *things*\nby **kind**. L* is kept.",
            ),
            write("captions/figures/a_figure.rst", "A figure. It shows more."),
        ],
        citation=write("CITATION.cff", yaml.safe_dump(CITATION)),
    )


def graph(path: Path) -> dict[str, dict[str, Any]]:
    """The entities of a catalogue by their identifiers."""
    return {entity["@id"]: entity for entity in json.loads(path.read_text())["@graph"]}


def test_rocrate_reads_the_catalogue_and_finds_every_file(folder: Folder) -> None:
    folder.write_catalogue()
    crate = ROCrate(folder.root)
    files = {entity.id for entity in crate.data_entities if not entity.id.startswith("swh:")}
    assert files == {
        "tables/a_table.csv",
        "tables/a_table.provenance.json",
        "figures/a_figure.png",
        "figures/a_figure.provenance.json",
        "claims/judge.html",
        "claims/judge.provenance.json",
        "claims/trust/judge/criteria.csv",
        "claims/trust/judge.provenance.json",
    }
    assert all((folder.root / name).is_file() for name in files)
    action = crate.get("#run")
    assert {entity.id for entity in action["result"]} == files
    assert [entity["name"] for entity in action["object"]] == ["config/prompts/mine.csv", "small"]
    assert action["instrument"]["version"] == COMMIT


def test_the_root_and_the_descriptor_are_those_of_the_specification(folder: Folder) -> None:
    """By hand, after RO-Crate 1.1, sections 4.1 and 4.2, and the profile Process Run Crate 0.5."""
    path = folder.write_catalogue()
    # The hash is the output of `echo hello | git hash-object --stdin`.
    mine = "swh:1:cnt:ce013625030ba8dba906f756967f9e9ca394464a;path=/config/prompts/mine.csv"
    assert json.loads(path.read_text())["@context"] == "https://w3id.org/ro/crate/1.1/context"
    assert graph(path)["ro-crate-metadata.json"] == {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    root = graph(path)["./"]
    assert {"@id": mine} in root.pop("hasPart")  # its files are compared in the test above
    assert root == {
        "@id": "./",
        "@type": "Dataset",
        "name": "Results of A title",
        "description": "An abstract.",
        "keywords": ["one", "two"],
        "datePublished": "2026-01-02T03:04:05+01:00",
        "author": {"@id": "#author-1"},
        "license": {"@id": "https://spdx.org/licenses/MIT"},
        "citation": [{"@id": "#paper-1"}],
        "conformsTo": {"@id": "https://w3id.org/ro/wfrun/process/0.5"},
        "mentions": {"@id": "#run"},
    }


def test_a_result_is_named_by_its_caption_or_title_and_linked_to_its_record(folder: Folder) -> None:
    entities = graph(folder.write_catalogue())
    table = entities["tables/a_table.csv"]
    assert table["name"] == "The paper's Table 1"
    assert table["description"] == "The paper's Table 1: n of things by kind. L* is kept."
    assert table["encodingFormat"] == "text/csv"
    assert table["contentSize"] == "4"  # bytes: x, 1 and two line breaks
    assert table["subjectOf"] == {"@id": "tables/a_table.provenance.json"}
    assert entities["figures/a_figure.png"]["name"] == "A figure"
    assert entities["claims/judge.html"]["name"] == "A judge's page"
    assert entities["claims/trust/judge/criteria.csv"]["subjectOf"] == {
        "@id": "claims/trust/judge.provenance.json"
    }


def test_the_same_results_give_the_same_bytes_which_name_no_machine(folder: Folder) -> None:
    """Also if the results and the inputs are listed in another order."""
    folder = folder._replace(inputs=[*folder.inputs, folder.citation])
    reversed_folder = folder._replace(results=folder.results[::-1], inputs=folder.inputs[::-1])
    first = folder.write_catalogue().read_bytes()
    second = reversed_folder.write_catalogue().read_bytes()
    assert second == first
    assert str(folder.root.parent).encode() not in first


def test_results_made_outside_a_checkout_have_no_date(folder: Folder) -> None:
    for record in folder.records:
        record.write_text(json.dumps(RECORD | {"git": {"commit": None, "modified": None}}))
    entities = graph(folder.write_catalogue())
    assert "datePublished" not in entities["./"]
    assert entities["#run"]["instrument"] == {"@id": "#mechaware"}
    assert entities["#mechaware"]["version"] == "0.1.0"
