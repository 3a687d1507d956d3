"""Loads objects of the user's own package by dotted names of the config,
such as `my_package.certainty.CERTAINTY`.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from mechaware.core.errors import UserError
from mechaware.core.files import name_key
from mechaware.core.own_folder import own_folder
from mechaware.core.run_module import ROOT, RepositoryFinder

_Object = TypeVar("_Object")
_Named = TypeVar("_Named", bound=Any)  # a detector or a rule, with a `name`


class PackageFile(NamedTuple):
    """A file of a package."""

    name: str  # its path in the package's folder
    path: Path


def package_files(name: str) -> list[PackageFile]:
    """The files of the top-level package or module of a dotted name; empty if there is none.

    These are the package's code and its data files, such as weights that it reads, including files
    in linked folders. Hidden files and compiled code in `__pycache__` are left out. The files
    are sorted by name; if a package lies in several folders, within each folder, in the order of
    the folders.

    Nothing is imported, since a dry run calls this.
    """
    top = name.partition(".")[0]
    spec = _find_module(top)
    if spec is None:
        return []
    folders = spec.submodule_search_locations
    if folders is None:
        path = Path(str(spec.origin))
        return [PackageFile(path.name, path)]
    return list(chain.from_iterable(_files_in(Path(folder)) for folder in folders))


def _files_in(folder: Path) -> list[PackageFile]:
    """The user's files in a folder and its subfolders, sorted by name; links are followed."""
    files = list[PackageFile]()
    visited = set[Path]()
    for parent, subfolders, names in os.walk(folder, followlinks=True):
        real_folder = Path(parent).resolve()
        if real_folder in visited:  # a link to a folder that holds it would be followed for ever
            subfolders.clear()
            continue
        visited.add(real_folder)

        subfolders[:] = sorted(filter(_is_users, subfolders))
        for name in filter(_is_users, names):
            path = Path(parent, name)
            if path.is_file():
                files.append(PackageFile(path.relative_to(folder).as_posix(), path))
    return sorted(files)


def _is_users(name: str) -> bool:
    """Whether a file or folder of this name is the user's, not one that a program leaves behind."""
    return not name.startswith(".") and name != "__pycache__"


def _find_module(module: str) -> ModuleSpec | None:
    """What a job finds under a dotted name (run_module.py, `load_object`); None if it finds
    nothing.

    The packages of this repository come first, then installed ones, those next to this repository,
    and those of the user's folder. A folder without `__init__.py` counts only if no package or
    module of its name is in any of them.

    `importlib.util.find_spec` would search the path of this process, which differs from a job's:
    Snakemake's has this repository and `PYTHONPATH` first, and perhaps not the working
    directory. It would also import the parents of a dotted name.
    """
    top, *inner = module.split(".")
    spec = _find_top(top)
    name = top
    for part in inner:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name += f".{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    return spec


def _find_top(top: str) -> ModuleSpec | None:
    """What a job finds under a name without dots (`_find_module`)."""
    path_of_job = [*_installed_path(), str(ROOT), str(own_folder())]
    # `sys.meta_path` has PathFinder, and finders of Python's own modules and of packages that were
    # installed with `pip install --editable`.
    finders: list[Any] = [RepositoryFinder, *sys.meta_path]
    for finder in finders:
        path = path_of_job if finder is PathFinder else None
        spec: ModuleSpec | None = finder.find_spec(top, path)
        if spec is not None:
            return spec
    return None


@cache
def _installed_path() -> list[str]:
    """The path of a job's Python: the standard library and the installed packages."""
    run = subprocess.run(
        [sys.executable, "-P", "-c", "import sys; print(*sys.path, sep='\\n')"],
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"PYTHONPATH": "", "PYTHONUTF8": "1"},
    )
    return run.stdout.splitlines()


def check_object(name: str, where: str) -> None:
    """Refuse a dotted name before any job, if its package, its module or the object in it does not
    exist.

    Nothing is imported. The module's code is read as text: the object must be assigned, defined or
    imported on its top level. `load_object` checks the modules that
    cannot be read this way, that import names by `import *`, or that make names on request
    (`__getattr__`).

    Args:
        name: The dotted name, such as `my_package.certainty.CERTAINTY`.
        where: The file and key that have the name, with which the message begins.

    Raises:
        UserError: Something of the name does not exist.
    """
    if not package_files(name):
        raise UserError(
            f"{where}: no package '{name.partition('.')[0]}' (from {own_folder()}); install it, or run in its folder"
        )

    module, _, attribute = name.rpartition(".")
    spec = _find_module(module)
    if spec is None or spec.origin is None:  # a folder without __init__.py has no names of its own
        raise UserError(f"{where}: no module '{module}' (from {own_folder()}); correct the name")

    file = Path(spec.origin)
    names = _names_in(file)
    if names is not None and attribute not in names:
        near = get_close_matches(attribute, names, n=1)
        remedy = f"define it in {file.name}, or correct the name"
        if near:
            remedy = f"did you mean '{near[0]}'?"
        raise UserError(f"{where}: '{module}' has no '{attribute}'; {remedy}")


def _names_in(file: Path) -> set[str] | None:
    """The names on the top level of a Python file; None where the code does not determine them."""
    if file.suffix != ".py":
        return None
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return None

    names = set[str]()
    for node in _statements(tree.body):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    bound = alias.asname or alias.name
                    names.add(bound.partition(".")[0])
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.With():
                for child in ast.walk(node):
                    if isinstance(child, ast.Name):
                        names.add(child.id)
    return None if names & {"*", "__getattr__", "globals"} else names


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of the blocks in it (`if`, `try`, `with`, `for`),
    but not those of functions.
    """
    for statement in body:
        yield statement
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for block in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, block, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


def load_object(name: str, kind: type[_Object]) -> _Object:
    """The object of a dotted name. Raises `UserError` if it cannot be imported or is no `kind`.

    Its package is installed or lies in the user's folder. That folder is searched last, now and for
    later imports, so that a file in it replaces no module of Python's or of an installed package.
    """
    _append_own_folder()
    module, _, attribute = name.rpartition(".")
    try:
        loaded = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UserError(
            f"{name}: cannot be imported ({error}); correct the name or the module"
        ) from error
    if not isinstance(loaded, kind):
        raise UserError(f"{name}: of type {type(loaded).__name__}; name a {kind.__name__}")
    return loaded


def _append_own_folder() -> None:
    """Let imports search the user's folder, last."""
    folder = str(own_folder())
    if folder not in sys.path:
        sys.path.append(folder)


def load_named(
    names: Sequence[str], kind: type[_Named], taken: Collection[str]
) -> tuple[_Named, ...]:
    """The objects of dotted names. Raises `UserError` as `load_object` does,
    and for an object's name that is taken.
    """
    used = {name_key(name) for name in taken}
    loaded = []
    for name in names:
        instance = load_object(name, kind)
        if name_key(instance.name) in used:  # cards have files of these names
            raise UserError(
                f"{name}: the name '{instance.name}' is taken; rename the {kind.__name__}"
            )
        used.add(name_key(instance.name))
        loaded.append(instance)
    return tuple(loaded)
