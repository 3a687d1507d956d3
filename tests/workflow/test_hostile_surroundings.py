"""What surrounds a run changes no result: working directory, locale,
settings of Python and Matplotlib, HOME.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.checkout import Checkout
from tests.unit.core.shadows import write_shadows

# five jobs: planted papers, the keyword rules twice, summary, figure
FIGURE = "results/figures/claims_confusion.pdf"
# Without the last two Python itself would put UTF-8 in the place of C, though not of a Latin-1
# locale.
LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def snakemake(
    checkout: Checkout, folder: Path, environment: Mapping[str, str], *arguments: str
) -> str:
    """What a run in `folder` prints; by the console script,
    since `python -m` has the folder on Python's path.
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
    folder = tmp_path / "café"
    settings = tmp_path / "settings"
    settings.mkdir()
    write_shadows(
        folder, "scripts/__init__", "mechaware/__init__", "exhibits", "matplotlib", "pypdf"
    )
    (folder / "matplotlibrc").write_bytes(b"axes.grid: True\n\xff\n")
    (settings / "matplotlibrc").write_text("axes.facecolor: yellow\n")
    (settings / "scripts.py").write_text("raise SystemExit('imported')\n")
    hostile = LOCALE | {
        "HOME": "/dev/null/home",
        "MATPLOTLIBRC": str(settings / "matplotlibrc"),
        "PYTHONPATH": str(settings),
        "PYTHONOPTIMIZE": "2",  # without docstrings, which a judge is sent
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
