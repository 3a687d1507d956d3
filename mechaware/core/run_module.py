"""Runs a module of this repository from any working directory.

    python -P run_module.py MODULE ARGUMENTS

`python -m MODULE` searches the working directory before the standard library: a file `random.py` or
a folder `scripts/` in it would stop every job. This repository in `PYTHONPATH` would be no remedy:
its files would also be found before the standard library's, and it may itself be the working
directory.

This file, started with `-P`, searches the standard library and the installed packages first, and
always takes `exhibits`, `mechaware` and `scripts` from this repository.
mechaware/core/own_package.py adds the user's folder, last.
"""

import runpy
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# An installed package holds the Snakefile, scripts and the rest of this repository inside its
# folder `mechaware` (setup.py); in a checkout they are next to it.
INSTALLED = (ROOT / "mechaware/Snakefile").exists()
_WORKFLOW = ROOT / "mechaware" if INSTALLED else ROOT
# The folder in which each package of this repository is found.
PACKAGES = {"exhibits": _WORKFLOW, "mechaware": ROOT, "scripts": _WORKFLOW}


def source(path: str) -> Path:
    """Where a file or folder of this repository is, from its path in a checkout."""
    top = Path(path).parts[0]
    folder = ROOT if top == "mechaware" else _WORKFLOW
    return folder / path


def command(module: str) -> list[str]:
    """The command that runs `module` in a child process; the caller adds the module's arguments."""
    return [sys.executable, "-P", str(Path(__file__).resolve()), module]


class RepositoryFinder:
    """Finds the packages of this repository here, even if other packages have their names."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """The spec of a package of this repository; None if it is missing, or for other modules."""
        if name not in PACKAGES:
            return None
        return PathFinder.find_spec(name, [str(PACKAGES[name])])


if __name__ == "__main__":
    sys.meta_path.insert(0, RepositoryFinder)
    # mechaware may be installed in a folder that Python does not search by itself, together with
    # the packages that it needs.
    sys.path.append(str(ROOT))
    # The module then finds itself and its own arguments, as with `python -m MODULE ARGUMENTS`.
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
