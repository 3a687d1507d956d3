"""The library as a notebook uses it: installed by pip, away from the repository,
by its page's blocks as printed.
"""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.planted.papers.plan import plan_papers
from mechaware.planted.papers.typesetting import write_paper
from tests.checkout import REPOSITORY, copy_of_the_tree
from tests.tiny_models import make_tiny_llama
from tests.workflow.lent_packages import lend, packages_asked_for

PAGE = (REPOSITORY / "docs/library.md").read_text()
(INSTALL,) = re.findall(r"^pip (install .*?) *#", PAGE, re.M)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
# No block of the page scores a paper, as the page's judge is a server; the keyword rules need none.
KEEP = """
import json, sys
paper = ma.claims.score("paper.pdf", judge="lexical")
passages.to_csv("passages.csv")
scores.to_csv("scores.csv")
marked.to_csv("marked.csv")
seen = {"shape": table.shape, "verdict": list(verdict["predicted"]), "tier": paper.tier, "score": paper.score,
        "statuses": paper.statuses.shape, "task": task.status, "from": ma.__file__}
json.dump(seen, open("seen.json", "w"))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment that holds the library and the packages that it asks for,
    and no others.

    The library is built and installed by pip. The packages are those of this environment, found by
    their metadata: to download and unpack them again takes minutes.
    """
    clone = copy_of_the_tree(tmp_path_factory.mktemp("clone"))
    environment = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin/python"

    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    pip += ["--python", python]
    install = [*pip, "install", "--no-deps", *INSTALL.replace("'", "").split()[1:]]
    run = subprocess.run(install, cwd=clone, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    shutil.rmtree(clone)

    (site,) = environment.glob("lib/python*/site-packages")
    (library,) = distributions(name="mechaware", path=[str(site)])
    (extra,) = re.findall(r"\[(\w+)\]", INSTALL)
    for package in packages_asked_for(library, extra):
        lend(package, site)
    return python


@pytest.fixture(scope="module")
def notebook(installed: Path, smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The working directory of a notebook that ran the page's blocks.

    A folder there has the model's hub name, so that nothing is downloaded. The model in it is a
    small random one with SmolLM2's tokenizer: SmolLM2 itself would write for minutes.
    """
    folder = tmp_path_factory.mktemp("notebook")
    make_tiny_llama(folder / "HuggingFaceTB/SmolLM2-135M-Instruct", smollm2)
    write_paper(plan_papers(1, 3)[0], folder / "planted", folder / "truth.json")
    (folder / "planted/document.pdf").rename(folder / "paper.pdf")
    shutil.copytree(REPOSITORY / "examples", folder / "examples")
    for name in ("benchmark_seen", "control"):  # six items of each: all take two minutes
        path = folder / f"examples/{name}.csv"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:7]))
    (folder / "notebook.py").write_text("".join(BLOCKS) + KEEP)
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(
        [installed, "notebook.py"], cwd=folder, env=bare, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.gate
def test_the_pages_blocks_run_as_printed_where_only_the_library_is_installed(
    notebook: Path, installed: Path
) -> None:
    seen = pd.read_json(notebook / "seen.json", typ="series")
    assert Path(seen["from"]).is_relative_to(installed.parent.parent)
    assert seen["shape"] == [2, 37]
    assert len(seen["verdict"]) == 2
    assert set(seen["verdict"]) <= {"recall", "reasoning"}

    scores = pd.read_csv(notebook / "scores.csv", index_col=0)
    assert len(scores) == 2
    assert {"loss", "min_k_plus_plus", "radar"} <= set(scores.columns)
    assert np.isfinite(scores.drop(columns="id").to_numpy(float)).all()

    marked = pd.read_csv(notebook / "marked.csv", index_col=0)
    assert marked["correct"].tolist() == [1, 0, 1, 0]
    assert set(scores.columns) <= set(marked.columns)
    # A model that has learned nothing gives none of the options.
    assert seen["task"] == "cannot tell"
    assert seen["tier"] is not None
    assert 0 <= seen["score"] <= 10
    assert seen["statuses"][1] == 27

    passages = pd.read_csv(notebook / "passages.csv")
    assert passages["criterion"].nunique() == 27
    assert passages["criterion"].value_counts().max() == 10
