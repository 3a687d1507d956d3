"""The recipe of CONTRIBUTING.md for a detector, followed in a copy of the library."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[4]
RECIPE = (REPOSITORY / "CONTRIBUTING.md").read_text().split("\n### A detector\n")[1].split("\n### ")[0]
((FILE, CODE),) = re.findall(r"^`([\w./]+)`:\n\n```python\n(.*?)```$", RECIPE, re.M | re.S)
(LISTED,) = re.findall(r"^In `listed.py`, .*:\n\n```python\n(.*?)```$", RECIPE, re.M | re.S)
IMPORT, LINE = LISTED.splitlines(keepends=True)
# Two texts: one of two tokens with p above 1/2, and none.
SCORE = """
from mechaware.radar.detectors.listed import score_items
from tests.unit.radar.detectors.made_evidence import scored, tokens
print(score_items(scored(tokens([-0.6, -0.8]), tokens([-1.0])), seed=0)["certainty"].tolist())
"""


def test_a_detector_is_its_file_and_its_place_in_the_list(tmp_path: Path) -> None:
    for name in ("mechaware", "tests/unit/radar/detectors"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / FILE).write_text(CODE)
    listed = tmp_path / "mechaware/radar/detectors/listed.py"
    before, after = listed.read_text().split("from mechaware.radar.detectors.detector import", 1)
    place = after.index("\n)\n") + 1
    listed.write_text(
        f"{before}{IMPORT}from mechaware.radar.detectors.detector import{after[:place]}{LINE}{after[place:]}"
    )
    assert python(tmp_path, "-c", SCORE) == "[0.5, 0.0]\n"
    common = "tests/unit/radar/detectors/test_listed.py"
    said = python(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "certainty or unique", common)
    assert "4 passed" in said


def python(folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    run = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return run.stdout
