"""The surroundings of a run change none of its results: working directory, locale, HOME, and the
settings of Python and Matplotlib.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.checkout import Checkout
from tests.unit.core.shadows import write_shadows

# Five jobs make it: planted papers, the keyword rules twice, summary, figure.
FIGURE = "results/figures/claims_confusion.pdf"
# In the locale C Python would switch to UTF-8 by itself, as it would not in a Latin-1 locale. The
# last two variables keep it from that.
LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def snakemake(
    checkout: Checkout, folder: Path, environment: Mapping[str, str], *arguments: str
) -> str:
    """Make FIGURE in `folder` by the checkout's code; returns what was printed.

    Snakemake is started as a program, because `python -m snakemake` would search `folder` first for
    every module.
    """
    programs = Path(sys.executable).parent
    command = [str(programs / "snakemake"), "--cores", "1"]
    command += ["--snakefile", str(checkout.folder / "Snakefile")]
    command += ["--configfile", str(checkout.folder / "config/test.yaml")]
    command += [*arguments, "--", FIGURE]
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    run = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path} | environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return run.stdout + run.stderr


@pytest.mark.gate
def test_the_surroundings_of_a_run_change_none_of_its_results(
    finished: Checkout, tmp_path: Path
) -> None:
    """`finished` has the results of a run in usual surroundings; some of them are made again."""
    folder = tmp_path / "café"
    # Files with the names of modules: each ends the process that imports it.
    write_shadows(
        folder, "scripts/__init__", "mechaware/__init__", "exhibits", "matplotlib", "pypdf"
    )
    # Invalid UTF-8: Matplotlib would fail to read it.
    (folder / "matplotlibrc").write_bytes(b"axes.grid: True\n\xff\n")
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "matplotlibrc").write_text("axes.facecolor: yellow\n")
    (settings / "scripts.py").write_text("raise SystemExit('imported')\n")
    hostile = LOCALE | {
        "HOME": "/dev/null/home",
        "MATPLOTLIBRC": str(settings / "matplotlibrc"),
        "PYTHONPATH": str(settings),
        # Removes docstrings, some of which are sent to judges.
        "PYTHONOPTIMIZE": "2",
    }
    snakemake(finished, folder, hostile)

    made = [
        path
        for path in (folder / "results").rglob("*")
        if path.is_file() and ".provenance" not in path.name
    ]

    assert len(made) > 10

    for path in made:
        relative = path.relative_to(folder)
        assert path.read_bytes() == (finished.folder / relative).read_bytes(), relative
    assert "Nothing to be done" in snakemake(finished, folder, {}, "--dry-run")
