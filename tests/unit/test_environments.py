"""Lock files and environments: each has what the code that runs in it imports, at one version, with hashes."""

import ast
import itertools
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from exhibits.report.results import find_results

REPOSITORY = Path(__file__).resolve().parents[2]
OURS = {"mechaware", "exhibits", "scripts"}
RULES = re.findall(
    r"^rule (\w+):\n(.*?)(?=^\S|\Z)",
    "".join(p.read_text() for p in REPOSITORY.glob("rules/*.smk")),
    re.M | re.S,
)
ENVIRONMENTS = sorted(path.stem for path in REPOSITORY.glob("envs/*.yaml"))
# What a package needs for something that it does not import until then, by what our code then says.
IMPLIED = {
    r"\.to_parquet\(|read_parquet\(": "pyarrow",
    r"\.style\b\.|\.style$": "jinja2",
    r"\bTrainer\(": "accelerate",
    r"\bgguf_file\b": "gguf",
    r"\bPdfReader\(": "cryptography",  # of encrypted files
}
# Imported in functions alone that an environment's commands do not call: names of controls lie beside their weights.
BUILDS_A_MODEL = {"torch", "transformers", "tokenizers"}
NOT_LOCKED = {"adapters"}  # extras for what no run of ours has
NEVER_CALLED = {
    "archive": {"pyarrow"},  # it reads no table
    "paper": {"pyarrow"},  # nor does it
    "figures": BUILDS_A_MODEL
    | {"scikit-learn", "rapidfuzz", "jinja2", "tqdm"},  # names of detectors; writes no table
    # It reads rows of SQL that the workflow wrote, never those of the hub.
    "stats": BUILDS_A_MODEL | {"httpx", "huggingface-hub"},
}


def pins(name: str) -> dict[str, str]:
    """The versions in a lock file by the packages' normalised names, without those for other systems than this."""
    lines = re.findall(r"^([a-z].*?)(?: \\)?$", (REPOSITORY / f"{name}.lock").read_text(), re.M)
    listed = [one for one in map(Requirement, lines) if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in listed}


RUN, TORCH, DEV = pins("requirements"), pins("requirements-torch"), pins("requirements-dev")
DOCS = pins("requirements-docs")


def pinned_in(environment: str) -> dict[str, str]:
    listed = yaml.safe_load((REPOSITORY / f"envs/{environment}.yaml").read_text())["dependencies"]
    (requirements,) = (entry["pip"] for entry in listed if isinstance(entry, dict))
    return {
        canonicalize_name(name): version
        for name, version in (line.split("==") for line in requirements)
    }


# Listing what is installed takes a second.
INSTALLED = metadata.packages_distributions()


@cache
def needed(package: str) -> frozenset[str]:
    """The packages that an installed package requires here, without extras that nobody asked for, with itself."""
    found, pending = set[str](), [Requirement(package)]
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        if name in found and not requirement.extras:
            continue
        found.add(name)
        for line in metadata.requires(name) or []:
            inner = Requirement(line)
            extras = ["", *requirement.extras]
            if inner.marker is None or any(
                inner.marker.evaluate({"extra": extra}) for extra in extras
            ):
                pending.append(inner)
    return frozenset(found)


@cache
def imports(path: Path, *, at_once: bool) -> frozenset[str]:
    """The dotted names that a file imports as it is loaded, or else also in functions; none for the type checker."""
    return frozenset(_imports(ast.parse(path.read_text()), at_once=at_once))


def _imports(tree: ast.AST, *, at_once: bool) -> Iterator[str]:
    pending = [tree]
    while pending:
        node = pending.pop()
        if at_once and isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            pending.extend(node.orelse)
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def modules() -> dict[str, Path]:
    """The repository's modules by name; a package is its `__init__`."""
    files = [path for folder in OURS for path in REPOSITORY.glob(f"{folder}/**/*.py")]
    parts = {path: path.relative_to(REPOSITORY).with_suffix("").parts for path in files}
    return {
        ".".join(part[:-1] if part[-1] == "__init__" else part): path
        for path, part in parts.items()
    }


def imported_packages(roots: set[Path], *, at_once: bool) -> dict[str, Path]:
    """The installed packages that files import, directly or by our files, each with one of the files that do.

    With `at_once`, those alone without which no command starts; else all that any function of them may need.
    """
    found, seen, pending = dict[str, Path](), set[Path](), sorted(roots)
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        pending.extend(
            modules()[name] for name in imports(path, at_once=at_once) & modules().keys()
        )
        found |= dict.fromkeys(own_imports(path, at_once=at_once), path)
    return found


def own_imports(path: Path, *, at_once: bool = False) -> set[str]:
    """The installed packages that a file imports itself and, unless only `at_once`, those that its code implies."""
    others = (
        {name.partition(".")[0] for name in imports(path, at_once=at_once)}
        - OURS
        - set(sys.stdlib_module_names)
    )
    source = "" if at_once else path.read_text()
    implied = {package for pattern, package in IMPLIED.items() if re.search(pattern, source, re.M)}
    return {canonicalize_name(INSTALLED[module][0]) for module in others} | implied


def roots_of(environment: str) -> set[Path]:
    """The scripts of the rules that name an environment, and the figures and tables of the studies that do."""
    found = set[Path]()
    for _, body in RULES:
        if f'"../envs/{environment}.yaml"' in body:
            found |= {
                REPOSITORY / script for script in re.findall(r'code\("(scripts/[\w/]+\.py)"', body)
            }
    for result in find_results(REPOSITORY):
        rules = (REPOSITORY / f"rules/{result.study}.smk").read_text()
        (given,) = re.findall(r"environments=(\{.*?\})", rules)
        if ast.literal_eval(given)[result.folder] == environment:
            command = "draw_figure" if result.folder == "figures" else "fill_table"
            found |= {REPOSITORY / result.file, REPOSITORY / f"scripts/{command}.py"}
    return found


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_pins_as_the_lock_file_does(environment: str) -> None:
    assert pinned_in(environment).items() <= (RUN | TORCH).items()


def missing(roots: set[Path], installed: frozenset[str], *, at_once: bool) -> dict[str, str]:
    """What files need and `installed` lacks, each with a file that needs it."""
    packages = imported_packages(roots, at_once=at_once)
    return {
        name: str(path.relative_to(REPOSITORY))
        for name, path in packages.items()
        if name not in installed
    }


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_an_environment_installs_all_that_its_scripts_import(environment: str) -> None:
    roots = roots_of(environment)
    assert roots
    installed = frozenset().union(*map(needed, pinned_in(environment)))
    assert missing(roots, installed, at_once=True) == {}
    unused = NEVER_CALLED.get(environment, set())
    assert missing(roots, installed | unused, at_once=False) == {}
    assert unused <= missing(roots, installed, at_once=False).keys()


PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]


def named_in(*extras: str) -> frozenset[str]:
    """The packages that an install with these extras names itself."""
    listed = [
        *PROJECT["dependencies"],
        *(line for name in extras for line in PROJECT["optional-dependencies"][name]),
    ]
    return frozenset(canonicalize_name(Requirement(line).name) for line in listed)


def of_rooms(*rooms: str) -> set[Path]:
    return {
        path
        for room in rooms
        for path in REPOSITORY.glob(f"mechaware/{room}")
        if path.suffix == ".py"
    }


RADAR_AND_GROUNDING = ("instruments/radar/**/*", "instruments/grounding/**/*")
PLANTED = ("planted/controls/*", "planted/twins/*", "planted/sql/*")
PLAIN = of_rooms(
    *("*.py", "core/**/*", "models/**/*", *RADAR_AND_GROUNDING, *PLANTED),
    *("verdicts/*.py", "verdicts/cases/*", "doors/*.py", "doors/radar/*"),
) - of_rooms("core/archive.py")
JUDGES = of_rooms(
    "doors/claims/*",
    *(
        f"instruments/claims/{room}/**/*"
        for room in ("fetching", "reading", "judges", "votes", "rubric")
    ),
)


def test_an_install_of_the_library_names_all_that_its_rooms_import() -> None:
    """And nothing that they do not import."""
    plain, judges, everything = (
        set().union(*map(own_imports, files)) for files in (PLAIN, JUDGES, modules().values())
    )
    assert plain == named_in()
    assert judges <= named_in("claims")
    assert named_in("claims") - named_in() <= judges | {"lxml-html-clean"}  # trafilatura needs it
    assert everything <= named_in("claims", "workflow")


def test_the_lock_is_resolved_from_the_packages_of_an_install() -> None:
    listed = re.findall(
        r"^[A-Za-z][\w.-]*", (REPOSITORY / "requirements.in").read_text(), re.MULTILINE
    )
    assert {*map(canonicalize_name, listed), "torch", "mechaware"} == named_in("claims", "workflow")
    assert {"snakemake", "snakemake-executor-plugin-slurm"} <= RUN.keys()


def test_the_lock_of_the_site_is_resolved_from_the_extra_of_the_site() -> None:
    listed = re.findall(r"^[a-z][^#\s]*", (REPOSITORY / "requirements-docs.in").read_text(), re.M)
    asked = map(Requirement, PROJECT["optional-dependencies"]["docs"])
    assert [(one.name, one.extras) for one in map(Requirement, listed)] == [
        (one.name, one.extras) for one in asked
    ]


def test_the_locked_versions_are_among_those_that_an_install_accepts() -> None:
    extras = {
        name: listed
        for name, listed in PROJECT["optional-dependencies"].items()
        if name not in NOT_LOCKED
    }
    listed = [*PROJECT["dependencies"], *itertools.chain.from_iterable(extras.values())]
    for requirement in map(Requirement, listed):
        if requirement.name != PROJECT["name"]:  # an extra may name another
            assert requirement.specifier.contains(
                (RUN | TORCH | DOCS)[canonicalize_name(requirement.name)]
            ), requirement


@pytest.mark.parametrize("locked", [RUN, DEV], ids=["run", "dev"])
def test_a_lock_has_all_that_its_packages_require(locked: dict[str, str]) -> None:
    """It is installed without the packages' requirements; those of the second lock may be in the first."""
    known = RUN | TORCH | locked
    assert {name for package in locked for name in needed(package)} <= known.keys()


def test_the_locks_agree_and_only_the_second_has_what_tests_need() -> None:
    assert {name for name in RUN.keys() & DEV.keys() if RUN[name] != DEV[name]} == set()
    both = RUN | DEV
    assert {name for name in both.keys() & DOCS.keys() if both[name] != DOCS[name]} == set()
    peers = {
        "transformer-lens",
        "wandb",
        "playwright",
        "mypy",
        "pytest",
        "ruff",
        "hypothesis",
        "pandas-stubs",
    }
    assert peers <= DEV.keys()
    assert not peers & RUN.keys()
    assert TORCH == {"torch": "2.13.0"}


@pytest.mark.parametrize(
    ("name", "least"),
    [("requirements", 50), ("requirements-dev", 50), ("requirements-docs", 30)],
)
def test_every_package_of_a_lock_has_hashes(name: str, least: int) -> None:
    entries = re.split(r"\n(?=[a-z])", (REPOSITORY / f"{name}.lock").read_text())[1:]
    assert len(entries) >= len(pins(name)) > least
    for entry in entries:
        assert re.fullmatch(
            r"[^\n]+==[^\n]+ \\\n(    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+", entry
        ), entry[:80]


def test_another_python_is_refused_in_one_line_before_anything_is_removed(tmp_path: Path) -> None:
    """`false` stands for a Python whose check of its version fails; its environment, an older one, stays."""
    (tmp_path / "venv").mkdir()
    command = [
        "make",
        "--no-print-directory",
        f"VENV={tmp_path / 'venv'}",
        "PYTHON=false",
        "results",
    ]
    # Of `make test`.
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    run = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert run.returncode != 0
    refusal = "error: false is not Python 3.11, 3.12 or 3.13; name one, as in 'make results PYTHON=python3.12'\n"
    assert run.stdout == refusal
    assert list(tmp_path.iterdir()) == [tmp_path / "venv"]


@pytest.mark.parametrize(
    ("version", "accepted"),
    [((3, 10, 19), False), ((3, 11, 0), True), ((3, 13, 9), True), ((3, 14, 0), False)],
)
def test_the_makefile_accepts_the_pythons_that_its_refusal_names(
    version: tuple[int, ...], accepted: bool
) -> None:
    """The recipe's own expression, run by this Python as if it were another."""
    (expression,) = re.findall(
        r"\$\(PYTHON\) -c '(.*)' \|\|", (REPOSITORY / "Makefile").read_text()
    )
    as_another = f"import sys; sys.version_info = {version}; {expression}"
    assert (subprocess.run([sys.executable, "-c", as_another]).returncode == 0) == accepted


@pytest.mark.parametrize(
    ("target", "locked"), [("results", True), ("paper", True), ("results", False)]
)
def test_a_locked_folder_is_said_in_one_line_before_snakemake_starts(
    tmp_path: Path, target: str, *, locked: bool
) -> None:
    """Locked by a killed run or by one that still runs; unlocked, a Snakemake starts, here one that does nothing."""
    (tmp_path / "Makefile").write_text((REPOSITORY / "Makefile").read_text())
    for name in ("requirements.lock", "requirements-torch.lock", ".venv/.matches-lock"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    snakemake, started = tmp_path / ".venv/bin/snakemake", tmp_path / "started"
    snakemake.parent.mkdir()
    snakemake.write_text(f"#!/bin/sh\ntouch {started}\n")
    snakemake.chmod(0o755)
    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    if locked:
        (tmp_path / ".snakemake/locks/0.output.lock").touch()
    # Of `make test`.
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "--no-print-directory", target]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (run.returncode == 0, started.exists()) == (not locked, not locked), run.stderr
    refusal, *_ = [*run.stderr.splitlines(), ""]
    unlock = ".venv/bin/snakemake --unlock, then the same command again"
    assert refusal == (
        f"error: this folder is locked; if no other run is going on here: {unlock}"
        if locked
        else ""
    )
    assert run.stdout.count("snakemake") == (0 if locked else 3)


def test_an_image_installs_the_lock_files_as_make_does() -> None:
    image, makefile = ((REPOSITORY / name).read_text() for name in ("Containerfile", "Makefile"))
    for line in re.findall(r"^\t\$\(INSTALL\) (.*requirements(?:-torch)?\.lock)$", makefile, re.M):
        assert line.replace("-r ", "-r /tmp/") in image
    assert re.search(r"^FROM \S+/python:3\.1[123]-slim$", image, re.M)


def test_every_vulnerability_that_is_let_pass_has_its_date_and_reason() -> None:
    for line in (REPOSITORY / "audit-allowed.txt").read_text().splitlines():
        assert line.startswith("#") or re.fullmatch(
            r"[A-Z]+-[\w-]+  20\d\d-\d\d-\d\d  \S.{10,}", line
        ), line
