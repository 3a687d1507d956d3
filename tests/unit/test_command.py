"""What a command says of a fault that is nobody's mistake in the code."""

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mechaware.files import sha256
from scripts.command import Output, SideOutput, run
from tests.conftest import REPOSITORY

FULL = "No space left on device; free some space and run again"


def command_that_raises(error: BaseException) -> str:
    """How a command ends whose work raises `error`."""

    def main(*, out: Output) -> None:
        raise error

    with pytest.raises(SystemExit) as caught:
        run(main, ["--out", "x.csv"], step="work")
    return str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "x.csv"),
        OSError("x.pdf: No space left on device (os error 28)"),  # typst: without a number of its own
        RuntimeError("Error while serializing: I/O error: No space left on device (os error 28)"),  # safetensors
    ],
)
def test_a_full_disk_is_one_line_whoever_wrote(error: Exception) -> None:
    assert command_that_raises(error) == f"error: work: {FULL}"


def test_a_file_that_torch_could_not_write_is_one_line_that_does_not_claim_to_know_why() -> None:
    error = RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534")  # on a full tmpfs
    assert "torch could not write its file; the disk is probably full" in command_that_raises(error)


def test_a_read_only_disk_and_ctrl_c_are_one_line() -> None:
    read_only = OSError(errno.EROFS, "Read-only file system", "x.csv")
    assert command_that_raises(read_only) == (
        "error: work: Read-only file system; make it writable, or run in another folder with --directory"
    )
    assert command_that_raises(KeyboardInterrupt()) == "error: work: interrupted; run again to go on"


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM])
def test_a_file_that_may_not_be_written_is_one_line_that_names_it(number: int) -> None:
    said = "change its permissions or its owner, or run in another folder with --directory"
    error = PermissionError(number, os.strerror(number), "results/x.csv")
    assert command_that_raises(error) == f"error: work: results/x.csv: {os.strerror(number)}; {said}"
    rust = RuntimeError("x.pdf: Permission denied (os error 13)")
    assert command_that_raises(rust) == f"error: work: Permission denied; {said}"


@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "No such file", "a.csv"),
        ValueError("28"),
        PermissionError(errno.EPERM, "Operation not permitted"),  # of a connection that a firewall refuses
    ],
)
def test_any_other_error_keeps_its_traceback(error: Exception) -> None:
    def main(*, out: Output) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        run(main, ["--out", "x.csv"])
    assert caught.value is error


def test_a_damaged_input_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("results").mkdir()
    worked: list[str] = []

    def first(*, out: Output) -> None:
        out.write_text("1")

    def second(*, table: Path, out: Output) -> None:
        worked.append(table.read_text())
        out.write_text("2")

    run(first, ["--out", "results/a.csv"])
    run(second, ["--table", "results/a.csv", "--out", "results/b.csv"])
    assert worked == ["1"]
    Path("results/a.csv").write_text("3")
    with pytest.raises(SystemExit, match=r"^error: results/a\.csv: damaged, or changed since it was made;"):
        run(second, ["--table", "results/a.csv", "--out", "results/b.csv"])
    assert worked == ["1"]


def test_a_result_in_several_forms_has_one_record_with_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    records = {path.name: json.loads(path.read_text())["files"] for path in Path("results").glob("*.provenance.json")}
    assert {name: sorted(files) for name, files in records.items()} == {
        "x.provenance.json": ["x.pdf", "x.png"],
        "a.truth.provenance.json": ["a.truth.json"],
        "b.truth.provenance.json": ["b.truth.json"],
    }
    for name in names:
        Path("results", name).write_text("2")
    run(second, ["--drawn", kept, "--out", "results/y.csv"])
    for path in (out, png, a, b):
        with pytest.raises(SystemExit, match=rf"^error: {path}: damaged, or changed since it was made; delete {path} "):
            run(second, ["--drawn", path, "--out", "results/y.csv"])


@pytest.mark.parametrize(
    ("raised", "said"),
    [("KeyboardInterrupt", "error: interrupted; run again to go on\n"), ("ValueError(3)", "ValueError: 3\n")],
)
def test_ctrl_c_while_modules_load_is_one_line_and_an_error_is_not(tmp_path: Path, raised: str, said: str) -> None:
    (tmp_path / "slow.py").write_text(f"raise {raised}\n")
    command = [sys.executable, "-c", "import scripts, slow"]  # as `python -m scripts.x` does
    path = os.pathsep.join([str(REPOSITORY), str(tmp_path)])
    ended = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True)
    assert ended.stderr.endswith(said)
    assert ("Traceback" in ended.stderr) == (raised != "KeyboardInterrupt")
    assert ended.returncode == (-signal.SIGINT if raised == "KeyboardInterrupt" else 1)


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
