"""A small run killed again and again: resumed by the same command it gives what an
undisturbed one gives.
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
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.checkout import Checkout
from tests.outputs import FIGURES_OF, TABLES_OF

KILLS = 6
SECONDS = 3  # at most, from the end of a job to the kill
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
# headlines are of all three.
STUDIES = ("grounding", "claims")


class Job(NamedTuple):
    """A job by its rule and its outputs, as Snakemake prints them;
    the rule's name where it prints none.
    """

    rule: str
    outputs: str


def run(
    command: Sequence[str],
    tree: Checkout,
    killed_at: float | None = None,
    seconds: float = 0,
) -> tuple[int, str]:
    """The status of a command in the tree's folder, and what it printed.

    Its process group is killed so many seconds after a share of its jobs, `killed_at`, has
    finished.
    """
    path = os.pathsep.join((str(tree.python), str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = os.environ | {"PATH": path}
    streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    printed = []
    with subprocess.Popen(
        command, cwd=tree.folder, env=environment, start_new_session=True, **streams
    ) as process:
        for line in process.stdout:
            printed.append(line)
            steps = re.match(r"(\d+) of (\d+) steps ", line)
            if killed_at is not None and steps and int(steps[1]) >= killed_at * int(steps[2]):
                time.sleep(seconds)
                os.killpg(process.pid, signal.SIGKILL)
                break
        printed += process.stdout
    return process.returncode, "".join(printed)


def read_jobs(printed: str) -> tuple[list[Job], list[Job]]:
    """The jobs that finished, and those that were started only,
    by what one start of Snakemake prints or logs.
    """
    running: dict[str, Job] = {}
    finished: list[Job] = []
    for line in printed.splitlines():
        if found := re.match(r"\s*(?:local)?rule (\w+):", line):
            job = Job(found[1], found[1])
        elif found := re.match(r"\s*output: (.*)", line):
            job = job._replace(outputs=found[1])
        elif found := re.match(r"\s*jobid: (\d+)", line):
            running[found[1]] = job
        elif found := re.match(r"Finished jobid: (\d+) ", line):
            finished.append(running.pop(found[1]))
    return finished, [*running.values()]


def finished_jobs(folder: Path) -> Counter[Job]:
    """How often each job finished in all runs of a working directory."""
    logs = (folder / ".snakemake/log").glob("*.log")
    return Counter(job for log in logs for job in read_jobs(log.read_text())[0])


@pytest.mark.gate
def test_killed_at_random_moments_a_run_ends_with_the_same_bytes_and_does_nothing_twice(
    finished: Checkout, tmp_path: Path
) -> None:
    """Two studies again, from nothing, in another working directory."""
    two_studies = tmp_path / "two_studies.yaml"
    two_studies.write_text(f"studies: [{', '.join(STUDIES)}]\n")
    command = [sys.executable, "-m", "snakemake", "--directory", str(tmp_path)]
    command += ["--cores", "all"]
    # The threads of the first run: sums of other numbers of threads differ in their last bits.
    command += ["--max-threads", "1"]
    command += ["--rerun-triggers", "mtime"]
    command += ["--configfile", "config/test.yaml", str(two_studies)]
    locks = tmp_path / ".snakemake/locks"

    cut: list[Job] = []
    for kill in range(KILLS):
        random = np.random.default_rng(kill)
        # About an eighth of all jobs, by what is left of them. Two eighths are left to the last
        # start: the last kill must come before the end of the run on a fast machine, too.
        share = random.uniform(0.75, 1.25) / (KILLS + 2 - kill)
        status, printed = run(command, finished, share, random.uniform(0, SECONDS))
        assert status == -signal.SIGKILL, printed[-3000:]
        running = read_jobs(printed)[1]
        print(
            f"kill {kill + 1}, after {finished_jobs(tmp_path).total()} jobs:",
            *(job.rule for job in running),
        )
        cut += running
        if kill == 0:
            status, printed = run(command, finished)
            assert status == 1
            assert "--unlock" in printed  # it says what to do
            status, printed = run([*command, "--unlock"], finished)
            assert status == 0, printed
            assert not locks.exists()
        else:
            # As --unlock does it; to start Snakemake for each takes as long as many jobs.
            shutil.rmtree(locks)

    before = finished_jobs(tmp_path).total()
    status, printed = run(command, finished)

    assert status == 0, printed[-3000:]

    jobs = finished_jobs(tmp_path)
    n_tables = sum(len(TABLES_OF[study]) for study in STUDIES)
    n_figures = sum(len(FIGURES_OF[study]) for study in STUDIES)

    assert len(jobs) > n_tables + n_figures
    assert set(jobs.values()) == {1}, [job for job, times in jobs.items() if times > 1]
    # The kills were not all in the first jobs, nor in one kind of job.
    assert before > 3 / 4 * len(jobs)
    assert len({job.rule for job in cut}) >= 5, cut

    made_again: list[Path] = []
    for pattern in COMPARED:
        for path in tmp_path.glob(f"results/{pattern}"):
            if ".provenance." not in path.name:
                made_again.append(path)
    made_again.remove(tmp_path / "results/values/headlines.json")

    assert len(made_again) == 3 * n_tables + 3 * n_figures + len(STUDIES)

    for path in made_again:
        made_at_once = finished.folder / path.relative_to(tmp_path)
        assert path.read_bytes() == made_at_once.read_bytes(), path.name
    assert not list(tmp_path.glob("**/.partial.*"))
