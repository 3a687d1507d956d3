"""A killed training continues from its last whole checkpoint, and ends with the same weights."""

import re
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from mechaware.models import registry
from mechaware.planted.sql.checkpoints import FINGERPRINTS, last_whole_checkpoint
from mechaware.planted.sql.training import Recipe
from tests.unit.planted.sql.small_study import RECIPE, Study, train_study, weights_hash


@pytest.mark.gate
def test_a_killed_run_goes_on_to_the_same_weights_and_history(study: Study, tmp_path: Path) -> None:
    recipe = replace(RECIPE, steps=60)
    train_study(study, tmp_path / "whole", tmp_path / "unused", recipe=recipe)

    killed = get_context("fork").Process(
        target=train_study,
        args=(study, tmp_path / "killed", tmp_path / "checkpoints"),
        kwargs={"recipe": recipe},
    )
    killed.start()
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("checkpoints/*/checkpoint-*/fingerprints.json")):
        assert killed.is_alive(), "ended before its first checkpoint"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    killed.kill()
    killed.join()
    assert killed.exitcode == -signal.SIGKILL
    assert not (tmp_path / "killed").exists()

    train_study(study, tmp_path / "killed", tmp_path / "checkpoints", recipe=recipe)
    assert weights_hash(tmp_path / "killed") == weights_hash(tmp_path / "whole")
    history = pd.read_csv(tmp_path / "killed/history.csv")
    assert history.equals(pd.read_csv(tmp_path / "whole/history.csv"))
    assert history["step"].tolist() == list(range(4, 61, 4))
    assert not (tmp_path / "checkpoints").exists()


def fail_to_write_the_model(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch, *, recipe: Recipe = RECIPE
) -> None:
    """Train to the last step, and fail when the model is written: the checkpoints are kept.

    They are in `checkpoints` below `folder`; the model would be in `model`.
    """
    with monkeypatch.context() as patch:
        patch.setattr(registry, "write_manifest", Mock(side_effect=OSError("full")))
        with pytest.raises(OSError, match="full"):
            train_study(study, folder / "model", folder / "checkpoints", recipe=recipe)
    assert not (folder / "model").exists()


def cut_by_a_full_disk(checkpoint: Path) -> None:
    """All files end after 100 bytes, and the fingerprints, which are written last, are missing."""
    for path in checkpoint.iterdir():
        path.write_bytes(path.read_bytes()[:100])
    (checkpoint / FINGERPRINTS).unlink()


def flip_a_bit_of_the_weights(checkpoint: Path) -> None:
    """In the last number: the file loads as before."""
    weights = checkpoint / "model.safetensors"
    stored = bytearray(weights.read_bytes())
    stored[-1] ^= 1
    weights.write_bytes(stored)


@pytest.mark.gate
@pytest.mark.parametrize("damage", [cut_by_a_full_disk, flip_a_bit_of_the_weights])
def test_a_damaged_checkpoint_is_passed_over(
    study: Study,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
) -> None:
    train_study(study, tmp_path / "whole", tmp_path / "unused")
    fail_to_write_the_model(study, tmp_path, monkeypatch)
    checkpoints = sorted(
        tmp_path.glob("checkpoints/*/checkpoint-*"), key=lambda path: int(path.name.split("-")[1])
    )
    # The Trainer keeps two checkpoints.
    earlier, last = checkpoints
    after_the_end = RECIPE.steps + 1
    damage(last)
    assert last_whole_checkpoint(last.parent, after_the_end) == str(earlier)

    capfd.readouterr()  # what was shown so far
    fail_to_write_the_model(study, tmp_path, monkeypatch)
    # The progress bar shows the step as `4/12`, each time that it is drawn.
    shown_steps = re.findall(rf"\b(\d+)/{RECIPE.steps} ", capfd.readouterr().err)
    assert f"checkpoint-{shown_steps[0]}" == earlier.name
    assert int(shown_steps[-1]) == RECIPE.steps
    # The damaged checkpoint was written again.
    assert last_whole_checkpoint(last.parent, after_the_end) == str(last)

    train_study(study, tmp_path / "model", tmp_path / "checkpoints")
    assert weights_hash(tmp_path / "model") == weights_hash(tmp_path / "whole")


@pytest.mark.gate
def test_the_checkpoints_of_another_recipe_are_not_gone_on_from(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_study(study, tmp_path / "alone", tmp_path / "unused")
    other_recipe = replace(RECIPE, learning_rate=1e-2)
    fail_to_write_the_model(study, tmp_path, monkeypatch, recipe=other_recipe)
    assert list(tmp_path.glob("checkpoints/*/checkpoint-12"))
    train_study(study, tmp_path / "after", tmp_path / "checkpoints")
    assert weights_hash(tmp_path / "after") == weights_hash(tmp_path / "alone")
