"""Print how many GPU jobs ran at the same time, at most.

- After a run by SLURM: `python -m tests.slurm.gpu_jobs slurm COMPLETED GPU_IDS`. COMPLETED is the
  list that SLURM's plugin `jobcomp/filetxt` writes. GPU_IDS has the ids of the jobs that got a GPU,
  one a line.
- After a run without SLURM: `python -m tests.slurm.gpu_jobs local DIRECTORY GPU_RULES`. DIRECTORY
  is the working directory. GPU_RULES has the names of the rules that ask for a GPU, one a line, as
  tests/slurm/plans.py prints them.
"""

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple


class Interval(NamedTuple):
    """From the start of a job to its end, in seconds."""

    start: float
    end: float


def most_at_once(jobs: Iterable[Interval]) -> int:
    """The largest number of jobs that run at the same moment.

    A job that starts at the very end of another does not run at the same time.
    """
    # (moment, 1) where a job starts and (moment, -1) where one ends: at equal moments, ends sort
    # first.
    changes: list[tuple[float, int]] = []
    for job in jobs:
        changes += [(job.start, 1), (job.end, -1)]

    most = 0
    n_running = 0
    for _, change in sorted(changes):
        n_running += change
        most = max(most, n_running)
    return most


def completed_gpu_jobs(completed: Path, gpu_ids: Path) -> list[Interval]:
    """The jobs with a GPU in SLURM's list of completed jobs.

    A line of the list has fields such as `JobId=7`, `StartTime=2026-01-02T03:04:05` and
    `EndTime=2026-01-02T03:04:09`.
    """
    ids = set(gpu_ids.read_text().split())
    jobs = []
    for line in completed.read_text().splitlines():
        fields = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if fields["JobId"] in ids:
            start = datetime.fromisoformat(fields["StartTime"])
            end = datetime.fromisoformat(fields["EndTime"])
            jobs.append(Interval(start.timestamp(), end.timestamp()))
    return jobs


def local_gpu_jobs(directory: Path, gpu_rules: Path) -> list[Interval]:
    """The jobs of the rules that ask for a GPU, from the records in Snakemake's metadata.

    Snakemake keeps one record for each output; records with the same log file belong to one job.
    A job lasts from the first start to the last end in its records.
    """
    rules = set(gpu_rules.read_text().split())
    jobs: dict[str, Interval] = {}
    for path in (directory / ".snakemake/metadata").rglob("*"):
        if not path.is_file():
            continue

        record = json.loads(path.read_text())
        if record["rule"] in rules:
            log = record["log"][0]
            output = Interval(record["starttime"], record["endtime"])
            known = jobs.get(log, output)
            jobs[log] = Interval(min(known.start, output.start), max(known.end, output.end))
    return list(jobs.values())


if __name__ == "__main__":
    run, first_file, second_file = sys.argv[1:]
    read_jobs = {"slurm": completed_gpu_jobs, "local": local_gpu_jobs}[run]
    print(most_at_once(read_jobs(Path(first_file), Path(second_file))))
