"""The fingerprint of a step: it changes with the code that the step runs, and with nothing else.

Data files that this code reads when it is imported, or that lie in a package of the user's own,
count as code.
"""

import ast
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mechaware.core.digests import Digests
from mechaware.core.errors import UserError
from mechaware.core.own_package import package_files
from mechaware.core.run_module import PACKAGES, source

# Module -> the file that it reads when it is imported, which is part of its code.
DATA_OF = {"mechaware/instruments/claims/rubric/criteria.py": "config/rubrics/cvs.yaml"}

# Nodes whose docstrings are no part of the code. A class is not among them (`read_code`).
_Documented = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


class Code(NamedTuple):
    """The imports and the fingerprint of one Python file.

    - `imported`: the dotted names in its import statements.
    - `fingerprint`: SHA-256 of its code in hexadecimal, without comments and layout, and without
      the docstrings of the module and of functions.
    """

    imported: Sequence[str]
    fingerprint: str


def code_fingerprint(scripts: Sequence[str], own: Sequence[str], digests: Digests) -> str:
    """The fingerprint of scripts and of every file of this repository that they import.

    Indirect imports count as well.

    Args:
        scripts: Paths in this repository.
        own: Dotted names in packages of the user's own. All files of such a package count, Python
            files by their code and data files by their content.
        digests: Computes the digests of data files.

    Returns:
        16 hexadecimal digits.

    Raises:
        UserError: A Python file of the user's own has a syntax error.
    """
    entries = []
    files = _files_run_by(scripts)
    repository = source("scripts").parent
    for path in sorted(files):
        entries.append(f"{path.relative_to(repository)} {read_code(path).fingerprint}\n")
    for module, data in DATA_OF.items():
        if source(module) in files:
            entries.append(f"{data} {digests.of(source(data))}\n")

    try:
        for name in own:
            for file in package_files(name):
                entries.append(f"{file.name} {_own_file_fingerprint(file.path, digests)}\n")
    except SyntaxError as error:
        raise UserError(f"{error.filename}, line {error.lineno}: {error.msg}; correct it") from None
    return hashlib.sha256("".join(entries).encode()).hexdigest()[:16]


@cache
def read_code(path: Path) -> Code:
    """The imports and the fingerprint of a Python file. Raises `SyntaxError`.

    The fingerprint hashes the syntax tree, written as words. A node is its type, the names of its
    fields that are set, and the values of these fields, the last field first. A list is its length
    and its entries, the last entry first. The file `n = 1` becomes

        Module body 1 Assign targets value Constant value 1 1 Name id ctx Store 'n'

    Docstrings of classes are part of the fingerprint: a judge is sent the docstrings of its reply
    classes.
    """
    imported: list[str] = []
    words: list[str] = []
    # One walk gives both; `ast.dump` and `ast.walk` together take twice the time.
    pending: list[object] = [ast.parse(path.read_text(encoding="utf-8"), path)]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            words.append(str(len(node)))
            pending += node
            continue
        if not isinstance(node, ast.AST):
            words.append(repr(node))
            continue

        if isinstance(node, _Documented) and ast.get_docstring(node):
            del node.body[0]
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported += _modules_named(node)
        words.append(type(node).__name__)
        for field in node._fields:
            value = getattr(node, field, None)
            # Fields that newer versions of Python add are empty for older syntax.
            if value is not None and value != []:
                words.append(field)
                pending.append(value)
    return Code(imported, hashlib.sha256(" ".join(words).encode()).hexdigest())


def _files_run_by(scripts: Sequence[str]) -> set[Path]:
    """The scripts and the files of this repository that they import, directly or not."""
    visited: set[Path] = set()
    pending = [source(script) for script in scripts]
    while pending:
        path = pending.pop()
        if path not in visited:
            visited.add(path)
            pending += _files_imported_by(path)
    return visited


@cache
def _files_imported_by(path: Path) -> list[Path]:
    """The files of this repository that the import statements of a Python file run."""
    files = []
    for module in read_code(path).imported:
        files += _module_files(module)
    return files


@cache
def _module_files(module: str) -> list[Path]:
    """The files of this repository that importing `module` runs: its file and its packages' files.

    Importing `mechaware.core.seeds` runs mechaware/__init__.py, mechaware/core/__init__.py and
    mechaware/core/seeds.py. A name that is no module adds no file; other packages have none.
    """
    parts = module.split(".")
    if parts[0] not in PACKAGES:
        return []
    files = []
    for depth in range(1, len(parts) + 1):
        stem = source("/".join(parts[:depth]))
        for path in (stem.with_suffix(".py"), stem / "__init__.py"):
            if path.exists():
                files.append(path)
    return files


def _modules_named(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The dotted names in an import statement.

    `from a import b` gives both a and a.b, since b may be a module.
    """
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.Import):
        return names
    package = node.module or ""
    return [package, *(f"{package}.{name}" for name in names)]


def _own_file_fingerprint(path: Path, digests: Digests) -> str:
    """The fingerprint of a Python file's code, or the digest of a data file's content."""
    return read_code(path).fingerprint if path.suffix == ".py" else digests.of(path)
