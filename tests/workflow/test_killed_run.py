"""A small run that is killed again and again, and resumed by the same command each time, gives
what an undisturbed run gives.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from tests.checkout import Checkout
from tests.outputs import FIGURES_OF, TABLES_OF

KILLS = 6
MAX_DELAY = 3  # seconds from the end of a job to the kill
# Files in results/ that must have the bytes of the undisturbed run.
COMPARED = (
    "tables/*.csv",
    "tables/*.tex",
    "tables/shown/*.csv",
    "figures/*.pdf",
    "figures/*.png",
    "figures/*.svg",
    "values/*.json",
)
# Without RADAR, whose real model takes as long as the other two studies. The paper and the
# headlines depend on all three studies, so they are not compared.
STUDIES = ("grounding", "claims")


class Job(NamedTuple):
    """A job as Snakemake prints it: its rule and its outputs.

    For a job without outputs, `outputs` repeats the rule's name.
    """

    rule: str
    outputs: str


class StartedJobs(NamedTuple):
    """The jobs of one start of Snakemake: those that finished, and those that did not."""

    finished: list[Job]
    unfinished: list[Job]


def run_command(
    command: Sequence[str],
    tree: Checkout,
    *,
    kill_at: float | None = None,
    delay: float = 0,
) -> tuple[int, str]:
    """Run a command in the tree's folder; returns its exit status and what it printed.

    With `kill_at`, a share from 0 to 1, the command's process group is killed `delay` seconds
    after this share of its jobs has finished.
    """
    path = os.pathsep.join((str(tree.python), str(Path(sys.executable).parent), os.environ["PATH"]))
    printed = []
    with subprocess.Popen(
        command,
        cwd=tree.folder,
        env=os.environ | {"PATH": path},
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        for line in process.stdout:
            printed.append(line)
            steps = re.match(r"(\d+) of (\d+) steps ", line)
            if kill_at is None or steps is None:
                continue

            n_done, n_planned = map(int, steps.groups())
            if n_done >= kill_at * n_planned:
                time.sleep(delay)
                os.killpg(process.pid, signal.SIGKILL)
                break
        # The rest of the output, which was not read before the kill.
        printed += process.stdout
    return process.returncode, "".join(printed)


def read_jobs(log: str) -> StartedJobs:
    """The jobs in what one start of Snakemake prints or logs.

    The start of a job has its rule, outputs and id, the end has its id:

        rule fetch_wheel:
            output: results/models/wheel
            jobid: 7
        Finished jobid: 7 (Rule: fetch_wheel)

    A job without an end is unfinished.
    """
    running: dict[str, Job] = {}
    finished: list[Job] = []
    for line in log.splitlines():
        if match := re.match(r"\s*(?:local)?rule (\w+):", line):
            job = Job(match[1], match[1])
        elif match := re.match(r"\s*output: (.*)", line):
            job = job._replace(outputs=match[1])
        elif match := re.match(r"\s*jobid: (\d+)", line):
            running[match[1]] = job
        elif match := re.match(r"Finished jobid: (\d+) ", line):
            finished.append(running.pop(match[1]))
    return StartedJobs(finished, unfinished=list(running.values()))


def count_finishes(folder: Path) -> Counter[Job]:
    """How often each job finished, over all starts of Snakemake in a working directory."""
    finishes: Counter[Job] = Counter()
    for log in (folder / ".snakemake/log").glob("*.log"):
        finishes.update(read_jobs(log.read_text()).finished)
    return finishes


def compared_files(results: Path) -> list[Path]:
    """The files that depend only on `STUDIES`, without their provenance records."""
    files: list[Path] = []
    for pattern in COMPARED:
        for path in results.glob(pattern):
            if ".provenance." not in path.name:
                files.append(path)
    files.remove(results / "values/headlines.json")
    return files


@pytest.mark.gate
def test_killed_at_random_moments_a_run_ends_with_the_same_bytes_and_does_nothing_twice(
    finished: Checkout, tmp_path: Path
) -> None:
    """`finished` holds the results of an undisturbed run of all studies.

    Its code makes two of the studies again, from nothing, in the working directory `tmp_path`.
    """
    two_studies = tmp_path / "two_studies.yaml"
    two_studies.write_text(f"studies: [{', '.join(STUDIES)}]\n")
    command = [sys.executable, "-m", "snakemake", "--directory", str(tmp_path)]
    command += ["--cores", "all"]
    # As many threads as in the undisturbed run: with another number of threads, the last bits of
    # sums differ.
    command += ["--max-threads", "1"]
    command += ["--rerun-triggers", "mtime"]
    command += ["--configfile", "config/test.yaml", str(two_studies)]
    locks = tmp_path / ".snakemake/locks"

    interrupted: list[Job] = []
    for kill in range(KILLS):
        rng = np.random.default_rng(kill)
        # Each start plans only the jobs that are left. Before kill number 0, 1, 2, ... about
        # 8/8, 7/8, 6/8, ... of all jobs are left, and 1/8, 1/7, 1/6, ... of these is an eighth of
        # all jobs. After the last kill two eighths are left, so that it comes before the end of
        # the run on a fast machine too.
        share = rng.uniform(0.75, 1.25) / (KILLS + 2 - kill)
        delay = rng.uniform(0, MAX_DELAY)
        status, printed = run_command(command, finished, kill_at=share, delay=delay)
        assert status == -signal.SIGKILL, printed[-3000:]

        unfinished = read_jobs(printed).unfinished
        n_finished = count_finishes(tmp_path).total()
        print(f"kill {kill + 1}, after {n_finished} jobs:", *(job.rule for job in unfinished))
        interrupted += unfinished

        if kill == 0:
            # The next start refuses to run, and names the flag that removes the lock.
            status, printed = run_command(command, finished)
            assert status == 1
            assert "--unlock" in printed
            status, printed = run_command([*command, "--unlock"], finished)
            assert status == 0, printed
            assert not locks.exists()
        else:
            # What --unlock does, without a start of Snakemake, which takes as long as many jobs.
            shutil.rmtree(locks)

    n_before_last_start = count_finishes(tmp_path).total()
    status, printed = run_command(command, finished)

    assert status == 0, printed[-3000:]

    finishes = count_finishes(tmp_path)
    n_tables = sum(len(TABLES_OF[study]) for study in STUDIES)
    n_figures = sum(len(FIGURES_OF[study]) for study in STUDIES)

    assert len(finishes) > n_tables + n_figures
    assert set(finishes.values()) == {1}, [job for job, times in finishes.items() if times > 1]
    # The kills were not all in the first jobs, nor in jobs of one rule.
    assert n_before_last_start > 3 / 4 * len(finishes)
    assert len({job.rule for job in interrupted}) >= 5, interrupted

    made_again = compared_files(tmp_path / "results")

    # A table has three files, a figure has three, and a study has one file of values.
    assert len(made_again) == 3 * n_tables + 3 * n_figures + len(STUDIES)

    for path in made_again:
        undisturbed = finished.folder / path.relative_to(tmp_path)
        assert path.read_bytes() == undisturbed.read_bytes(), path.name
    assert not list(tmp_path.glob("**/.partial.*"))
