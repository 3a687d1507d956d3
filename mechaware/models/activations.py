"""The activations of a prompt set, and their folder of safetensors files, the shards."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from mechaware.errors import UserError

_METADATA = "mechaware"


class Activations(NamedTuple):
    """Activations of N prompts, packed along one axis of `total` tokens; prompt i owns the next `token_counts[i]`.

    The layer axis has one entry per block. `hidden_states[:, l]` is the residual stream after block l + 1, before the
    final norm. `attention_row_entropy` is the entropy, in nats, of each query's attention over keys. `confidence` (the
    largest probability, 0 to 1) and `entropy` (nats) are those of the logit lens at the last token: the final norm and
    the unembedding applied to the residual stream after each block.
    """

    token_counts: Int[torch.Tensor, " prompt"]
    hidden_states: Float[torch.Tensor, "total layer d_model"]
    attention_row_entropy: Float[torch.Tensor, "total layer head"]
    confidence: Float[torch.Tensor, "prompt layer"]
    entropy: Float[torch.Tensor, "prompt layer"]


class PromptActivations(NamedTuple):
    """The activations of one prompt of T tokens; quantities and units as in `Activations`."""

    hidden_states: Float[torch.Tensor, "token layer d_model"]
    attention_row_entropy: Float[torch.Tensor, "token layer head"]
    confidence: Float[torch.Tensor, " layer"]
    entropy: Float[torch.Tensor, " layer"]


def tensor_bytes(n_tokens: int, *, n_layers: int, d_model: int, n_heads: int) -> int:
    """The bytes of a prompt's tensors, float32 but for its length, int64.

    A token has d_model states and one attention entropy per head in each layer; a prompt has two numbers of the logit
    lens in each layer. A file has a header of names, shapes and prompt ids besides.
    """
    return 4 * n_layers * (n_tokens * (d_model + n_heads) + 2) + 8


def shard_ranges(sizes: Sequence[int], limit: int) -> list[range]:
    """Prompts of `sizes` bytes cut, in order, into as many as fit `limit` bytes; a larger prompt is alone."""
    starts, filled = [], limit
    for index, size in enumerate(sizes):
        if filled + size > limit:
            starts.append(index)
            filled = 0
        filled += size
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(sizes)], strict=True)]


def shard_name(number: int, count: int) -> str:
    """The file of shard `number` of `count`, from 1; names sort in the order of the prompts."""
    return f"{number:05}-of-{count:05}.safetensors"


def save_shard(
    tensors: Mapping[str, torch.Tensor], path: Path, *, prompt_ids: Sequence[str], description: dict[str, str]
) -> None:
    """Write the tensors of a shard with the prompts' ids and a `description` (model, revision, hashes) as metadata.

    The metadata is JSON under one key: safetensors writes several keys in another order in each process.
    """
    metadata = json.dumps({**description, "prompt_ids": list(prompt_ids)}, sort_keys=True)
    save_file(dict(tensors), path, metadata={_METADATA: metadata})


def read_prompt_ids(folder: Path) -> list[str]:
    """The ids of the prompts in a folder of shards, in order. Raises `UserError` for a damaged shard."""
    ids: list[str] = []
    for file in open_shards(folder):
        ids.extend(json.loads(file.metadata()[_METADATA])["prompt_ids"])
    return ids


def prompts_of_shard(file: Any) -> Iterator[PromptActivations]:
    """The prompts of an open shard of states, in order; memory holds one prompt, and the logit lens of the shard."""
    hidden_states = file.get_slice("hidden_states")
    row_entropy = file.get_slice("attention_row_entropy")
    confidence, entropy = file.get_tensor("confidence"), file.get_tensor("entropy")
    end = 0
    for index, count in enumerate(file.get_tensor("token_counts").tolist()):
        start, end = end, end + count
        yield PromptActivations(hidden_states[start:end], row_entropy[start:end], confidence[index], entropy[index])


def open_shards(folder: Path) -> Iterator[Any]:
    """The shards of a folder in order, each open until the next is asked for. Raises `UserError` for a damaged one."""
    for path in sorted(folder.glob("*.safetensors")):
        try:
            opened = safe_open(path, "pt")
        except SafetensorError as error:
            raise UserError(f"{path}: damaged safetensors ({error}); delete {folder} and run again") from error
        with opened as file:
            yield file


def split_prompts(activations: Activations) -> Iterator[PromptActivations]:
    """The prompts of activations in memory, in order."""
    counts = activations.token_counts.tolist()
    yield from map(
        PromptActivations,
        torch.split(activations.hidden_states, counts),
        torch.split(activations.attention_row_entropy, counts),
        activations.confidence,
        activations.entropy,
    )
