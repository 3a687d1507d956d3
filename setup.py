"""The library, and in its folder the workflow: the package alone answers
questions in any folder.
"""

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

# What a run of the workflow reads, each in the same place below mechaware/ as in this repository.
WORKFLOW = (
    "Snakefile",
    "CITATION.cff",
    "config",
    "docs/measured",
    "envs",
    "examples",
    "exhibits",
    "paper",
    "profiles",
    "rules",
    "scripts",
)


class BuildWithWorkflow(build_py):
    """Copies the workflow beside the library's modules."""

    def run(self) -> None:
        """Copy the modules, then the workflow."""
        super().run()
        if self.editable_mode:  # the package then stays in the repository
            return
        for name in WORKFLOW:
            target = Path(self.build_lib, "mechaware", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            if Path(name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(name, target, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copyfile(name, target)


setup(packages=find_packages(include=["mechaware*"]), cmdclass={"build_py": BuildWithWorkflow})
