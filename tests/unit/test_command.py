"""A fault of the machine, not of the code, ends a command in one line; other faults do not."""

import errno
from typing import NoReturn

import pytest

from scripts.command import Output, run


def command_that_raises(error: BaseException) -> str:
    """The message with which a command ends whose function raises `error`."""

    def main(*, out: Output) -> NoReturn:
        raise error

    with pytest.raises(SystemExit) as caught:
        run(main, ["--out", "x.csv"], step="work")
    return str(caught.value)


DISK_IS_FULL = "No space left on device; free some space and run again"
CHANGE_OWNER = "change its permissions or its owner, or run in another folder with --directory"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        pytest.param(
            OSError(errno.ENOSPC, "No space left on device", "x.csv"),
            DISK_IS_FULL,
            id="full disk, from Python",
        ),
        # typst raises it without an error number of Python's.
        pytest.param(
            OSError("x.pdf: No space left on device (os error 28)"),
            DISK_IS_FULL,
            id="full disk, from typst",
        ),
        pytest.param(
            RuntimeError(
                "Error while serializing: I/O error: No space left on device (os error 28)"
            ),
            DISK_IS_FULL,
            id="full disk, from safetensors",
        ),
        pytest.param(
            RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 576 vs 534"),
            "torch could not write its file; the disk is probably full",
            id="full tmpfs, from torch",
        ),
        pytest.param(
            OSError(errno.EROFS, "Read-only file system", "x.csv"),
            "Read-only file system; make it writable, or run in another folder with --directory",
            id="read-only file system",
        ),
        pytest.param(
            PermissionError(errno.EACCES, "x", "results/x.csv"),
            f"results/x.csv: Permission denied; {CHANGE_OWNER}",
            id="permission denied",
        ),
        pytest.param(
            PermissionError(errno.EPERM, "x", "results/x.csv"),
            f"results/x.csv: Operation not permitted; {CHANGE_OWNER}",
            id="operation not permitted on a file",
        ),
        pytest.param(
            RuntimeError("x.pdf: Permission denied (os error 13)"),
            f"Permission denied; {CHANGE_OWNER}",
            id="permission denied, from a library",
        ),
        pytest.param(
            KeyboardInterrupt(), "interrupted; run again to go on", id="interrupted by the user"
        ),
    ],
)
def test_a_fault_of_the_machine_is_one_line_whichever_library_raised_it(
    error: BaseException, message: str
) -> None:
    ended = command_that_raises(error)

    assert ended.startswith(f"error: work: {message}")
    assert "\n" not in ended


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(
            FileNotFoundError(errno.ENOENT, "No such file", "a.csv"), id="a file that is missing"
        ),
        # 28 is the error number of a full disk.
        pytest.param(ValueError("28"), id="the bare number 28"),
        # A connection that a firewall refuses has no file.
        pytest.param(
            PermissionError(errno.EPERM, "Operation not permitted"),
            id="operation not permitted on a connection",
        ),
    ],
)
def test_any_other_error_keeps_its_traceback(error: Exception) -> None:
    def main(*, out: Output) -> NoReturn:
        raise error

    with pytest.raises(type(error)) as caught:
        run(main, ["--out", "x.csv"])

    assert caught.value is error
