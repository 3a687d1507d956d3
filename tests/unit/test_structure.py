"""The shape of the house: imports run down only, and no instrument knows another."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
# From the ground up: a room imports from those before it and from itself.
ROOMS = ("core", "models", "instruments", "planted", "verdicts", "doors")
STUDIES = ("radar", "grounding", "claims")


def module_name(path: Path) -> str:
    """The dotted name of a file: that of its package for an `__init__`."""
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


LIBRARY = {module_name(path): path for path in sorted((REPOSITORY / "mechaware").rglob("*.py"))}
EXHIBITS = {module_name(path): path for path in sorted((REPOSITORY / "exhibits").rglob("*.py"))}
MODULES = LIBRARY | EXHIBITS


def imported(path: Path) -> set[str]:
    """The dotted names in a file's import statements, wherever they are.

    Of `from a import b` the name is a.b if that is a module of ours, else a.
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
    order = TopologicalSorter({name: ours(path) for name, path in MODULES.items()})
    order.prepare()  # raises CycleError with the circle


def test_no_room_of_an_instrument_imports_itself_by_way_of_others() -> None:
    """Each folder of an instrument can be read before those that build on it."""
    for study in STUDIES:
        prefix = f"mechaware.instruments.{study}."
        folders: dict[str, set[str]] = {}
        for name, path in LIBRARY.items():
            if name.startswith(prefix):
                folder = name.split(".")[3]
                others = {other.split(".")[3] for other in ours(path) if other.startswith(prefix)}
                folders.setdefault(folder, set()).update(others - {folder})
        TopologicalSorter(folders).prepare()


def test_every_module_has_a_room() -> None:
    assert {room_of(name) for name in LIBRARY} == {"", *ROOMS}


@pytest.mark.parametrize("room", ROOMS)
def test_imports_run_down_only(room: str) -> None:
    below = {"", *ROOMS[: ROOMS.index(room) + 1]}
    for name, path in LIBRARY.items():
        if room_of(name) == room:
            assert {room_of(other) for other in ours(path)} <= below, name


def test_no_instrument_imports_another() -> None:
    for name, path in LIBRARY.items():
        if name.startswith("mechaware.instruments."):
            study = name.split(".")[2]
            others = {
                other.split(".")[2]
                for other in ours(path)
                if other.startswith("mechaware.instruments.")
            }
            assert others <= {study}, name


def test_the_library_knows_nothing_of_exhibits_scripts_and_snakemake() -> None:
    for name, path in LIBRARY.items():
        tops = {other.partition(".")[0] for other in imported(path)}
        assert not tops & {"exhibits", "scripts", "snakemake"}, name


def test_exhibits_know_nothing_of_scripts_and_snakemake() -> None:
    for name, path in EXHIBITS.items():
        tops = {other.partition(".")[0] for other in imported(path)}
        assert not tops & {"scripts", "snakemake"}, name
