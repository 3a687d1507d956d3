"""The record that a command writes next to each result: its files, inputs and settings."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from mechaware.core.files import sha256
from scripts.command import Flags, Output, SideOutput, run

RESULTS = ["x.pdf", "x.png", "a.truth.json", "b.truth.json"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, which has only an empty folder `results`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    return tmp_path


def write_several_forms() -> None:
    """Run a command that writes `RESULTS` and kept.json into results/, each with the text 1.

    x.pdf and x.png are two forms of one result. kept.json is a side output, which has no record.
    """

    def main(*, out: Output, png: Output, truths: list[Output], kept: SideOutput) -> None:
        for path in (out, png, *truths, kept):
            path.write_text("1")

    pdf, png, first_truth, second_truth = (f"results/{name}" for name in RESULTS)
    flags = ["--out", pdf, "--png", png, "--truths", first_truth, second_truth]
    run(main, [*flags, "--kept", "results/kept.json"])


def copy(*, source: Path, out: Output) -> None:
    """A command that reads a file and writes its text to a result."""
    out.write_text(source.read_text())


def test_a_result_in_several_forms_has_one_record_with_each(folder: Path) -> None:
    write_several_forms()

    files_by_record = {}
    for path in (folder / "results").glob("*.provenance.json"):
        files_by_record[path.name] = sorted(json.loads(path.read_text())["files"])
    assert files_by_record == {
        "x.provenance.json": ["x.pdf", "x.png"],
        "a.truth.provenance.json": ["a.truth.json"],
        "b.truth.provenance.json": ["b.truth.json"],
    }


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_that_was_changed_is_refused(folder: Path, name: str) -> None:
    write_several_forms()
    path = f"results/{name}"
    (folder / path).write_text("2")

    refusal = rf"^error: {path}: damaged, or changed since it was made; delete {path} "
    with pytest.raises(SystemExit, match=refusal):
        run(copy, ["--source", path, "--out", "results/y.csv"])


def test_a_side_output_that_was_changed_is_read(folder: Path) -> None:
    write_several_forms()
    (folder / "results/kept.json").write_text("2")

    run(copy, ["--source", "results/kept.json", "--out", "results/y.csv"])

    assert (folder / "results/y.csv").read_text() == "2"


def test_an_input_that_changes_while_a_command_works_is_recorded_as_it_was_before(
    folder: Path,
) -> None:
    (folder / "mine.yaml").write_text("a: 1\n")
    sha256_before = sha256(folder / "mine.yaml")

    def main(*, mine: Path, out: Output) -> None:
        mine.write_text("a: 2\n")
        out.write_text("b\n")

    run(main, ["--mine", "mine.yaml", "--out", "x.csv"], step="work")

    record = json.loads((folder / "x.provenance.json").read_text())
    assert record["inputs"] == {"mine.yaml": sha256_before}


class Window(NamedTuple):
    """Settings of two fields, whose flags have the parameter's name as a prefix."""

    width: int
    edge: str


def test_a_record_has_settings_by_the_names_of_their_fields(folder: Path) -> None:
    def main(*, window: Window, out: Output) -> None:
        out.write_text(window.edge * window.width)

    run(main, ["--window.width", "3", "--window.edge", "o", "--out", "x.txt"], step="draw")

    assert (folder / "x.txt").read_text() == "ooo"
    record = json.loads((folder / "x.provenance.json").read_text())
    assert record["steps"] == [
        {"step": "draw", "parameters": {"window": {"width": 3, "edge": "o"}}}
    ]


class Pen(NamedTuple):
    """Settings of two fields, as a named tuple."""

    width: int
    colours: list[str]


@dataclass(frozen=True)
class Paper:
    """Settings of one field, as a dataclass."""

    size: str


def test_with_flags_the_fields_of_settings_are_flags_and_are_recorded_by_their_own_names(
    folder: Path,
) -> None:
    def main(*, pen: Flags[Pen], paper: Flags[Paper], seed: int, out: Output) -> None:
        out.write_text(f"{pen} {paper}")

    flags = ["--width", "3", "--colours", "red", "blue", "--size", "A4", "--seed", "1"]
    run(main, [*flags, "--out", "x.txt"], step="draw")

    text = (folder / "x.txt").read_text()
    assert text == "Pen(width=3, colours=['red', 'blue']) Paper(size='A4')"
    record = json.loads((folder / "x.provenance.json").read_text())
    parameters = {"width": 3, "colours": ["red", "blue"], "size": "A4", "seed": 1}
    assert record["steps"] == [{"step": "draw", "parameters": parameters}]
