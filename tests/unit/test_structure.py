"""The shape of the library: imports run one way and no room holds too much."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
LIBRARY = REPOSITORY / "mechaware"
MOST_MODULES, MOST_LINES = 12, 1500
STUDIES = {"radar", "grounding", "claims"}
# What a package may import from other packages of the library, besides the modules that lie beside them. Of those
# modules one alone may import packages: the check of a config, which knows the inputs of every study.
BELOW = {
    "models": set(),
    "report": set(),
    "evaluation_log": set(),
    "controls": {"models"},
    **{study: {"models", "report", "controls", "evaluation_log"} for study in STUDIES},
    "verdicts": {"models", *STUDIES},
    "cards": {"report", "controls", "verdicts", *STUDIES},
}
# A study's public functions give its verdicts: they stand above the room of verdicts, though they lie in the study.
PUBLIC = {f"mechaware.{study}.library" for study in STUDIES}


def module_name(path: Path) -> str:
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(LIBRARY.rglob("*.py"))}


def imported(path: Path) -> set[str]:
    """The modules of the library that a file imports, wherever the statement stands; `from a import b` may mean a.b."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            names |= submodules or {node.module}
    return names & MODULES.keys()


def test_no_module_imports_itself_by_way_of_others() -> None:
    order = TopologicalSorter({name: imported(path) for name, path in MODULES.items()})
    order.prepare()  # raises CycleError with the circle


def test_no_room_of_a_study_imports_itself_by_way_of_others() -> None:
    """Nor do the packages inside a study: each may be read before those that build on it."""
    for study in STUDIES:
        rooms: dict[str, set[str]] = {}
        for name, path in MODULES.items():
            if name.startswith(f"mechaware.{study}."):
                inside = {other for other in imported(path) if other.startswith(f"mechaware.{study}.")}
                rooms.setdefault(name.split(".")[2], set()).update(other.split(".")[2] for other in inside)
        TopologicalSorter({room: others - {room} for room, others in rooms.items()}).prepare()


@pytest.mark.parametrize("package", sorted(BELOW))
def test_imports_run_down_only(package: str) -> None:
    for name, path in MODULES.items():
        if name.split(".")[1:2] == [package] and name not in PUBLIC:
            others = {other.split(".")[1] for other in imported(path) if other.count(".") > 0}
            assert others & BELOW.keys() <= BELOW[package] | {package}, name


def test_the_modules_beside_the_packages_import_none_of_them() -> None:
    for name, path in MODULES.items():
        if name.count(".") == 1 and path.name != "__init__.py" and name != "mechaware.configuration.checks":
            assert not {other.split(".")[1] for other in imported(path)} & BELOW.keys(), name


def test_the_library_knows_nothing_of_scripts_snakemake_and_the_reanalysis() -> None:
    for path in MODULES.values():
        assert not re.search(r"^\s*(?:from|import) (?:reanalysis|scripts|snakemake)\b", path.read_text(), re.M), path


def test_no_package_holds_too_much() -> None:
    packages = [path.parent for path in MODULES.values() if path.name == "__init__.py"]
    for package in packages:
        files = [path for path in package.glob("*.py") if path.name != "__init__.py"]
        if package != LIBRARY:
            assert len(files) <= MOST_MODULES, package
        lines = sum(len(path.read_text().splitlines()) for path in files)
        assert lines <= MOST_LINES, f"{package}: {lines} lines"
