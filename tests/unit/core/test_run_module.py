"""A command finds the standard library, installed packages and this repository,
whatever the working directory has.
"""

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import REPOSITORY, copy_of_the_tree
from tests.unit.core.shadows import write_shadows


@pytest.mark.parametrize("inside", [True, False], ids=["in the repository", "elsewhere"])
def test_a_file_in_the_working_directory_replaces_no_module(tmp_path: Path, inside: bool) -> None:
    # The working directory has files with the names of modules that the command imports. It is a
    # copy of the repository, or an empty folder; there some of the files also have names of our own
    # packages.
    if inside:
        repository = copy_of_the_tree(tmp_path)
        write_shadows(tmp_path)
    else:
        repository = REPOSITORY
        write_shadows(tmp_path, "mechaware/__init__", "scripts/__init__", "exhibits")
    command = [
        sys.executable,
        "-P",
        str(repository / "mechaware/core/run_module.py"),
        "scripts.fill_table",
    ]
    command += ["exhibits.reanalysis.claims_implied", "--help"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "--per-paper" in run.stdout


def test_a_command_that_fails_is_seen_to_fail_though_python_is_to_stay_open() -> None:
    """With PYTHONINSPECT Python waits for input after an error, and ends with another status."""
    rules = (REPOSITORY / "rules/common.smk").read_text(encoding="utf-8")
    written = re.search(r"^ENVIRONMENT = (\(.*?^\))", rules, re.DOTALL | re.MULTILINE)
    assert written is not None
    environment = ast.literal_eval(written[1])
    program = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    run = subprocess.run(
        ["sh", "-c", f"{environment} {program}"],
        stdin=subprocess.DEVNULL,
        env=os.environ | {"PYTHONINSPECT": "1"},
    )
    assert run.returncode == 3
