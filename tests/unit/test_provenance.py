"""The record beside a result takes in those of what it was made from."""

import json
from pathlib import Path

import pytest

from mechaware.provenance import sidecar, write_provenance


def steps(output: Path) -> list[str]:
    return [entry["step"] for entry in json.loads(sidecar(output).read_text())["steps"]]


def test_an_input_in_the_working_directory_itself_has_no_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("a: 1\n")
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=[Path("mine.yaml")])
    assert steps(Path("table.csv")) == ["second"]


def test_a_file_of_a_folder_has_the_folders_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data").mkdir()
    Path("data/rows.csv").write_text("a\n")
    write_provenance(Path("data"), step="first", parameters={}, inputs=[])
    write_provenance(Path("table.csv"), step="second", parameters={}, inputs=[Path("data/rows.csv")])
    assert steps(Path("table.csv")) == ["first", "second"]
