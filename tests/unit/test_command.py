"""What a command says of a fault that is nobody's mistake in the code."""

import errno
import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

from mechaware.core.files import sha256
from scripts.command import Flags, Output, SideOutput, run


def command_that_raises(error: BaseException) -> str:
    """How a command ends whose work raises `error`."""

    def main(*, out: Output) -> None:
        raise error

    with pytest.raises(SystemExit) as caught:
        run(main, ["--out", "x.csv"], step="work")
    return str(caught.value)


FULL = "No space left on device; free some space and run again"
OWNER = "change its permissions or its owner, or run in another folder with --directory"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "x.csv"), FULL),
        (
            OSError("x.pdf: No space left on device (os error 28)"),
            FULL,
        ),  # typst: without a number of its own
        (
            RuntimeError(
                "Error while serializing: I/O error: No space left on device (os error 28)"
            ),
            FULL,
        ),  # safetensors
        (
            RuntimeError(
                "[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534"
            ),  # on a full tmpfs
            "torch could not write its file; the disk is probably full",
        ),
        (
            OSError(errno.EROFS, "Read-only file system", "x.csv"),
            "Read-only file system; make it writable, or run in another folder with --directory",
        ),
        (
            PermissionError(errno.EACCES, "x", "results/x.csv"),
            f"results/x.csv: Permission denied; {OWNER}",
        ),
        (
            PermissionError(errno.EPERM, "x", "results/x.csv"),
            f"results/x.csv: Operation not permitted; {OWNER}",
        ),
        (RuntimeError("x.pdf: Permission denied (os error 13)"), f"Permission denied; {OWNER}"),
        (KeyboardInterrupt(), "interrupted; run again to go on"),
    ],
)
def test_a_fault_of_the_machine_is_one_line_whoever_wrote(error: BaseException, said: str) -> None:
    ended = command_that_raises(error)
    assert ended.startswith(f"error: work: {said}")
    assert "\n" not in ended


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file", "a.csv"),
        ValueError("28"),
        PermissionError(
            errno.EPERM, "Operation not permitted"
        ),  # of a connection that a firewall refuses
    ],
)
def test_any_other_error_keeps_its_traceback(error: Exception) -> None:
    def main(*, out: Output) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        run(main, ["--out", "x.csv"])
    assert caught.value is error


def test_a_result_in_several_forms_has_one_record_with_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()

    def first(*, out: Output, png: Output, truths: list[Output], kept: SideOutput) -> None:
        for path in (out, png, *truths, kept):
            path.write_text("1")

    def second(*, drawn: Path, out: Output) -> None:
        out.write_text(drawn.read_text())

    names = ["x.pdf", "x.png", "a.truth.json", "b.truth.json", "kept.json"]
    out, png, a, b, kept = (f"results/{name}" for name in names)
    run(first, ["--out", out, "--png", png, "--truths", a, b, "--kept", kept])
    records = {
        path.name: json.loads(path.read_text())["files"]
        for path in Path("results").glob("*.provenance.json")
    }
    assert {name: sorted(files) for name, files in records.items()} == {
        "x.provenance.json": ["x.pdf", "x.png"],
        "a.truth.provenance.json": ["a.truth.json"],
        "b.truth.provenance.json": ["b.truth.json"],
    }
    for name in names:
        Path("results", name).write_text("2")
    run(second, ["--drawn", kept, "--out", "results/y.csv"])
    for path in (out, png, a, b):
        with pytest.raises(
            SystemExit,
            match=rf"^error: {path}: damaged, or changed since it was made; delete {path} ",
        ):
            run(second, ["--drawn", path, "--out", "results/y.csv"])


def test_an_input_that_is_edited_while_a_command_works_is_recorded_as_the_command_found_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("a: 1\n")
    found = sha256(Path("mine.yaml"))

    def main(*, mine: Path, out: Output) -> None:
        mine.write_text("a: 2\n")
        out.write_text("b\n")

    run(main, ["--mine", "mine.yaml", "--out", "x.csv"], step="work")
    assert json.loads(Path("x.provenance.json").read_text())["inputs"] == {"mine.yaml": found}


class Window(NamedTuple):
    """Settings of two fields."""

    width: int
    edge: str


def test_a_record_has_settings_by_the_names_of_their_fields(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def main(*, window: Window, out: Output) -> None:
        out.write_text(window.edge * window.width)

    run(main, ["--window.width", "3", "--window.edge", "o", "--out", "x.txt"], step="draw")

    assert Path("x.txt").read_text() == "ooo"
    record = json.loads(Path("x.provenance.json").read_text())
    assert record["steps"] == [
        {"step": "draw", "parameters": {"window": {"width": 3, "edge": "o"}}}
    ]


class Pen(NamedTuple):
    """Settings of two fields."""

    width: int
    colours: list[str]


@dataclass(frozen=True)
class Paper:
    """Settings of one field."""

    size: str


def test_the_fields_of_flags_are_flags_and_are_recorded_by_their_own_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def main(*, pen: Flags[Pen], paper: Flags[Paper], seed: int, out: Output) -> None:
        out.write_text(f"{pen} {paper}")

    flags = ["--width", "3", "--colours", "red", "blue", "--size", "A4", "--seed", "1"]
    run(main, [*flags, "--out", "x.txt"], step="draw")

    assert Path("x.txt").read_text() == "Pen(width=3, colours=['red', 'blue']) Paper(size='A4')"
    record = json.loads(Path("x.provenance.json").read_text())
    parameters = {"width": 3, "colours": ["red", "blue"], "size": "A4", "seed": 1}
    assert record["steps"] == [{"step": "draw", "parameters": parameters}]
