"""Loads objects of the user's own package by dotted names of the config, such as `my_package.certainty.CERTAINTY`."""

import ast
import sys
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from mechaware.core.errors import UserError
from mechaware.core.files import name_key

_Object = TypeVar("_Object")
_Named = TypeVar("_Named", bound=Any)  # a detector or a rule, whose name is a column


def package_files(name: str) -> list[Path]:
    """The files of the top-level package or module of a dotted name, sorted; empty if there is none.

    A package has its code and its data files, such as weights that it reads. Hidden files and compiled code in
    `__pycache__` are left out.

    The package is installed or lies in the working directory, in this order. Nothing is imported, since a dry run calls
    this: `find_spec` would import the parents of a dotted name, so it gets the first part alone.
    """
    top = name.partition(".")[0]
    # "" is the working directory, which a command started by its entry point does not have on its path.
    spec = find_spec(top) or PathFinder.find_spec(top, [""])
    if spec is None:
        return []
    files = [
        path for folder in spec.submodule_search_locations or () for path in _files_in(Path(folder))
    ]
    return sorted(files) or [Path(str(spec.origin))]


def _files_in(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        written_by_programs = any(part.startswith(".") or part == "__pycache__" for part in parts)
        if path.is_file() and not written_by_programs:
            yield path


def check_object(name: str, where: str) -> None:
    """Refuse a dotted name whose package, module or object is not there, before any job.

    Nothing is imported. The module's code is read as text: the object must be assigned, defined or imported on its top
    level. A module that cannot be read so, one that takes names by `import *`, and one that makes them on request
    (`__getattr__`) are left to `load_object`.

    Raises:
        UserError: In one line, which begins with `where`, the place that has the name.
    """
    if not package_files(name):
        raise UserError(
            f"{where}: no package '{name.partition('.')[0]}' (from {Path.cwd()}); install it, or run in its folder"
        )

    module, _, attribute = name.rpartition(".")
    file = _module_file(module)
    if file is None:
        raise UserError(f"{where}: no module '{module}' (from {Path.cwd()}); correct the name")

    names = _names_in(file)
    if names is not None and attribute not in names:
        near = get_close_matches(attribute, names, n=1)
        remedy = (
            f"; did you mean '{near[0]}'?"
            if near
            else f"; define it in {file.name}, or correct the name"
        )
        raise UserError(f"{where}: '{module}' has no '{attribute}'{remedy}")


def _module_file(module: str) -> Path | None:
    """The file of a dotted module, of Python or compiled; None if its package has none."""
    top, *inner = module.split(".")
    spec = find_spec(top) or PathFinder.find_spec(top, [""])
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    if not inner:
        return Path(str(spec.origin))

    for folder in folders:
        stem = Path(folder).joinpath(*inner)
        package = stem / "__init__.py"
        if package.is_file():
            return package
        for file in sorted(stem.parent.glob(f"{stem.name}.*")):
            if file.suffix in (".py", ".so", ".pyd"):
                return file
    return None


def _names_in(file: Path) -> set[str] | None:
    """The names on the top level of a Python file; None where the code alone does not tell them."""
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
                names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.With():
                names.update(found.id for found in ast.walk(node) if isinstance(found, ast.Name))
    return None if names & {"*", "__getattr__", "globals"} else names


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body and of the blocks in it (`if`, `try`, `with`, `for`), but not those of functions."""
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

    Its package is installed or lies in the working directory, which is searched last, now and for later imports: a file
    there that is named as a module of Python's or of an installed package replaces nothing.
    """
    _append_working_directory()
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


def _append_working_directory() -> None:
    working_directory = str(Path.cwd())
    if working_directory not in sys.path:
        sys.path.append(working_directory)


def load_named(
    names: Sequence[str], kind: type[_Named], taken: Collection[str]
) -> tuple[_Named, ...]:
    """The objects of dotted names. Raises `UserError` as `load_object` does, and for an object's name that is taken."""
    used, loaded = set(map(name_key, taken)), []
    for name in names:
        instance = load_object(name, kind)
        if name_key(instance.name) in used:  # names are those of the cards' files, too
            raise UserError(
                f"{name}: the name '{instance.name}' is taken; rename the {kind.__name__}"
            )
        used.add(name_key(instance.name))
        loaded.append(instance)
    return tuple(loaded)
