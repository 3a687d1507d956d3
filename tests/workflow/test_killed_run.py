"""A small run killed again and again: resumed by the same command it gives what an undisturbed one gives."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.conftest import EMBEDDED, MODEL, Checkout
from tests.outputs import FIGURES, TABLES

KILLS = 10
SECONDS = (4, 16)  # that a run lives: at first it plans for some three seconds
COMPARED = (
    *("tables/*.csv", "tables/*.tex", "tables/shown/*.csv", "figures/*.pdf", "figures/*.png", "figures/*.svg"),
    *("values/*.json", "paper/*.pdf"),
)


def run(command: Sequence[str], folder: Path, seconds: float | None) -> tuple[int, str]:
    """The status of a command and what it printed; its process group is killed after so many seconds."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **streams) as process:
        try:
            printed = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed = process.communicate()[0]
    return process.returncode, printed


def finished_jobs(folder: Path) -> Counter[str]:
    """How often each job finished, by its outputs, in all runs of a working directory."""
    done: Counter[str] = Counter()
    for log in (folder / ".snakemake/log").glob("*.log"):
        outputs: dict[str, str] = {}
        for line in log.read_text().splitlines():
            if found := re.match(r"\s*(?:local)?rule (\w+):", line):
                output = found[1]  # of a rule without outputs
            elif found := re.match(r"\s*output: (.*)", line):
                output = found[1]
            elif found := re.match(r"\s*jobid: (\d+)", line):
                outputs[found[1]] = output
            elif found := re.match(r"Finished jobid: (\d+) ", line):
                done[outputs[found[1]]] += 1
    return done


@pytest.mark.gate
def test_killed_at_random_moments_a_run_ends_with_the_same_bytes_and_does_nothing_twice(
    embedded: Checkout, tmp_path: Path
) -> None:
    """Everything after the model again, from the prompts, in another working directory, each job by a new Python."""
    finished = embedded.folder
    # The real model alone is lent: the one with random weights is made again, and not in the finished tree.
    (tmp_path / "results/models").mkdir(parents=True)
    for path in (finished / "results/models").glob(f"{MODEL}*"):
        (tmp_path / "results/models" / path.name).symlink_to(path)
    (tmp_path / "results/downloads").symlink_to(finished / "results/downloads")
    # The threads of the first run: sums of other numbers of threads differ in their last bits.
    options = ("--cores", "all", "--max-threads", "1", "--rerun-triggers", "mtime")
    options += ("--configfile", "config/test.yaml", str(EMBEDDED))
    command = (sys.executable, "-m", "snakemake", "--directory", str(tmp_path), *options)
    for seconds in (np.random.default_rng(seed).uniform(*SECONDS) for seed in range(KILLS)):
        status, printed = run(command, finished, seconds)
        assert status == -signal.SIGKILL, printed[-3000:]
        status, printed = run(command, finished, None)
        assert (status, "--unlock" in printed) == (1, True)  # it says what to do
        assert run((*command, "--unlock"), finished, None)[0] == 0
    status, printed = run(command, finished, None)
    assert status == 0, printed[-3000:]

    jobs = finished_jobs(tmp_path)
    assert len(jobs) > len(TABLES) + len(FIGURES)
    assert set(jobs.values()) == {1}, [job for job, times in jobs.items() if times > 1]
    again = [path for pattern in COMPARED for path in sorted(tmp_path.glob(f"results/{pattern}"))]
    again = [path for path in again if ".provenance." not in path.name]
    assert len(again) == 3 * len(TABLES) + 3 * len(FIGURES) + 3 + 1
    for path in again:
        assert path.read_bytes() == (finished / path.relative_to(tmp_path)).read_bytes(), path.name
    assert not list(tmp_path.glob("**/.partial.*"))
