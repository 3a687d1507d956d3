"""One small run of the workflow, in stages, which all tests of a session share."""

import shutil
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from tests.checkout import MODEL, Checkout, copy_of_the_tree, end_of_output

# The embedded model judges, too, and is asked for columns.
EMBEDDED = Path("config/test_embedded.yaml")


class SmallRun(NamedTuple):
    """The one small run of the workflow, which all processes of a test session share.

    It has the `STAGES`, in order. A file in the folder above the checkout, with the stage's name,
    is written when a stage has ended: empty, or with what a failed stage printed. The file
    `starter` has the id of the process that makes the run.
    """

    checkout: Checkout

    @property
    def embedded(self) -> Checkout:
        """The checkout of the last stage: a copy of the finished one."""
        return self.checkout._replace(folder=self.checkout.folder.parent / "embedded_tree")

    def wait_for(self, stage: str) -> None:
        """Wait until a stage has ended; if it failed, the test fails with what it printed."""
        folder = self.checkout.folder.parent
        ended = folder / stage
        starter = folder / "starter"
        while not ended.exists():
            if starter.exists() and not psutil.pid_exists(int(starter.read_text())):
                pytest.fail("the process that made the small run has ended without it")
            time.sleep(0.2)
        if printed := ended.read_text():
            pytest.fail(printed)


def make_model(small: SmallRun) -> str:
    """Make the real model's folder in a fresh copy of the repository."""
    copy_of_the_tree(small.checkout.folder)
    return failure_of(small.checkout, f"results/models/{MODEL}")


def make_everything(small: SmallRun) -> str:
    """Make all results; then copy the checkout for the next stage, before tests run in it."""
    failure = failure_of(small.checkout, "--resources", "gpu=1")
    shutil.copytree(small.checkout.folder, small.embedded.folder, symlinks=True)
    return failure


def judge_embedded(small: SmallRun) -> str:
    """Let the embedded model judge, too, and ask it for columns, in the copy."""
    return failure_of(small.embedded, "--resources", "gpu=1", more=EMBEDDED)


def failure_of(checkout: Checkout, *targets: str, more: Path | None = None) -> str:
    """What is printed if `targets` cannot be made; empty if they are made."""
    # One core: the tests have the other, and beside them a job of two threads takes four times as
    # long. Polling every 4 s and the greedy scheduler save a tenth of the run's time, which
    # Snakemake itself takes with its defaults.
    quick = ("--scheduler", "greedy", "--max-jobs-per-timespan", "1000/4s")
    run = checkout.snakemake("--cores", "1", *quick, *targets, more=more, check=False)
    return end_of_output(run) if run.returncode else ""


class Stage(NamedTuple):
    """A stage of the small run.

    - `name`: the name of the file that is written when the stage has ended.
    - `fixture`: the fixture of the tests that wait for the stage.
    - `make`: makes the stage, and returns what it printed if it failed, else "".
    """

    name: str
    fixture: str
    make: Callable[[SmallRun], str]


STAGES = (
    Stage("model", "smollm2", make_model),
    Stage("everything", "finished", make_everything),
    Stage("embedded", "embedded", judge_embedded),
)


def make_small_run(small: SmallRun, n_stages: int) -> None:
    """Make the first `n_stages` stages, and write the file of each (`SmallRun`).

    After a stage that fails, no other is made: the later ones fail with the same output.
    """
    failure = ""
    for stage in STAGES[:n_stages]:
        if not failure:
            try:
                failure = stage.make(small)
            # This is a thread of its own: without the file, tests would wait for ever.
            except Exception:
                failure = traceback.format_exc()
        write(small.checkout.folder.parent / stage.name, failure)


def write(path: Path, text: str) -> None:
    """Write a file that other processes see whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(text)
    partial.rename(path)
