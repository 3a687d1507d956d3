"""A user's file is read anew once its content has changed, although its date is the same or older:
the next result is made from the new content.
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
# Options of Snakemake.
RESOURCES = ("--cores", "1", "--resources", "gpu=1")
pytestmark = pytest.mark.gate


def replace(path: Path, content: bytes, date: float = OLDER) -> None:
    """Move a new file over the old one at `path`.

    `date` is the new file's, in seconds since 1970.
    """
    new_file = path.with_name("new_file")
    new_file.write_bytes(content)
    os.utime(new_file, (date, date))
    new_file.replace(path)


@pytest.fixture
def tree(warm: Path, tmp_path: Path) -> Checkout:
    """A fresh copy of the tree, without results."""
    return Checkout(copy_of_the_tree(tmp_path / "tree"), warm)


HEAD_PAPER = "Abstract\nWe show that head 7.4 copies the larger of two ages to the last position of the prompt.\n"
RANKING_PAPER = "Abstract\nWe compare ways to rank papers. Heads of departments were asked.\n"


def test_another_paper_of_the_same_name_has_its_own_passages(tree: Checkout) -> None:
    paper = tree.folder / "my.txt"
    config = tree.folder / "own.yaml"
    config.write_text(yaml.safe_dump({"claims": {"own_paper": "my.txt"}}))

    def passages() -> str:
        tree.snakemake("claim", *RESOURCES, more=config)
        return (tree.folder / "results/claims/reading/my/review.md").read_text()

    paper.write_text(HEAD_PAPER)
    assert "head 7.4 copies" in passages()

    replace(paper, RANKING_PAPER.encode())
    assert "ways to rank papers" in passages()

    # The first paper again, written in place and cut: the same inode, size and date.
    before = paper.stat()
    paper.write_text(HEAD_PAPER[: before.st_size])
    os.utime(paper, ns=(before.st_atime_ns, before.st_mtime_ns))
    after = paper.stat()

    assert after.st_size == before.st_size
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert "head 7.4 copies" in passages()


# A benchmark of two items, and a package with a detector of the user's own.
ITEMS = "id,question,answer\n{name}-1,How many stones are in box 1?,Seven.\n{name}-2,How many are in box 2?,Nine.\n"
DETECTOR = '''
"""A detector that gives every text the same score, the weight in weights.json."""

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
    benchmark = tree.folder / "my_benchmark.csv"
    benchmark.write_text(ITEMS.format(name="first"))

    # The model also reads RADAR's training prompts. A byte is a token, and some prompts have more
    # bytes than the default context of 64 tokens.
    monkeypatch.setattr(tiny_models, "CONTEXT_LENGTH", 512)
    weights = make_tiny_model("gpt2", tree.folder / "my-model") / "model.safetensors"
    with (tree.folder / "config/models.yaml").open("a") as models:
        models.write("\nmine:\n  kind: local\n  label: Mine\n  folder: my-model\n")

    package = tree.folder / "my_package"
    package.mkdir()
    (package / "__init__.py").write_text(DETECTOR)
    data = package / "weights.json"
    data.write_text('{"weight": 0.25}')

    suspected = {"items": "my_benchmark.csv", "model": "mine", "scores_only": True}
    config: dict[str, Any] = {
        "radar": {"suspected": {"own": suspected}, "detectors": ["my_package.MINE"]}
    }
    (tree.folder / "own.yaml").write_text(yaml.safe_dump(config))

    def scores() -> pd.DataFrame:
        """The scores of the items by the project's detectors and by the user's own detector."""
        built_in = "results/radar/suspected/own/scores.csv"
        own = "results/radar/suspected/own/own_scores.csv"
        tree.snakemake(built_in, own, *RESOURCES, more=tree.folder / "own.yaml")
        return pd.read_csv(tree.folder / built_in).merge(pd.read_csv(tree.folder / own), on="id")

    first = scores()
    assert first["id"].tolist() == ["first-1", "first-2"]
    assert first["mine"].tolist() == [0.25, 0.25]

    replace(benchmark, ITEMS.format(name="other").encode())
    other = scores()

    assert other["id"].tolist() == ["other-1", "other-2"]
    # Only the ids of the items differ, not their texts.
    assert other["loss"].tolist() == first["loss"].tolist()

    # Other weights, in a file of the same size and date.
    before = weights.stat()
    other_model = make_tiny_model("gpt2", tree.folder / "other-model", seed=1)
    replace(weights, (other_model / "model.safetensors").read_bytes(), before.st_mtime)
    after = weights.stat()

    assert (after.st_size, after.st_mtime) == (before.st_size, before.st_mtime)

    with_other_weights = scores()
    assert with_other_weights["loss"].tolist() != first["loss"].tolist()

    replace(data, b'{"weight": 0.75}')
    assert scores()["mine"].tolist() == [0.75, 0.75]
