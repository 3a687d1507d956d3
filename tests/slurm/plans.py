"""What a dry run plans: its jobs, what each asks for, and which are submitted together.

`python -m tests.slurm.plans ARGUMENTS` prints the rules that ask for a GPU in a run from nothing by
`snakemake ARGUMENTS`. A rule's text does not tell: the config decides for some.
"""

import os
import re
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from tests.slurm.declared_rules import local_rules

REPOSITORY = Path(__file__).resolve().parents[2]

# A plan with a judge's jobs needs its key.
KEYS = re.findall(r"api_key_env: (\w+)", (REPOSITORY / "config/judges.yaml").read_text())

# A line of a job of a group is indented; the date before a line is of no interest.
DATE = re.compile(r"\[[A-Z][a-z]{2} [^]]*\] ?")
GROUP = re.compile(r"^Group job (\w+) .*\n((?: .*\n|\n)*)", re.MULTILINE)
JOB = re.compile(r"^ *(?:local)?rule (\w+):\n((?: +\w+: .*\n)*)", re.MULTILINE)


class Job(NamedTuple):
    rule: str
    group: str  # of which it is submitted as a part, or ""
    lines: str  # its inputs, wildcards, resources and so on

    def asks_for(self, resource: str) -> int:
        """How much of a resource; 0 where it names none."""
        asked = re.search(rf"^ *resources: (?:.*, )?{resource}=(\d+)", self.lines, re.MULTILINE)
        return int(asked[1]) if asked else 0


class Plan(NamedTuple):
    """A dry run."""

    jobs: list[Job]
    groups: list[list[Job]]  # the jobs of each submission that holds a group

    @property
    def submissions(self) -> int:
        alone = [
            job for job in self.jobs if not job.group and job.rule not in local_rules() | {"all"}
        ]
        return len(self.groups) + len(alone)

    @property
    def gpu_rules(self) -> set[str]:
        return {job.rule for job in self.jobs if job.asks_for("gpu")}


def read_plan(printed: str) -> Plan:
    text = DATE.sub("", printed)
    groups = [
        [Job(rule, name, lines) for rule, lines in JOB.findall(members)]
        for name, members in GROUP.findall(text)
    ]
    alone = [Job(rule, "", lines) for rule, lines in JOB.findall(GROUP.sub("", text))]
    jobs = [*chain.from_iterable(groups), *alone]
    total = re.search(r"^total +(\d+)$", text, re.MULTILINE)
    assert total
    assert len(jobs) == int(total[1])
    return Plan(jobs, groups)


def plan_from_nothing(*arguments: str) -> Plan:
    """The plan of a run that has no results yet."""
    with tempfile.TemporaryDirectory() as empty:
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "--dry-run",
            "--cores",
            "8",
            "--directory",
            empty,
            *arguments,
        ]
        environment = os.environ | dict.fromkeys(KEYS, "none")
        run = subprocess.run(
            command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
    return read_plan(run.stdout)


if __name__ == "__main__":
    print(*sorted(plan_from_nothing(*sys.argv[1:]).gpu_rules), sep="\n")
