"""A file of the user's that another one replaces, with an older date:
the next answer is that of the new file.
"""

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from tests import tiny_models
from tests.checkout import Checkout, copy_of_the_tree
from tests.tiny_models import make_tiny_model

OLDER = 946_684_800  # the first second of the year 2000, in UTC
RUN = ("--cores", "1", "--resources", "gpu=1")
pytestmark = pytest.mark.gate


def replace(path: Path, content: bytes, time: float = OLDER) -> None:
    """Move another file, with a date of its own, to the place of one."""
    newcomer = path.with_name("newcomer")
    newcomer.write_bytes(content)
    os.utime(newcomer, (time, time))
    newcomer.replace(path)


@pytest.fixture
def tree(warm: Path, tmp_path: Path) -> Checkout:
    """A fresh copy of the tree, without results."""
    return Checkout(copy_of_the_tree(tmp_path / "tree"), warm)


def test_another_paper_of_the_same_name_has_its_own_passages(tree: Checkout) -> None:
    paper = tree.folder / "my.txt"
    (tree.folder / "own.yaml").write_text(yaml.safe_dump({"claims": {"own_paper": "my.txt"}}))

    def shown() -> str:
        tree.snakemake("claim", *RUN, more=tree.folder / "own.yaml")
        return (tree.folder / "results/claims/reading/my/review.md").read_text()

    claim = "Abstract\nWe show that head 7.4 copies the larger of two ages to the last position of the prompt.\n"
    paper.write_text(claim)

    assert "head 7.4 copies" in shown()

    replace(paper, b"Abstract\nWe compare ways to rank papers. Heads of departments were asked.\n")
    assert "ways to rank papers" in shown()

    # In place: the same inode, size and date.
    before = paper.stat()
    paper.write_text(claim[: before.st_size].ljust(before.st_size))
    os.utime(paper, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert "head 7.4 copies" in shown()


ITEMS = "id,question,answer\n{name}-1,How many stones are in box 1?,Seven.\n{name}-2,How many are in box 2?,Nine.\n"
DETECTOR = '''
"""A detector that gives every text the weight in a file beside it."""

import json
from pathlib import Path

import numpy as np

from mechaware.instruments.radar.detectors.detector import Detector

WEIGHTS = Path(__file__).with_name("weights.json")


def score(evidence, _seed):
    return np.full(len(evidence.texts), json.loads(WEIGHTS.read_text())["weight"])


MINE = Detector("mine", "mine", "ours", (), score)
'''


def test_other_items_weights_and_data_have_their_own_scores(
    tree: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    # RADAR's training prompts are read, a token a byte.
    monkeypatch.setattr(tiny_models, "CONTEXT_LENGTH", 512)
    benchmark = tree.folder / "my_benchmark.csv"
    benchmark.write_text(ITEMS.format(name="first"))
    weights = make_tiny_model("gpt2", tree.folder / "my-model") / "model.safetensors"
    data = tree.folder / "my_package/weights.json"
    data.parent.mkdir()
    (data.parent / "__init__.py").write_text(DETECTOR)
    data.write_text('{"weight": 0.25}')
    with (tree.folder / "config/models.yaml").open("a") as models:
        models.write("\nmine:\n  kind: local\n  label: Mine\n  folder: my-model\n")
    entry = {"items": "my_benchmark.csv", "model": "mine", "scores_only": True}
    config: dict[str, Any] = {"radar": {"suspected": {"own": entry}}}
    config["radar"]["detectors"] = ["my_package.MINE"]
    (tree.folder / "own.yaml").write_text(yaml.safe_dump(config))

    def scores() -> pd.DataFrame:
        ours = "results/radar/suspected/own/scores.csv"
        own = "results/radar/suspected/own/own_scores.csv"
        tree.snakemake(ours, own, *RUN, more=tree.folder / "own.yaml")
        return pd.read_csv(tree.folder / ours).merge(pd.read_csv(tree.folder / own), on="id")

    first = scores()
    assert first["id"].tolist() == ["first-1", "first-2"]
    assert first["mine"].tolist() == [0.25, 0.25]

    replace(benchmark, ITEMS.format(name="other").encode())
    other = scores()

    assert other["id"].tolist() == ["other-1", "other-2"]
    # The texts are the same.
    assert other["loss"].tolist() == first["loss"].tolist()

    # Other weights of the same size and date.
    former = weights.stat()
    trained_on = make_tiny_model("gpt2", tree.folder / "trained-on", seed=1) / "model.safetensors"
    replace(weights, trained_on.read_bytes(), former.st_mtime)

    assert (weights.stat().st_size, weights.stat().st_mtime) == (former.st_size, former.st_mtime)

    with_other_weights = scores()
    assert with_other_weights["loss"].tolist() != first["loss"].tolist()

    replace(data, b'{"weight": 0.75}')
    assert scores()["mine"].tolist() == [0.75, 0.75]
