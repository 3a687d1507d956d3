"""The folder of a user's model, and the folder that a source makes of a model."""

from pathlib import Path

import pytest

from tests.tiny_models import make_tiny_model


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Where to make the folder of the model `mine`, or a file; its parent does not exist yet."""
    return tmp_path / "models" / "mine"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a model, as `save_pretrained` writes it for a user."""
    return make_tiny_model("llama", tmp_path / "theirs")
