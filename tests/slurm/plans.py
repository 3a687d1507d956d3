"""What a dry run plans: its jobs, what each asks for, and which are submitted together.

`python -m tests.slurm.plans ARGUMENTS` prints the rules that ask for a GPU in a run of `snakemake
ARGUMENTS` that has no results yet. The text of the rules does not show this, because for some rules
the config decides.
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

# The environment variables of the judges' keys. A plan with a judge's jobs needs the judge's key.
KEYS = re.findall(r"api_key_env: (\w+)", (REPOSITORY / "config/judges.yaml").read_text())

# What a dry run prints. A job is a line `rule NAME:` and its indented lines; a group is a line
# `Group job NAME ...` and its jobs, all indented. Some lines begin with a date, which is removed.
DATE = re.compile(r"\[[A-Z][a-z]{2} [^]]*\] ?")
GROUP = re.compile(r"^Group job (\w+) .*\n((?: .*\n|\n)*)", re.MULTILINE)
JOB = re.compile(r"^ *(?:local)?rule (\w+):\n((?: +\w+: .*\n)*)", re.MULTILINE)


class Job(NamedTuple):
    """A job of a dry run.

    - `rule`: the name of its rule.
    - `group`: the name of the group with which it is submitted, or "".
    - `lines`: its inputs, wildcards, resources and so on, as printed.
    """

    rule: str
    group: str
    lines: str

    def asks_for(self, resource: str) -> int:
        """How much of a resource the job asks for; 0 if it does not name the resource."""
        asked = re.search(rf"^ *resources: (?:.*, )?{resource}=(\d+)", self.lines, re.MULTILINE)
        return int(asked[1]) if asked else 0


class Plan(NamedTuple):
    """What a dry run plans: all of its jobs, and the jobs of each group."""

    jobs: list[Job]
    groups: list[list[Job]]

    @property
    def submissions(self) -> int:
        """The number of submissions to the cluster: one a group, and one a job without a group.

        Local jobs, and `all`, which does nothing, are not submitted.
        """
        not_submitted = local_rules() | {"all"}
        alone = [job for job in self.jobs if not job.group and job.rule not in not_submitted]
        return len(self.groups) + len(alone)

    @property
    def gpu_rules(self) -> set[str]:
        """The rules of the jobs that ask for a GPU."""
        return {job.rule for job in self.jobs if job.asks_for("gpu")}


def read_plan(printed: str) -> Plan:
    """The plan that a dry run printed; fails unless it has as many jobs as the printed total."""
    text = DATE.sub("", printed)
    groups = []
    for name, members in GROUP.findall(text):
        groups.append([Job(rule, name, lines) for rule, lines in JOB.findall(members)])
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
