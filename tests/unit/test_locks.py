"""The lock files: what they are resolved from, and that they are complete, hashed and in agreement.

requirements.lock and requirements-torch.lock are what a run installs, requirements-dev.lock what
the tests need besides, and requirements-docs.lock what builds the site. Torch alone has no hash:
each machine takes the build for its processor or GPU.
"""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.unit.requirements import (
    DEV,
    DOCS,
    PROJECT,
    RUN,
    TORCH,
    pins,
    required_by_install,
    with_requirements,
)

REPOSITORY = Path(__file__).resolve().parents[2]
# Extras for packages that no run of ours installs.
NOT_LOCKED = {"adapters"}


def test_the_lock_is_resolved_from_the_packages_of_an_install() -> None:
    text = (REPOSITORY / "requirements.in").read_text()
    names = re.findall(r"^[A-Za-z][\w.-]*", text, re.MULTILINE)

    resolved_from = {*map(canonicalize_name, names), "torch", "mechaware"}
    assert resolved_from == required_by_install("claims", "workflow")
    assert {"snakemake", "snakemake-executor-plugin-slurm"} <= RUN.keys()


def test_the_lock_of_the_site_is_resolved_from_the_extra_of_the_site() -> None:
    text = (REPOSITORY / "requirements-docs.in").read_text()
    locked = map(Requirement, re.findall(r"^[a-z][^#\s]*", text, re.MULTILINE))
    extra = map(Requirement, PROJECT["optional-dependencies"]["docs"])

    names_and_extras = [(requirement.name, requirement.extras) for requirement in extra]
    assert [(requirement.name, requirement.extras) for requirement in locked] == names_and_extras


def test_the_locked_versions_are_among_those_that_an_install_accepts() -> None:
    lines = list(PROJECT["dependencies"])
    for extra, listed in PROJECT["optional-dependencies"].items():
        if extra not in NOT_LOCKED:
            lines += listed

    locked = RUN | TORCH | DOCS
    for requirement in map(Requirement, lines):
        # An extra may name another extra, as a requirement of the project itself.
        if requirement.name != PROJECT["name"]:
            version = locked[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(version), requirement


@pytest.mark.parametrize("lock", [RUN, DEV], ids=["run", "dev"])
def test_a_lock_has_all_that_its_packages_require(lock: dict[str, str]) -> None:
    """A lock is installed without the requirements of its packages, so it must list them itself.

    The lock for the tests is installed next to that of a run, which may list some of them.
    """
    known = RUN | TORCH | lock
    required = set[str]().union(*map(with_requirements, lock))
    assert required <= known.keys()


def packages_that_differ(first: dict[str, str], second: dict[str, str]) -> set[str]:
    """The packages that two locks pin at different versions."""
    return {name for name in first.keys() & second.keys() if first[name] != second[name]}


def test_no_two_locks_pin_a_package_at_different_versions() -> None:
    assert packages_that_differ(RUN, DEV) == set()
    assert packages_that_differ(RUN | DEV, DOCS) == set()


def test_only_the_lock_for_the_tests_has_what_tests_need() -> None:
    for_tests = {
        "transformer-lens",
        "wandb",
        "playwright",
        "mypy",
        "pytest",
        "ruff",
        "hypothesis",
        "pandas-stubs",
    }
    assert for_tests <= DEV.keys()
    assert not for_tests & RUN.keys()


def test_torch_has_a_lock_of_its_own() -> None:
    assert TORCH == {"torch": "2.13.0"}


@pytest.mark.parametrize(
    ("name", "least"),
    [("requirements", 50), ("requirements-dev", 50), ("requirements-docs", 30)],
)
def test_every_package_of_a_lock_has_hashes(name: str, least: int) -> None:
    """With more than `least` packages, so that the pattern for an entry cannot miss them all."""
    entries = re.split(r"\n(?=[a-z])", (REPOSITORY / f"{name}.lock").read_text())[1:]
    assert len(entries) >= len(pins(name)) > least
    for entry in entries:
        assert re.fullmatch(
            r"[^\n]+==[^\n]+ \\\n(    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+", entry
        ), entry[:80]


def test_an_image_installs_the_lock_files_as_make_does() -> None:
    image = (REPOSITORY / "Containerfile").read_text()
    makefile = (REPOSITORY / "Makefile").read_text()
    installed = re.findall(
        r"^\t\$\(INSTALL\) (.*requirements(?:-torch)?\.lock)$", makefile, re.MULTILINE
    )

    assert installed
    for options in installed:
        assert options.replace("-r ", "-r /tmp/") in image
    assert re.search(r"^FROM \S+/python:3\.1[123]-slim$", image, re.MULTILINE)


def test_every_vulnerability_that_is_let_pass_has_its_date_and_reason() -> None:
    for line in (REPOSITORY / "audit-allowed.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(
            r"[A-Z]+-[\w-]+  20\d\d-\d\d-\d\d  \S.{10,}", line
        ), line
