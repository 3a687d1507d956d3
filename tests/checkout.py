"""Copies of the repository in which tests run the workflow."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.slurm.plans import KEYS

MODEL = "smollm2-135m-instruct"
REPOSITORY = Path(__file__).resolve().parent.parent
# Every run has these keys in its environment; no file that it leaves may hold one
# (tests/workflow/test_planted_keys.py).
PLANTED_KEYS = {name: f"planted-{name.lower()}-6f1d0c" for name in (*KEYS, "HF_TOKEN", "FAKE_KEY")}


class Checkout(NamedTuple):
    """A copy of the repository in which Snakemake runs.

    - `folder`: the copy.
    - `python`: the folder of the `python` that runs Snakemake and its jobs.
    """

    folder: Path
    python: Path

    def snakemake(
        self, *arguments: str, more: Path | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run Snakemake with config/test.yaml and, on top of it, the config `more`.

        With `check`, the test fails if Snakemake does, with the end of what it printed.
        """
        configs = ["config/test.yaml"]
        if more:
            configs.append(str(more))
        command = [
            str(self.python / "python"),
            "-m",
            "snakemake",
            *arguments,
            "--configfile",
            *configs,
        ]
        path = os.pathsep.join(
            (str(self.python), str(Path(sys.executable).parent), os.environ["PATH"])
        )
        environment = os.environ | PLANTED_KEYS | {"PATH": path}
        run = subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True
        )
        if check and run.returncode:
            pytest.fail(f"{' '.join(command)}\n{end_of_output(run)}")
        return run


def end_of_output(run: subprocess.CompletedProcess[str]) -> str:
    """The last characters of what a run printed, enough to show why it failed."""
    return f"{run.stdout[-3000:]}\n{run.stderr[-8000:]}"


def copy_of_the_tree(folder: Path) -> Path:
    """Copy the files that git tracks, or would track if they were added, into `folder`."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        # A tracked file may have been removed.
        if (REPOSITORY / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, folder / name)
    return folder
