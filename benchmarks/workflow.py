"""What Snakemake costs on top of the work: in a dry run, for a figure after an edit, and as a share
of the default run.

Run `.venv/bin/python -m benchmarks.workflow` after `make results`. Every case runs in a copy of
that finished tree.
- Dry run: `snakemake -n` with nothing to do. Peer: the same on a workflow of one finished, trivial
  rule, which is the time that Snakemake itself needs to start.
- Figure: `snakemake results/figures/radar_scores.pdf` with a new marker size each time; it must run
  this one job. Peer: only the rule's command, as Snakemake prints it.
- Overhead: a mirror of the default run has the same jobs, inputs, outputs and order, but a job only
  touches its outputs, so the mirror's time is Snakemake's own. That time is compared with the work:
  the core-seconds of the real jobs (Snakemake's benchmark files, times the cores of a job) over all
  cores. The work leaves out cores that wait for another job's outputs. Where the log of one
  uninterrupted real run exists, the share of its wall time that is not work (waiting and Snakemake
  together) is given too.
Ours and the peer take turns; times are medians of five. `ratio` is the peer's time over ours.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.result import print_result

RUNS = 5
# Budgets: seconds, and a share of the run.
DRY_RUN_S = 3.0
FIGURE_S = 15.0
OVERHEAD = 0.15
FIGURE = "results/figures/radar_scores.pdf"
SIZES = range(31, 31 + RUNS)
ALL = ("--cores", "all", "--resources", "gpu=1")
FINISHED = "Nothing to be done"
TRIVIAL = 'rule trivial:\n    output: "done"\n    shell: "touch {output}"\n'


def run(command: list[str] | str, folder: Path) -> str:
    """What a command prints in the folder; a text is a line for the shell.

    A command that fails ends the benchmark.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path},
        shell=isinstance(command, str),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout[-3000:]}")
    return done.stdout


def snakemake(folder: Path, *arguments: str) -> str:
    """What Snakemake prints in the folder."""
    return run([sys.executable, "-m", "snakemake", *arguments], folder)


def timed(work: Callable[[], object]) -> float:
    """How many seconds `work` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def copy_tracked(folder: Path) -> None:
    """The files that git knows."""
    for name in run(["git", "ls-files"], Path()).splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(name, folder / name)


def copy_finished_tree(folder: Path) -> None:
    """The files that git knows, the results and what Snakemake recorded of them.

    Logs and benchmark files of the real run are not copied, so that no run here writes into them.
    """
    copy_tracked(folder)
    # Results are replaced, never written into: links spare a gigabyte.
    shutil.copytree("results", folder / "results", symlinks=True, copy_function=os.link)
    shutil.copytree(".snakemake/metadata", folder / ".snakemake/metadata")


def make_trivial_workflow(folder: Path) -> None:
    """A finished workflow of one rule in a new folder."""
    folder.mkdir()
    (folder / "Snakefile").write_text(TRIVIAL, encoding="utf-8")
    snakemake(folder, *ALL)


def dry_runs(tree: Path, trivial: Path) -> dict[str, object]:
    """The case of a dry run with nothing to do."""
    ours_s = []
    peer_s = []
    for _ in range(RUNS):
        ours_s.append(timed(lambda: snakemake(tree, "-n", *ALL)))
        peer_s.append(timed(lambda: snakemake(trivial, "-n", *ALL)))
    return case("dry run", ours_s, peer_s, DRY_RUN_S)


def figures(tree: Path) -> dict[str, object]:
    """The case of one figure after an edit."""
    ours_s = []
    peer_s = []

    edited = tree / "edited.yaml"
    for size in SIZES:
        edited.write_text(f"figures: {{radar_scores: {{marker_size: {size}}}}}\n", encoding="utf-8")
        start = time.perf_counter()
        out = snakemake(tree, *ALL, "--printshellcmds", "--configfile", edited.name, "--", FIGURE)
        ours_s.append(time.perf_counter() - start)

        (command,) = re.findall(r"python -P \S+ scripts\..*", out)  # one job, and no other
        if f"--marker-size {size} " not in command:
            sys.exit(f"not the edited figure: {command}")
        peer_s.append(timed(partial(run, command, tree)))
    return case("figure", ours_s, peer_s, FIGURE_S)


def case(name: str, ours_s: list[float], peer_s: list[float], budget_s: float) -> dict[str, object]:
    """Print a case's medians, and return the case as the result lists it."""
    ours = statistics.median(ours_s)
    peer = statistics.median(peer_s)
    print(f"{name}: {ours:.2f} s, budget {budget_s:.0f} s; peer {peer:.2f} s")
    return {
        "case": name,
        "ratio": round(peer / ours, 2),
        "ours_s": round(ours, 2),
        "peer_s": round(peer, 2),
        "budget_s": budget_s,
    }


class Job(NamedTuple):
    """A job of the default run as a dry run lists it; `all` has no outputs and no file of times."""

    inputs: list[str]
    outputs: list[str]
    times: list[str]
    threads: int


def planned_jobs(tree: Path) -> list[Job]:
    """The jobs of the whole default run."""
    plan = snakemake(tree, "-n", "--forceall", *ALL)
    jobs = []
    for block in re.findall(r"^(?:local)?rule \w+:\n((?: {4}.+\n)+)", plan, re.MULTILINE):
        fields = dict(re.findall(r"^ {4}(\w+): (.*)$", block, re.MULTILINE))
        jobs.append(
            Job(
                inputs=paths_in(fields, "input"),
                outputs=paths_in(fields, "output"),
                times=paths_in(fields, "benchmark"),
                threads=int(fields.get("threads", 1)),
            )
        )
    return jobs


def paths_in(fields: Mapping[str, str], field: str) -> list[str]:
    """The paths that a job lists in a field; none where it lacks the field."""
    if field not in fields:
        return []
    return fields[field].split(", ")


def write_mirror(jobs: Sequence[Job], tree: Path, folder: Path) -> None:
    """A workflow of the same jobs, whose commands only touch their outputs;
    what no job makes is read from `tree`.
    """
    made = {name for job in jobs for name in job.outputs}
    rules = []
    # `all`, which alone has no outputs, is the first, and so the target.
    for number, job in enumerate(sorted(jobs, key=lambda job: len(job.outputs))):
        inputs = []
        for name in job.inputs:
            inputs.append(name if name in made else os.path.relpath(tree / name, folder))
        rules.append(f"rule job{number}:\n    input: {inputs}\n")
        if job.outputs:
            rules.append(
                f"    output: {job.outputs}\n"
                f'    log: "logs/{number}.log"\n'
                f'    benchmark: "times/{number}.tsv"\n'
                f"    threads: {job.threads}\n"
                '    shell: "touch {output} 2> {log}"\n'
            )
    folder.mkdir()
    (folder / "Snakefile").write_text("".join(rules), encoding="utf-8")


def seconds(job: Job) -> float:
    """How long the real job took, by Snakemake's files of times:
    a line of names, and one that begins with seconds.
    """
    total = 0.0
    for name in job.times:
        lines = Path(name).read_text(encoding="utf-8").splitlines()
        total += float(lines[1].split("\t")[0])
    return total


def wall_of_a_whole_run(jobs: int) -> float | None:
    """The seconds of the last run that made everything in one go, from its log;
    None without such a log.
    """
    for path in sorted(Path(".snakemake/log").glob("*.log"), reverse=True):
        log = path.read_text(encoding="utf-8")
        took = re.search(r"^Elapsed time: (\d+):(\d+):([\d.]+)$", log, re.MULTILINE)
        if took and f"{jobs} of {jobs} steps (100%) done" in log:
            return int(took[1]) * 3600 + int(took[2]) * 60 + float(took[3])
    return None


def overhead(tree: Path, folder: Path) -> dict[str, object]:
    """The case of Snakemake's own time in the default run,
    by a mirror of the run in a new folder.
    """
    jobs = planned_jobs(tree)
    n_cores = len(os.sched_getaffinity(0))
    work_s = sum(job.threads * seconds(job) for job in jobs) / n_cores

    write_mirror(jobs, tree, folder)
    own_s = timed(lambda: snakemake(folder, *ALL))
    if FINISHED not in snakemake(folder, "-n", *ALL):
        sys.exit("the mirrored run did not end")

    share = own_s / (own_s + work_s)
    print(
        f"overhead: {own_s:.1f} s on top of {work_s:.0f} s of work: {share:.1%}, budget {OVERHEAD:.0%}; "
        f"{len(jobs)} jobs"
    )
    measured: dict[str, object] = {
        "case": "overhead",
        "share": round(share, 3),
        "budget": OVERHEAD,
        "jobs": len(jobs),
        "ours_s": round(own_s, 1),
        "work_s": round(work_s),
    }
    run_s = wall_of_a_whole_run(len(jobs))
    if run_s is not None:
        not_work = 1 - work_s / run_s
        print(
            f"the run that made the results took {run_s:.0f} s: {not_work:.1%} of it was not work"
        )
        measured |= {"run_s": round(run_s), "share_of_run_not_work": round(not_work, 3)}
    return measured


def main() -> None:
    """Copy the finished tree, measure the three cases in it and print them."""
    # Beside the results, so that they can be linked.
    with TemporaryDirectory(dir=".snakemake", prefix="benchmark-") as name:
        folder = Path(name).resolve()
        tree = folder / "tree"
        trivial = folder / "trivial"
        copy_finished_tree(tree)
        make_trivial_workflow(trivial)
        if FINISHED not in snakemake(tree, "-n", *ALL):
            sys.exit("the results are not finished; run `make results` first")
        cases = [dry_runs(tree, trivial), figures(tree), overhead(tree, folder / "mirror")]
    print_result("workflow", cases=cases)


if __name__ == "__main__":
    main()
