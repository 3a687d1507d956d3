"""The catalogue of the results names every file, what it was made from and by,
but neither machine nor hour.
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
    """A folder of results, and what its catalogue is written from."""

    root: Path
    results: list[Path]
    records: list[Path]
    inputs: list[Path]
    captions: list[Path]
    citation: Path

    def catalogue(self, name: str = "ro-crate-metadata.json") -> Path:
        archive.write_crate(
            self.root / name,
            **{key: value for key, value in self._asdict().items() if key != "root"},
        )
        return self.root / name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A table, a figure and a page; `mine.csv` stands for a prompt set of the repository.

    And a folder of files with one record, in which Snakemake keeps a hidden file of its own.
    """
    monkeypatch.setattr(archive, "REPOSITORY", tmp_path)
    monkeypatch.setattr(archive, "_commit_date", {COMMIT: "2026-01-02T03:04:05+01:00"}.get)

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    write("results/claims/trust/judge/.snakemake_timestamp", "")
    return Folder(
        root=tmp_path / "results",
        results=[
            write("results/tables/a_table.csv", "x\n1\n"),
            write("results/figures/a_figure.png", "picture"),
            write("results/claims/judge.html", "<title>A judge's page</title>"),
            write("results/claims/trust/judge/criteria.csv", "x\n1\n").parent,
        ],
        records=[
            write(f"results/{name}.provenance.json", json.dumps(RECORD))
            for name in ("tables/a_table", "figures/a_figure", "claims/judge", "claims/trust/judge")
        ],
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
    return {entity["@id"]: entity for entity in json.loads(path.read_text())["@graph"]}


def test_the_library_reads_it_back_and_every_file_exists(folder: Folder) -> None:
    folder.catalogue()
    crate = ROCrate(folder.root)
    files = {entity.id for entity in crate.data_entities if not entity.id.startswith("swh:")}
    listed = [*folder.results[:3], folder.results[3] / "criteria.csv", *folder.records]
    assert files == {path.relative_to(folder.root).as_posix() for path in listed}
    assert all((folder.root / name).is_file() for name in files)
    action = crate.get("#run")
    assert {entity.id for entity in action["result"]} == files
    assert [entity["name"] for entity in action["object"]] == ["config/prompts/mine.csv", "small"]
    assert action["instrument"]["version"] == COMMIT


def test_the_root_and_the_descriptor_are_those_of_the_specification(folder: Folder) -> None:
    """By hand, after RO-Crate 1.1, sections 4.1 and 4.2, and the profile Process Run Crate 0.5."""
    path = folder.catalogue()
    # git hash-object of "hello\n", known to everyone who tried git
    mine = "swh:1:cnt:ce013625030ba8dba906f756967f9e9ca394464a;path=/config/prompts/mine.csv"
    assert json.loads(path.read_text())["@context"] == "https://w3id.org/ro/crate/1.1/context"
    assert graph(path)["ro-crate-metadata.json"] == {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }
    root = graph(path)["./"]
    assert {"@id": mine} in root.pop("hasPart")  # with the files, which the library reads back
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


def test_a_result_has_the_name_of_its_caption_and_its_record(folder: Folder) -> None:
    entities = graph(folder.catalogue())
    table = entities["tables/a_table.csv"]
    assert table["name"] == "The paper's Table 1"
    assert table["description"] == "The paper's Table 1: n of things by kind. L* is kept."
    assert (table["encodingFormat"], table["contentSize"]) == ("text/csv", "4")
    assert table["subjectOf"] == {"@id": "tables/a_table.provenance.json"}
    assert entities["figures/a_figure.png"]["name"] == "A figure"
    assert entities["claims/judge.html"]["name"] == "A judge's page"
    assert entities["claims/trust/judge/criteria.csv"]["subjectOf"] == {
        "@id": "claims/trust/judge.provenance.json"
    }


def test_the_same_results_give_the_same_bytes_which_name_no_machine(folder: Folder) -> None:
    folder = folder._replace(inputs=[*folder.inputs, folder.citation])
    first = folder.catalogue().read_bytes()
    assert (
        folder._replace(results=folder.results[::-1], inputs=folder.inputs[::-1])
        .catalogue()
        .read_bytes()
        == first
    )
    assert str(folder.root.parent).encode() not in first


def test_results_made_outside_a_checkout_have_no_date(folder: Folder) -> None:
    for record in folder.records:
        record.write_text(json.dumps(RECORD | {"git": {"commit": None, "modified": None}}))
    entities = graph(folder.catalogue())
    assert "datePublished" not in entities["./"]
    assert entities["#run"]["instrument"] == {"@id": "#mechaware"}
    assert entities["#mechaware"]["version"] == "0.1.0"
