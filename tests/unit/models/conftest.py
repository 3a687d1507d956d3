"""Small random models of all families, for the tests of patching."""

from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.families.supported import FAMILIES
from mechaware.models.registry import load_model
from tests.tiny_models import FAMILIES_IN_TURN, make_tiny_model
from tests.unit.models.patching.naive_patching import N_LAYERS


def load(folder: Path) -> PreTrainedModel:
    """The model of a folder on the CPU, with settings by default."""
    return load_model(folder, torch.device("cpu"))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A tiny model of each family."""
    made = {}
    for family in FAMILIES:
        made[family] = make_tiny_model(family, tmp_path_factory.mktemp(family), n_layers=N_LAYERS)
    return made


@pytest.fixture(scope="module", params=FAMILIES_IN_TURN)
def tiny(request: pytest.FixtureRequest, folders: dict[str, Path]) -> PreTrainedModel:
    return load(folders[request.param])


@pytest.fixture
def gpt2(folders: dict[str, Path]) -> PreTrainedModel:
    return load(folders["gpt2"])
