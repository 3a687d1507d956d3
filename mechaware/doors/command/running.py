"""Runs Snakemake for a verb of `mechaware`.

The results of all verbs share one folder, `RESULTS`, in the folder where the command was typed.
"""

import os
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
from mechaware.core.own_folder import VARIABLE as OWN_FOLDER
from mechaware.core.run_module import source
from mechaware.core.yaml_files import write_yaml_sections
from mechaware.doors.command.failures import errors_of_jobs, was_refused_by_lock
from mechaware.doors.command.snakemake_arguments import (
    PROFILE_FLAGS,
    makes_no_answer,
    with_profile,
)

RESULTS = Path("mechaware-results")
# Packages of the extra `workflow`.
_PACKAGES = ("snakemake", "tyro", "matplotlib", "typst")


def check_writable() -> None:
    """Raise `UserError` if nothing can be written to `RESULTS`.

    While `RESULTS` does not exist, the working directory is tested instead.
    """
    folder = RESULTS if RESULTS.exists() else Path()
    try:
        # Permissions are not enough: a file system may be mounted for reading only.
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        raise UserError(
            f"{folder.resolve()}: nothing can be written here; type the command in a folder of "
            "your own"
        ) from error


def snakemake(arguments: Sequence[str]) -> list[str]:
    """The command that runs the workflow in `RESULTS`, which is made if it does not exist.

    Raises `UserError` if one of the workflow's packages is not installed.
    """
    missing = [package for package in _PACKAGES if find_spec(package) is None]
    if missing:
        raise UserError(
            f"{missing[0]} is not installed; install what the workflow needs: in a clone "
            "pip install '.[workflow]', or from the wheel's file pip install './FILE.whl[workflow]'"
        )
    RESULTS.mkdir(exist_ok=True)
    with_paths = with_profile(arguments)
    # A profile names the resources of its cluster. Without a profile, a run may use the whole
    # machine.
    has_profile = any(argument.startswith(PROFILE_FLAGS) for argument in with_paths)
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
        *with_paths,
    ]


def environment() -> dict[str, str]:
    """The environment of the workflow and its jobs.

    This process's, with the user's folder in the variable `OWN_FOLDER` and this Python's folder
    first in PATH.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return os.environ | {OWN_FOLDER: str(Path.cwd()), "PATH": path}


def replace_by_snakemake(arguments: Sequence[str]) -> NoReturn:
    """Replace this process by Snakemake with these arguments. Raises what `snakemake` raises."""
    command = snakemake(arguments)
    sys.stdout.flush()
    os.execve(command[0], command, environment())  # noqa: S606


def run_snakemake(
    targets: Sequence[str], configs: Sequence[Path], arguments: Sequence[str]
) -> tuple[int, str]:
    """Make the targets; returns Snakemake's exit status and what the rules printed.

    With arguments that make no answer, such as a dry run's, what Snakemake prints goes to the
    terminal, and the returned text is empty. Otherwise lines on the cost (`cost_lines`) are copied
    to standard error as they come, so that `--json` prints only JSON on standard output. If a job
    fails, its error is repeated after Snakemake's messages. If the folder is locked, a line on
    standard error explains how to unlock it.

    Raises what `snakemake` raises.
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
                f"error: {RESULTS} is locked; if no other run is going on there: "
                "mechaware run --unlock, then the same command again",
                file=sys.stderr,
            )
    return run.returncode, "".join(printed)


def copy_examples() -> None:
    """Copy examples/, which shows what a user's own tables look like, into `RESULTS`.

    Earlier copies are overwritten.
    """
    shutil.copytree(source("examples"), RESULTS / "examples", dirs_exist_ok=True)


def write_config(name: str, config: Mapping[str, Any]) -> Path:
    """Write the config of a verb, without its empty sections, to {name}.yaml in `RESULTS`.

    Returns the file's path.
    """
    path = RESULTS / f"{name}.yaml"
    sections = {key: value for key, value in config.items() if value}
    with atomic_write(path) as partial:
        partial.write_text(write_yaml_sections(sections), encoding="utf-8")
    return path
