"""Code that comes with a model is never run."""

import json
from pathlib import Path

import pytest
import torch

from mechaware.core.errors import UserError
from mechaware.models.registry import load_model
from mechaware.models.sources import link_local_model

CPU = torch.device("cpu")


@pytest.fixture
def marker(folder: Path, tmp_path: Path) -> Path:
    """The path of a file that appears if anything imports the code in `folder`."""
    marker = tmp_path / "the code was run"
    (folder / "own.py").write_text(f"from pathlib import Path\n\nPath({str(marker)!r}).touch()\n")
    return marker


def update(path: Path, **entries: object) -> None:
    """Set entries of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


OWN_MODEL = {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}
OWN_TOKENIZER = {"AutoTokenizer": ["own.OwnTokenizer", "own.OwnTokenizer"]}


def test_a_model_that_needs_its_own_code_is_refused_and_not_run(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "config.json", model_type="own", auto_map=OWN_MODEL)

    with pytest.raises(UserError) as linked:
        link_local_model(folder, out, name="mine")
    assert str(linked.value).startswith(str(folder))

    with pytest.raises(UserError) as loaded:
        load_model(folder, CPU)
    assert str(loaded.value).startswith(str(folder))
    assert not marker.exists()


def test_a_known_family_is_run_by_transformers_code_and_not_by_its_own(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "config.json", auto_map=OWN_MODEL)

    link_local_model(folder, out, name="mine")

    assert type(load_model(out, CPU)).__module__ == "transformers.models.llama.modeling_llama"
    assert not marker.exists()


def test_a_tokenizer_that_needs_its_own_code_is_refused_and_not_run(
    folder: Path, marker: Path, out: Path
) -> None:
    update(folder / "tokenizer_config.json", tokenizer_class="OwnTokenizer", auto_map=OWN_TOKENIZER)

    with pytest.raises(UserError) as raised:
        link_local_model(folder, out, name="mine")

    assert str(raised.value).startswith(str(folder))
    assert not out.exists()
    assert not marker.exists()
