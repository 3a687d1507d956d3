"""The git repository of this code: its folder, its commit, or why git names no commit."""

import os
import shlex
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.run_module import INSTALLED

REPOSITORY = Path(__file__).resolve().parents[2]
# Variables that point git to another repository than the one in which it runs; git's hooks set
# them, for example.
_VARIABLES_OF_GIT = {
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
}


class GitFault(NamedTuple):
    """Why git names no commit of this repository.

    - `reason`: contains no path of this machine, since records hold it.
    - `remedy`: what to do; empty if there is no remedy.
    """

    reason: str
    remedy: str = ""


@cache
def git_fault() -> GitFault | None:
    """Why git names no commit of this repository; None where it names one."""
    if INSTALLED:
        return GitFault(f"mechaware {installed_version('mechaware')} as installed")

    # Two calls check that git finds this repository, and that the repository has a commit. `call`
    # is the one that failed, if any did.
    try:
        call = _run_git("rev-parse", "--show-toplevel")
    except OSError:
        return GitFault("git is not installed", "install git")

    if call.returncode == 0:
        checkout = Path(call.stdout.removesuffix("\n"))
        # An archive of this repository may be unpacked inside the checkout of another one.
        if not checkout.samefile(REPOSITORY):
            return GitFault("no git repository")
        call = _run_git("rev-parse", "--verify", "HEAD")
    if call.returncode == 0:
        return None

    # Git 2.35.2 wrote "unsafe repository"; later versions write "dubious ownership".
    if "dubious ownership" in call.stderr or "unsafe repository" in call.stderr:
        trust = f"git config --global --add safe.directory {shlex.quote(str(REPOSITORY))}"
        return GitFault("git refuses this checkout, which belongs to another user", f"run: {trust}")
    if "not a git repository" in call.stderr:
        return GitFault("no git repository")
    if "Needed a single revision" in call.stderr:
        return GitFault("the git repository has no commit yet", "commit once")
    message = " ".join(call.stderr.replace(str(REPOSITORY), "the repository").split())
    return GitFault(f"git cannot read this checkout ({message})")


def installed_version(package: str) -> str | None:
    """The installed version of a package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@cache
def git_state() -> dict[str, Any]:
    """`commit` of this repository and `modified`, whether tracked files differ from it.

    Where git names no commit, both are None and `reason` says why.
    """
    fault = git_fault()
    if fault is not None:
        return {"commit": None, "modified": None, "reason": fault.reason}
    commit = _run_git("rev-parse", "HEAD").stdout.strip()
    status = _run_git("status", "--porcelain", "--untracked-files=no")
    modified = bool(status.stdout.strip()) if status.returncode == 0 else None
    return {"commit": commit, "modified": modified}


def _run_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run git in the repository, with messages in English.

    Raises `OSError` where git is not installed.
    """
    environment = {
        name: value for name, value in os.environ.items() if name not in _VARIABLES_OF_GIT
    }
    return subprocess.run(
        ["git", "-C", REPOSITORY, *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment | {"LC_ALL": "C"},
    )
