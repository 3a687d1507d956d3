"""What the lock files pin, what pyproject.toml requires, and what installed packages require."""

import re
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


def pins(name: str) -> dict[str, str]:
    """The version of each package in the lock file `name`.lock, by the package's normalised name.

    Packages for other systems than this one are left out.
    """
    lock = (REPOSITORY / f"{name}.lock").read_text()
    versions = {}
    for line in re.findall(r"^([a-z].*?)(?: \\)?$", lock, re.MULTILINE):
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate():
            version = str(requirement.specifier).removeprefix("==")
            versions[canonicalize_name(requirement.name)] = version
    return versions


RUN = pins("requirements")
TORCH = pins("requirements-torch")
DEV = pins("requirements-dev")
DOCS = pins("requirements-docs")


def required_by_install(*extras: str) -> frozenset[str]:
    """The packages that pyproject.toml requires for an install with `extras`."""
    requirements = list(PROJECT["dependencies"])
    for extra in extras:
        requirements += PROJECT["optional-dependencies"][extra]
    return frozenset(canonicalize_name(Requirement(line).name) for line in requirements)


@cache
def with_requirements(package: str) -> frozenset[str]:
    """An installed package, and all packages that it requires here, directly or by others.

    What an extra requires is included only if the extra is asked for, as in `package[extra]`.
    """
    packages = set[str]()
    pending = [Requirement(package)]
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        if name in packages and not requirement.extras:
            continue
        packages.add(name)
        for line in metadata.requires(name) or []:
            inner = Requirement(line)
            if _applies(inner, requirement.extras):
                pending.append(inner)
    return frozenset(packages)


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    """Whether a package installed here with `extras` has this requirement."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))
