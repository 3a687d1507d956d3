"""What a command says of a fault that is nobody's mistake in the code."""

import errno
from pathlib import Path

import pytest

from scripts.command import Output, run

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


def test_a_read_only_disk_and_ctrl_c_are_one_line() -> None:
    read_only = OSError(errno.EROFS, "Read-only file system", "x.csv")
    assert command_that_raises(read_only) == (
        "error: work: Read-only file system; make it writable, or run in another folder with --directory"
    )
    assert command_that_raises(KeyboardInterrupt()) == "error: work: interrupted; run again to go on"


@pytest.mark.parametrize("error", [FileNotFoundError(errno.ENOENT, "No such file", "a.csv"), ValueError("28")])
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
