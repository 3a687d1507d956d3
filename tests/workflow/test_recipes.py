"""The recipes of CONTRIBUTING.md, followed in a copy of the finished small run, so that they stay true."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Checkout

CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
# A file's path on a line of its own, and below it what goes into the file.
FILES = dict(re.findall(r"^`([\w./]+)`:\n\n```\w+\n(.*?)```$", CONTRIBUTING, re.MULTILINE | re.DOTALL))
(REFERENCE,) = re.findall(
    r"^In `reference_surface`, before its `return`:\n\n```python\n(.*?)```$", CONTRIBUTING, re.M | re.S
)
FIGURE = "radar_score_histogram"
pytestmark = pytest.mark.gate


def follow(path: str, folder: Path) -> None:
    """Write the recipe's text to the end of a file, which may be new."""
    file = folder / path
    before = file.read_text() if file.exists() else ""
    file.write_text(f"{before}\n\n{FILES[path]}" if before else FILES[path])


def test_a_figure_is_its_file_its_caption_and_its_place_in_the_paper(tree: Checkout) -> None:
    files = [path for path in FILES if FIGURE in path or FIGURE in FILES[path]]
    assert len(files) == 3
    for path in files:
        follow(path, tree.folder)
    more = tree.folder / "more.yaml"
    more.write_text(f"figures: {{{FIGURE}: {{bins: 5}}}}\n")
    run = tree.snakemake("--cores", "all", more=more)
    made = re.findall(r"^(?:local)?rule (\w+):", run.stdout + run.stderr, re.MULTILINE)
    assert sorted(made) == ["all", "paper", FIGURE]
    figure = tree.folder / f"results/figures/{FIGURE}.pdf"
    assert figure.read_bytes().startswith(b"%PDF")
    assert figure.with_suffix(".png").exists()
    (step,) = [
        step
        for step in json.loads(figure.with_suffix(".provenance.json").read_text())["steps"]
        if step["step"] == FIGURE
    ]
    assert step["parameters"] == {"bins": 5, "width": 4.0}
    python(tree, "-m", "scripts.write_docs")
    assert f"`results/figures/{FIGURE}.pdf`" in (tree.folder / "docs/results.md").read_text()
    assert f"`figures/{FIGURE}/bins` | `10`" in (tree.folder / "docs/configuration.md").read_text()


def test_a_feature_is_one_function_and_its_reference(tree: Checkout) -> None:
    """Without the reference the comparison of names fails; with it the comparisons pass."""
    follow("mechaware/radar/feature_extraction/surface.py", tree.folder)
    file = "tests/unit/radar/feature_extraction/test_features.py"
    tests = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", "appendix or in_that_order or formula", file)
    assert "median_confidence" in python(tree, *tests, fails=True)
    reference = tree.folder / "tests/unit/radar/feature_extraction/reference.py"
    text = reference.read_text()
    place = text.index("\n    return features\n", text.index("def reference_surface("))
    reference.write_text(f"{text[:place]}{REFERENCE}{text[place:]}")
    python(tree, *tests)


def python(tree: Checkout, *arguments: str, fails: bool = False) -> str:
    """Run Python in the tree; returns what it printed."""
    run = subprocess.run(
        [sys.executable, *arguments], cwd=tree.folder, env=os.environ.copy(), capture_output=True, text=True
    )
    assert (run.returncode != 0) is fails, run.stdout[-3000:] + run.stderr[-3000:]
    return run.stdout
