"""The layers of the library: imports run down only, and no instrument imports another.

A room is a folder directly below mechaware/. `ROOMS` lists the rooms from the lowest layer to the
highest.
"""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# A room imports only from itself, from the rooms before it, and from mechaware/__init__.py.
ROOMS = ("core", "models", "instruments", "planted", "verdicts", "doors")
STUDIES = ("radar", "grounding", "claims")


def module_name(path: Path) -> str:
    """The dotted name of a file's module; for an `__init__`, its package's name."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


LIBRARY = {module_name(path): path for path in sorted((REPOSITORY / "mechaware").rglob("*.py"))}
EXHIBITS = {module_name(path): path for path in sorted((REPOSITORY / "exhibits").rglob("*.py"))}
MODULES = LIBRARY | EXHIBITS


def imported(path: Path) -> set[str]:
    """The dotted names in a file's import statements, wherever they are.

    For `from a import b` the name is a.b if that is one of `MODULES`, else a.
    """
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            submodules = {f"{node.module}.{alias.name}" for alias in node.names} & MODULES.keys()
            names |= submodules or {node.module}
    return names


def ours(path: Path) -> set[str]:
    """The modules of the library and of the exhibits that a file imports."""
    return imported(path) & MODULES.keys()


def room_of(module: str) -> str:
    """`mechaware.core.files` -> `core`; the package itself has no room."""
    return module.split(".")[1] if "." in module else ""


def test_no_module_imports_itself_by_way_of_others() -> None:
    imports = {name: ours(path) for name, path in MODULES.items()}
    # Raises CycleError, with the circle.
    TopologicalSorter(imports).prepare()


@pytest.mark.parametrize("study", STUDIES)
def test_no_folder_of_an_instrument_imports_itself_by_way_of_others(study: str) -> None:
    """Each folder of an instrument can be read before the folders that build on it.

    A module directly in the instrument's folder counts as a folder.
    """
    prefix = f"mechaware.instruments.{study}."
    imports: dict[str, set[str]] = {}
    for name, path in LIBRARY.items():
        if name.startswith(prefix):
            folder = name.split(".")[3]
            others = {other.split(".")[3] for other in ours(path) if other.startswith(prefix)}
            imports.setdefault(folder, set()).update(others - {folder})

    assert imports
    # Raises CycleError, with the circle.
    TopologicalSorter(imports).prepare()


def test_every_module_has_a_room() -> None:
    assert {room_of(name) for name in LIBRARY} == {"", *ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_down_only(room: str) -> None:
    below = {"", *ROOMS[: ROOMS.index(room) + 1]}
    for name, path in LIBRARY.items():
        if room_of(name) == room:
            assert {room_of(other) for other in ours(path)} <= below, name


def test_no_instrument_imports_another() -> None:
    prefix = "mechaware.instruments."
    for name, path in LIBRARY.items():
        if name.startswith(prefix):
            study = name.split(".")[2]
            imported_studies = {
                other.split(".")[2] for other in ours(path) if other.startswith(prefix)
            }
            assert imported_studies <= {study}, name


def test_the_library_knows_nothing_of_exhibits_scripts_and_snakemake() -> None:
    for name, path in LIBRARY.items():
        packages = {other.partition(".")[0] for other in imported(path)}
        assert not packages & {"exhibits", "scripts", "snakemake"}, name


def test_exhibits_know_nothing_of_scripts_and_snakemake() -> None:
    for name, path in EXHIBITS.items():
        packages = {other.partition(".")[0] for other in imported(path)}
        assert not packages & {"scripts", "snakemake"}, name
