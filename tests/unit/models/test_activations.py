"""A prompt set in shards: their sizes by hand, and the numbers of one capture of all prompts."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.activations import (
    PromptActivations,
    _open_shards,
    _prompts_of_shard,
    iterate_summaries,
    read_prompt_ids,
    split_prompts,
    summarise,
)
from mechaware.models.capture import Kept, capture, capture_shards
from mechaware.models.registry import load_model
from mechaware.models.summaries import PromptSummary
from tests.tiny_models import HEADS, WIDTH, make_tiny_model

LENGTHS = (3, 17, 1, 9, 9, 30, 2)
NAMES = ["é-3", "b-17", "c-1", "d-9", "e-9", "f-30", "g-2"]
# A token of the tiny models has 3 layers x (32 states + 4 heads) x 4 bytes = 432 bytes. A prompt
# has 3 layers x 2 numbers x 4 bytes = 24 bytes of the logit lens and 8 bytes of its length besides:
# 1328, 7376, 464, 3920, 3920, 12992 and 896 bytes.
LIMIT = 7840  # bytes: the second and the third shard fill it


class Shard(NamedTuple):
    """The ids of a shard's prompts, and the bytes of its tensors."""

    prompt_ids: list[str]
    n_bytes: int


SHARDS = {
    "00001-of-00005.safetensors": Shard(["é-3"], 1328),  # with the next prompt 8704 bytes
    "00002-of-00005.safetensors": Shard(["b-17", "c-1"], 7840),
    "00003-of-00005.safetensors": Shard(["d-9", "e-9"], 7840),
    "00004-of-00005.safetensors": Shard(["f-30"], 12992),  # more than the limit: alone
    "00005-of-00005.safetensors": Shard(["g-2"], 896),
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> PreTrainedModel:
    return load_model(make_tiny_model("gpt2", tmp_path_factory.mktemp("gpt2")), torch.device("cpu"))


@pytest.fixture(scope="module")
def prompts(model: PreTrainedModel) -> list[list[int]]:
    generator = torch.Generator().manual_seed(5)
    drawn = []
    for length in LENGTHS:
        ids = torch.randint(model.config.vocab_size, (length,), generator=generator)
        drawn.append(ids.tolist())
    return drawn


def capture_into(
    folder: Path,
    model: PreTrainedModel,
    prompts: list[list[int]],
    *,
    limit: int = LIMIT,
    keep: Kept = "states",
) -> Path:
    """Capture the prompts into shards of at most `limit` bytes; returns `folder`."""
    capture_shards(
        model,
        prompts,
        folder,
        prompt_ids=NAMES,
        description={"model": "tiny"},
        # One prompt in a pass, whatever shard it is in, so that numbers are equal to the bit.
        tokens_per_batch=1,
        shard_bytes=limit,
        keep=keep,
    )
    return folder


@pytest.fixture(scope="module")
def shards(
    model: PreTrainedModel, prompts: list[list[int]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return capture_into(tmp_path_factory.mktemp("activations") / "set", model, prompts)


def tensors_start(content: bytes) -> int:
    """Where a safetensors file's tensors begin.

    The first 8 bytes are the length of the header, which follows them.
    """
    return 8 + int.from_bytes(content[:8], "little")


def test_shards_hold_what_fits_the_limit_in_the_order_of_the_prompts(shards: Path) -> None:
    assert (HEADS, WIDTH) == (4, 32)  # the sizes in `SHARDS` count on them
    stored = {}
    for path in shards.iterdir():
        content = path.read_bytes()
        start = tensors_start(content)
        header = json.loads(content[8:start])
        metadata = json.loads(header["__metadata__"]["mechaware"])
        assert metadata["model"] == "tiny"
        stored[path.name] = Shard(metadata["prompt_ids"], len(content) - start)
    assert stored == SHARDS


def prompts_in(folder: Path) -> list[PromptActivations]:
    """The activations in all shards of a folder."""
    prompts: list[PromptActivations] = []
    for file in _open_shards(folder):
        prompts += _prompts_of_shard(file)
    return prompts


def flat(summary: PromptSummary) -> list[Any]:
    """All numbers of a summary, arrays as lists."""
    flattened: list[Any] = [summary.n_tokens]
    for array in (summary.confidence, summary.entropy, summary.attention_entropy, *summary.states):
        flattened.append(array.tolist())
    return flattened


def test_shards_of_states_hold_the_numbers_of_one_capture_to_the_bit(
    shards: Path, model: PreTrainedModel, prompts: list[list[int]]
) -> None:
    captured = split_prompts(capture(model, prompts, tokens_per_batch=1))
    for stored, expected in zip(prompts_in(shards), captured, strict=True):
        for name, tensor in expected._asdict().items():
            assert torch.equal(getattr(stored, name), tensor), name
    assert read_prompt_ids(shards) == NAMES


def test_shards_of_summaries_hold_what_shards_of_states_are_reduced_to(
    shards: Path, tmp_path: Path, model: PreTrainedModel, prompts: list[list[int]]
) -> None:
    """The same prompts in each shard, the same ids, and the same numbers to the bit."""
    summaries = capture_into(tmp_path / "set", model, prompts, keep="summaries")
    assert [path.name for path in sorted(summaries.iterdir())] == list(SHARDS)
    assert read_prompt_ids(summaries) == NAMES
    expected = [flat(summarise(prompt)) for prompt in prompts_in(shards)]
    assert [flat(summary) for summary in iterate_summaries(summaries)] == expected
    assert [flat(summary) for summary in iterate_summaries(shards)] == expected

    # Of each of two prompts: 3 layers x (2 numbers of the logit lens + 4 heads + 3 numbers of the
    # states) x 8 bytes, and 8 bytes of its length.
    content = (summaries / "00002-of-00005.safetensors").read_bytes()
    assert len(content) - tensors_start(content) == 2 * (3 * (2 + 4 + 3) * 8 + 8)


def test_a_prompt_set_within_the_limit_is_one_shard(
    tmp_path: Path, model: PreTrainedModel, prompts: list[list[int]]
) -> None:
    total = sum(shard.n_bytes for shard in SHARDS.values())
    whole = capture_into(tmp_path / "whole", model, prompts, limit=total)
    assert [path.name for path in whole.iterdir()] == ["00001-of-00001.safetensors"]
    cut = capture_into(tmp_path / "cut", model, prompts, limit=total - 1)
    assert len(list(cut.iterdir())) == 2


def test_a_shard_that_was_cut_short_is_refused_by_name(
    tmp_path: Path, model: PreTrainedModel, prompts: list[list[int]]
) -> None:
    folder = capture_into(tmp_path / "set", model, prompts)
    damaged = folder / "00003-of-00005.safetensors"
    damaged.write_bytes(damaged.read_bytes()[:-1])
    for read in (read_prompt_ids, iterate_summaries):
        with pytest.raises(
            UserError,
            match=rf"^{damaged}: damaged safetensors \(.*\); delete {folder} and run again$",
        ):
            list(read(folder))
