"""The rooms of `mechaware/claims`: what imports what."""

import ast
import re
from pathlib import Path

import pytest

import mechaware.claims

FOLDER = Path(mechaware.claims.__file__).parent
ROOMS = re.findall(r"\w+", (mechaware.claims.__doc__ or "").strip().splitlines()[-1])
MODULES = {
    ".".join(["mechaware.claims", *path.relative_to(FOLDER).with_suffix("").parts]): path
    for path in FOLDER.rglob("*.py")
    if path.name != "__init__.py"
}


def imported(path: Path) -> set[str]:
    """The modules of the study that a file imports, at its top or inside a function."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names & set(MODULES)


def test_the_order_in_the_docstring_names_every_room() -> None:
    assert sorted(ROOMS) == sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_before_it(room: str) -> None:
    allowed = set(ROOMS[: ROOMS.index(room) + 1])
    for name, path in MODULES.items():
        if name.split(".")[2] == room:
            assert {other.split(".")[2] for other in imported(path)} <= allowed, name


def test_no_import_leads_back_to_its_module() -> None:
    graph = {name: imported(path) for name, path in MODULES.items()}
    while leaves := {name for name, others in graph.items() if not others}:
        graph = {name: others - leaves for name, others in graph.items() if name not in leaves}
    assert graph == {}
