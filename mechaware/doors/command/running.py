"""Runs Snakemake for a verb, in a folder of its own below the user's, with the results of all verbs."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from mechaware.core import cost_lines
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.own_folder import VARIABLE
from mechaware.core.run_module import source
from mechaware.core.schema import write_yaml_sections

RESULTS = Path("mechaware-results")
# Arguments with which Snakemake does not make all that the targets need.
_OTHER_TASKS = {
    "--dry-run",
    "--dryrun",
    "--touch",
    "--until",
    "--omit-from",
    "--summary",
    "--detailed-summary",
    "--dag",
    "--d3dag",
    "--filegraph",
    "--rulegraph",
    "--list",
    "--list-rules",
    "--list-target-rules",
    "--lt",
    "--list-changes",
    "--lc",
    "--list-input-changes",
    "--li",
    "--list-params-changes",
    "--lp",
    "--list-untracked",
    "--lu",
    "--list-conda-envs",
    "--lint",
    "--print-compilation",
    "--report",
    "--archive",
    "--containerize",
    "--generate-unit-tests",
    "--unlock",
    "--cleanup-metadata",
    "--cm",
    "--cleanup-shadow",
    "--conda-cleanup-envs",
    "--conda-create-envs-only",
    "--container-cleanup-images",
    "--delete-all-output",
    "--delete-temp-output",
    "--help",
    "--version",
}
# Their short forms, also after flags that do not keep it from making them: -n, -pn, -nj4.
_OTHER_SHORT = re.compile(r"-[akpfF]*[ntUOSDlhv].*")
# Where Snakemake looks for a user's profile, besides the working directory.
_PROFILE_FOLDERS = (Path("/etc/xdg/snakemake"), Path("~/.config/snakemake").expanduser())
_PROFILES = ("--profile", "--workflow-profile")
_REFUSED = "Directory cannot be locked"  # in Snakemake's log
_PACKAGES = ("snakemake", "tyro", "matplotlib", "typst")  # of the extra `workflow`


def check_writable() -> None:
    """Raise `UserError` if nothing can be written to `RESULTS`, or to the working directory in which it would lie."""
    folder = RESULTS if RESULTS.exists() else Path()
    try:
        # The permissions alone do not tell: a file system may be mounted for reading only.
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        raise UserError(
            f"{folder.resolve()}: nothing can be written here; type the command in a folder of your own"
        ) from error


def snakemake(arguments: Sequence[str]) -> list[str]:
    """The command that runs the workflow in `RESULTS`. Raises `UserError` without the workflow's packages."""
    missing = [package for package in _PACKAGES if find_spec(package) is None]
    if missing:
        raise UserError(
            f"{missing[0]} is not installed; install what the workflow needs: in a clone pip install '.[workflow]', "
            "or from the wheel's file pip install './FILE.whl[workflow]'"
        )
    RESULTS.mkdir(exist_ok=True)
    arguments = with_profile(arguments)
    # Without a profile, which would name the resources of a cluster, all that this machine has.
    has_profile = any(argument.startswith(_PROFILES) for argument in arguments)
    machine = [] if has_profile else ["--cores", "all", "--resources", "gpu=1"]
    return [
        sys.executable,
        "-P",  # so that a file such as `random.py` in the user's folder replaces no module
        "-m",
        "snakemake",
        *machine,  # before the targets, which `--resources` would otherwise read as resources
        "--snakefile",
        str(source("Snakefile")),
        "--directory",
        str(RESULTS),
        *arguments,
    ]


def with_profile(arguments: Sequence[str]) -> list[str]:
    """The arguments of Snakemake, in which `--profile slurm` leads to profiles/slurm of this workflow.

    It replaces profiles/default, as in a clone. A profile of the user's with that name, in the working directory or
    where Snakemake looks for profiles, has precedence.
    """
    joined = list[str]()
    for argument in arguments:
        if joined and joined[-1] == "--profile":
            joined[-1] = f"--profile={argument}"
        else:
            joined.append(argument)
    return [_find_profile(argument) for argument in joined]


def _find_profile(argument: str) -> str:
    """An argument as it is, or `--profile=NAME` with the path of this workflow's profile of the name."""
    flag, _, name = argument.partition("=")
    ours = {path.name for path in source("profiles").iterdir()}
    if flag != "--profile" or name not in ours:
        return argument
    if any((folder / name).is_dir() for folder in (Path(), *_PROFILE_FOLDERS)):
        return argument
    return f"--workflow-profile={source('profiles') / name}"


def environment() -> dict[str, str]:
    """The environment of the workflow and its jobs: with the user's folder, and this Python first on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return os.environ | {VARIABLE: str(Path.cwd()), "PATH": path}


def replace_by_snakemake(arguments: Sequence[str]) -> NoReturn:
    """Replace this process by Snakemake with these arguments."""
    command = snakemake(arguments)
    sys.stdout.flush()
    os.execve(command[0], command, environment())  # noqa: S606


def makes_no_answer(arguments: Sequence[str]) -> bool:
    """Whether Snakemake leaves targets unmade or as they were, as with `-n`, `--unlock` and `--until`."""
    names = [argument.partition("=")[0] for argument in arguments]
    return any(name in _OTHER_TASKS or _OTHER_SHORT.fullmatch(name) for name in names)


def run_snakemake(
    targets: Sequence[str], configs: Sequence[Path], arguments: Sequence[str]
) -> tuple[int, str]:
    """Make the targets; returns the exit status and what the rules printed.

    With arguments that make no answer, such as those of a dry run, what is printed goes to the terminal. When an answer
    is made, lines on its cost (`cost_lines`) are passed on at once, on standard error, so that `--json` prints only
    JSON. If a job fails, its error is repeated after Snakemake's messages; if the folder is locked, a line tells how to
    unlock it.
    """
    command = snakemake([*targets, "--quiet", "rules", "host", "reason"])
    if configs:
        command += ["--configfile", *map(str, configs)]

    started = time.time()
    printed = []
    with subprocess.Popen(
        [*command, *arguments],
        env=environment(),
        stdout=None if makes_no_answer(arguments) else subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as run:
        for line in run.stdout or ():
            printed.append(line)
            if line.startswith(cost_lines.BEGINNING):
                print(line, end="", file=sys.stderr, flush=True)

    if run.returncode:
        for error in errors_of_jobs(RESULTS / "logs", started):
            print(error, file=sys.stderr)
        if was_refused_by_lock(RESULTS, started):
            print(
                f"error: {RESULTS} is locked; if no other run is going on there: mechaware run --unlock, then the "
                "same command again",
                file=sys.stderr,
            )
    return run.returncode, "".join(printed)


def was_refused_by_lock(folder: Path, since: float) -> bool:
    """Whether a run that began at a time found what it makes locked: by a run that goes on, or that was killed.

    A lock alone does not show it. A run that makes other files has locks of its own in the same folder.
    """
    logs = (folder / ".snakemake/log").glob("*.snakemake.log")
    written = [log for log in logs if log.stat().st_mtime >= since]
    return any(_REFUSED in log.read_text(encoding="utf-8", errors="replace") for log in written)


def errors_of_jobs(logs: Path, since: float) -> list[str]:
    """The error with which each log ends that was written since a time.

    It is the last line, if that is an error that a user can correct; of a traceback the line that says what was raised,
    and the log.
    """
    errors = []
    for log in sorted(logs.rglob("*.log")):
        if log.stat().st_mtime < since:
            continue
        text = log.read_text(encoding="utf-8", errors="replace")
        last_line = text.rstrip().rpartition("\n")[2]
        if last_line.startswith("error: "):
            errors.append(last_line)
        elif raised := _raised(text):
            errors.append(f"error: {raised}; the whole traceback is in {log}")
    return errors


def _raised(log: str) -> str:
    """What the last traceback of a log says was raised, such as `KeyError: 'id'`; empty if there is none."""
    _, traceback, lines = log.rpartition("Traceback (most recent call last):\n")
    if not traceback:
        return ""
    # The lines of the calls are indented. Further lines of the message come after the one with the name.
    return next((line for line in lines.splitlines() if line and not line.startswith(" ")), "")


def copy_examples() -> None:
    """Copy the examples, which show what a user's own tables look like, to a folder below `RESULTS`."""
    shutil.copytree(source("examples"), RESULTS / "examples", dirs_exist_ok=True)


def write_config(name: str, config: Mapping[str, Any]) -> Path:
    """Write the config of a verb below `RESULTS`, without its empty sections; returns its path."""
    path = RESULTS / f"{name}.yaml"
    sections = {key: value for key, value in config.items() if value}
    with atomic_write(path) as partial:
        partial.write_text(write_yaml_sections(sections), encoding="utf-8")
    return path
