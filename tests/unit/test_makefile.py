"""`make` refuses an unsuitable Python and a locked folder in one line, and changes nothing."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def make(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `make` in a folder, without the flags of a `make test` that runs this test."""
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def test_another_python_is_refused_in_one_line_before_anything_is_removed(tmp_path: Path) -> None:
    """`false` stands for a Python whose check of its version fails; the old environment stays."""
    venv = tmp_path / "venv"
    venv.mkdir()

    run = make(f"VENV={venv}", "PYTHON=false", "results", folder=REPOSITORY)

    assert run.returncode != 0
    assert run.stdout == (
        "error: false is not Python 3.11, 3.12 or 3.13; "
        "name one, as in 'make results PYTHON=python3.12'\n"
    )
    assert list(tmp_path.iterdir()) == [venv]


@pytest.mark.parametrize(
    ("version", "accepted"),
    [((3, 10, 19), False), ((3, 11, 0), True), ((3, 13, 9), True), ((3, 14, 0), False)],
)
def test_the_makefile_accepts_the_pythons_that_its_refusal_names(
    version: tuple[int, ...], accepted: bool
) -> None:
    """The recipe's own expression, run by this Python as if it were another."""
    makefile = (REPOSITORY / "Makefile").read_text()
    (expression,) = re.findall(r"\$\(PYTHON\) -c '(.*)' \|\|", makefile)

    as_another = f"import sys; sys.version_info = {version}; {expression}"
    run = subprocess.run([sys.executable, "-c", as_another])

    assert (run.returncode == 0) == accepted


def folder_with_a_mock_snakemake(folder: Path) -> None:
    """Give a folder the Makefile, an environment that matches its locks, and an idle `snakemake`.

    The `snakemake` does nothing but make the file `started`.
    """
    (folder / "Makefile").write_text((REPOSITORY / "Makefile").read_text())
    for name in ("requirements.lock", "requirements-torch.lock", ".venv/.matches-lock"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    snakemake = folder / ".venv/bin/snakemake"
    snakemake.parent.mkdir()
    snakemake.write_text(f"#!/bin/sh\ntouch {folder / 'started'}\n")
    snakemake.chmod(0o755)
    (folder / ".snakemake/locks").mkdir(parents=True)


@pytest.mark.parametrize("target", ["results", "paper"])
def test_a_locked_folder_is_refused_in_one_line_before_snakemake_starts(
    tmp_path: Path, target: str
) -> None:
    """The lock is left by a killed run, or held by a run that still goes on."""
    folder_with_a_mock_snakemake(tmp_path)
    (tmp_path / ".snakemake/locks/0.output.lock").touch()

    run = make(target, folder=tmp_path)

    assert run.returncode != 0
    assert not (tmp_path / "started").exists()
    assert run.stderr.splitlines()[0] == (
        "error: this folder is locked; if no other run is going on here: "
        ".venv/bin/snakemake --unlock, then the same command again"
    )
    assert run.stdout.count("snakemake") == 0


def test_in_an_unlocked_folder_snakemake_starts(tmp_path: Path) -> None:
    folder_with_a_mock_snakemake(tmp_path)

    run = make("results", folder=tmp_path)

    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert (tmp_path / "started").exists()
    # The commands of `make results`, as make prints them.
    assert run.stdout.count("snakemake") == 3
