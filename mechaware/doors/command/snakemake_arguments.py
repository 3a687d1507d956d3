"""Snakemake's arguments as a user types them: `--profile`, and tasks that make no answer."""

import re
from collections.abc import Sequence
from pathlib import Path

from mechaware.core.run_module import source

# Where Snakemake looks for a user's profile, besides the working directory.
_PROFILE_FOLDERS = (Path("/etc/xdg/snakemake"), Path("~/.config/snakemake").expanduser())
PROFILE_FLAGS = ("--profile", "--workflow-profile")
# Flags with which Snakemake does another task, or makes only a part of what the targets need.
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
# The short forms of these flags, alone or in one word with other short flags: -n, -pn, -nj4. The
# flags a, k, p, f and F take no argument, so what follows one of them is another flag.
_OTHER_SHORT = re.compile(r"-[akpfF]*[ntUOSDlhv].*")


def with_profile(arguments: Sequence[str]) -> list[str]:
    """Snakemake's arguments, with `--profile NAME` replaced by the path of this workflow's profile.

        --cores 2 --profile slurm   becomes   --cores 2 --workflow-profile=/.../profiles/slurm

    Snakemake then reads that profile in place of profiles/default, as it does in a clone with
    `--workflow-profile profiles/NAME`. A user's own profile of the same name, in the working
    directory or where Snakemake looks for profiles, has precedence.
    """
    joined = list[str]()
    for argument in arguments:
        if joined and joined[-1] == "--profile":
            joined[-1] = f"--profile={argument}"
        else:
            joined.append(argument)
    return [_find_profile(argument) for argument in joined]


def _find_profile(argument: str) -> str:
    """`--profile=NAME` with the path of this workflow's profile NAME; other arguments unchanged."""
    flag, _, name = argument.partition("=")
    ours = {path.name for path in source("profiles").iterdir()}
    if flag != "--profile" or name not in ours:
        return argument
    if any((folder / name).is_dir() for folder in (Path(), *_PROFILE_FOLDERS)):
        return argument
    return f"--workflow-profile={source('profiles') / name}"


def makes_no_answer(arguments: Sequence[str]) -> bool:
    """Whether Snakemake may end without making every target, as with `-n`, `--unlock`, `--until`.

    The results then have no answer, or only that of an earlier run.
    """
    names = [argument.partition("=")[0] for argument in arguments]
    return any(name in _OTHER_TASKS or _OTHER_SHORT.fullmatch(name) for name in names)
