"""How many GPU jobs ran at one time, by SLURM's list of completed jobs or by the records of a local
run.

`python -m tests.slurm.gpu_jobs slurm COMPLETED GPU_IDS` reads the file of `jobcomp/filetxt` and the
ids of the jobs with a GPU, one a line; `... local DIRECTORY GPU_RULES` reads the working directory
of a local run and the file of the rules that asked for a GPU, one a line (tests/slurm/plans.py
prints them). Each prints one number.
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


def most_at_once(intervals: Iterable[Interval]) -> int:
    """The largest number of intervals that share a moment.

    One that ends as another starts does not share it.
    """
    changes = sorted(change for job in intervals for change in ((job.start, 1), (job.end, -1)))
    most = running = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    return most


def completed_gpu_jobs(completed: Path, gpu_ids: Path) -> list[Interval]:
    """From lines such as `JobId=7 ... StartTime=2026-01-02T03:04:05
    EndTime=2026-01-02T03:04:09 ...`.
    """
    ids = set(gpu_ids.read_text().split())
    jobs = [
        dict(word.split("=", 1) for word in line.split() if "=" in word)
        for line in completed.read_text().splitlines()
    ]
    return [
        Interval(
            *(datetime.fromisoformat(job[key]).timestamp() for key in ("StartTime", "EndTime"))
        )
        for job in jobs
        if job["JobId"] in ids
    ]


def local_gpu_jobs(directory: Path, gpu_rules: Path) -> list[Interval]:
    """From Snakemake's records, one for each output:
    a job lasts from its first start to its last end.
    """
    asking = set(gpu_rules.read_text().split())
    jobs: dict[str, Interval] = {}
    for path in filter(Path.is_file, (directory / ".snakemake/metadata").rglob("*")):
        record = json.loads(path.read_text())
        if record["rule"] in asking:
            start, end = record["starttime"], record["endtime"]
            known = jobs.setdefault(record["log"][0], Interval(start, end))
            jobs[record["log"][0]] = Interval(min(known.start, start), max(known.end, end))
    return [*jobs.values()]


if __name__ == "__main__":
    kind, *paths = sys.argv[1:]
    print(
        most_at_once(
            {"slurm": completed_gpu_jobs, "local": local_gpu_jobs}[kind](*map(Path, paths))
        )
    )
