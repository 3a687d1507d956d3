"""Runs a module of this repository, from any working directory: `python -P run_module.py MODULE ARGUMENTS`.

`python -m MODULE` searches the working directory before the standard library, so that a file `random.py` or a folder
`scripts/` there would end every job; `PYTHONPATH` is searched as early, and this repository may be the working
directory. Here the standard library and the installed packages are searched first, and `exhibits`, `mechaware` and
`scripts` are always those of this repository. mechaware/core/own_package.py adds the user's folder, last.
"""

import runpy
import sys
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The installed package also holds the rest of this repository (setup.py).
INSTALLED = (ROOT / "mechaware/Snakefile").exists()
_WORKFLOW = ROOT / "mechaware" if INSTALLED else ROOT
PACKAGES = {"exhibits": _WORKFLOW, "mechaware": ROOT, "scripts": _WORKFLOW}


def source(path: str) -> Path:
    """A file or folder of this repository, by its path there."""
    top = Path(path).parts[0]
    folder = ROOT if top == "mechaware" else _WORKFLOW
    return folder / path


def command(module: str) -> list[str]:
    """The beginning of a command that runs `module` in a child process; its arguments are still to be added."""
    return [sys.executable, "-P", str(Path(__file__).resolve()), module]


class RepositoryFinder:
    """Finds the packages of this repository in this repository, even if other packages have their names."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        """The package's spec; None for other modules, and if the package is not installed next to this one."""
        if name not in PACKAGES:
            return None
        return PathFinder.find_spec(name, [str(PACKAGES[name])])


if __name__ == "__main__":
    sys.meta_path.insert(0, RepositoryFinder)
    # For packages that are installed in the folder of this one, where Python does not search that folder by itself.
    sys.path.append(str(ROOT))
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
