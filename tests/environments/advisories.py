"""Published vulnerabilities of the locked packages, in `advisories.yaml`, and the versions that they affect.

`python -m tests.environments.advisories DATABASE` writes that file anew from a clone of
https://github.com/pypa/advisory-database, whose data are under CC-BY-4.0. Of each advisory it keeps the identifiers and
the ranges of versions, and of the database its commit and date. The packages are those of the three lock files.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.conftest import REPOSITORY

LIST = Path(__file__).with_name("advisories.yaml")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-torch.lock")
ORIGIN = "https://github.com/pypa/advisory-database"


def locked_versions() -> set[tuple[str, str]]:
    """Normalised names and versions of all locked packages, those for other systems too."""
    text = "".join((REPOSITORY / lock).read_text() for lock in LOCKS)
    return {(canonicalize_name(name), version) for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.M)}


def is_affected(version: str, ranges: list[list[dict[str, str]]]) -> bool:
    """Whether a version lies in one of an advisory's ranges, as the OSV format defines them.

    A range is a list of events, each the version at which the fault is `introduced` or `fixed`, or the `last_affected`.
    """
    mine = Version(version)
    for events in ranges:
        inside = False
        for event in sorted(events, key=lambda one: Version(*one.values())):
            ((kind, at),) = event.items()
            if kind == "introduced" and mine >= Version(at):
                inside = True
            elif (kind == "fixed" and mine >= Version(at)) or (kind == "last_affected" and mine > Version(at)):
                inside = False
        if inside:
            return True
    return False


def _entry(advisory: dict[str, Any], package: str) -> dict[str, Any]:
    affected = [one for one in advisory["affected"] if canonicalize_name(one["package"]["name"]) == package]
    ranges = [part["events"] for one in affected for part in one.get("ranges", ()) if part["type"] == "ECOSYSTEM"]
    # Where there is no range, each version is one.
    single = [[{"introduced": v}, {"last_affected": v}] for one in affected for v in one.get("versions", ())]
    return {"id": advisory["id"], "aliases": advisory.get("aliases", []), "ranges": ranges or single}


def write_list(database: Path) -> None:
    """Write `LIST` from a clone of the advisory database, with or without a work tree."""

    def git(*arguments: str) -> str:
        run = subprocess.run(["git", "-C", database, *arguments], check=True, capture_output=True, text=True)
        return run.stdout

    packages: dict[str, list[dict[str, Any]]] = {name: [] for name, _ in sorted(locked_versions())}
    for path in git("ls-tree", "-r", "--name-only", "HEAD", "vulns/").splitlines():
        package = canonicalize_name(path.split("/")[1])
        if package in packages:
            advisory = yaml.safe_load(git("show", f"HEAD:{path}"))
            if "withdrawn" not in advisory:
                packages[package].append(_entry(advisory, package))
    commit, date = git("log", "-1", "--format=%H %cs").split()
    whole = {"source": ORIGIN, "licence": "CC-BY-4.0", "commit": commit, "date": date, "packages": packages}
    LIST.write_text(yaml.safe_dump(whole, sort_keys=False, width=1000, default_flow_style=None))


if __name__ == "__main__":
    write_list(Path(sys.argv[1]))
