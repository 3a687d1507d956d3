"""The packages that our files need: those that they import, and those that their code implies."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]
OURS = {"mechaware", "exhibits", "scripts"}
# By a pattern of our code: the package that a library imports only when this code runs.
IMPLIED = {
    r"\.to_parquet\(|read_parquet\(": "pyarrow",
    r"\.style\b\.|\.style$": "jinja2",
    r"\bTrainer\(": "accelerate",
    r"\bgguf_file\b": "gguf",
    r"\bPdfReader\(": "cryptography",  # of encrypted files
}
# By the name of a module, the packages that have it. Listing them takes a second.
INSTALLED = metadata.packages_distributions()


def needed_packages(roots: set[Path], *, at_once: bool) -> dict[str, Path]:
    """The packages that `roots` need, themselves or by our files that they import.

    Each comes with one of the files that need it. With `at_once`, only the packages without which
    the files cannot be loaded; else also those that a function of them may need.
    """
    packages = dict[str, Path]()
    seen = set[Path]()
    pending = sorted(roots)
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        imported_modules = imports(path, at_once=at_once) & modules().keys()
        pending.extend(modules()[name] for name in imported_modules)
        packages |= dict.fromkeys(own_packages(path, at_once=at_once), path)
    return packages


def own_packages(path: Path, *, at_once: bool = False) -> set[str]:
    """The packages that a file imports itself and, unless `at_once`, those its code implies."""
    top_level = {name.partition(".")[0] for name in imports(path, at_once=at_once)}
    foreign = top_level - OURS - set(sys.stdlib_module_names)
    packages = {canonicalize_name(INSTALLED[module][0]) for module in foreign}
    if not at_once:
        source = path.read_text()
        for pattern, package in IMPLIED.items():
            if re.search(pattern, source, re.MULTILINE):
                packages.add(package)
    return packages


@cache
def modules() -> dict[str, Path]:
    """The repository's modules by their dotted names; a package is its `__init__`."""
    paths = {}
    for folder in OURS:
        for path in REPOSITORY.glob(f"{folder}/**/*.py"):
            parts = path.relative_to(REPOSITORY).with_suffix("").parts
            if parts[-1] == "__init__":
                parts = parts[:-1]
            paths[".".join(parts)] = path
    return paths


@cache
def imports(path: Path, *, at_once: bool) -> frozenset[str]:
    """The dotted names that a file imports, without those for the type checker alone.

    With `at_once`, only the imports that run as the file is loaded, not those in functions. Of
    `from a import b` the names are a and a.b.
    """
    return frozenset(_imported_names(ast.parse(path.read_text()), at_once=at_once))


def _imported_names(tree: ast.AST, *, at_once: bool) -> Iterator[str]:
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
