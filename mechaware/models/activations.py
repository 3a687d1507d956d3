"""The activations of a prompt set or their summaries,
in memory and as a folder of safetensors files, the shards.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from mechaware.core.errors import UserError
from mechaware.models.summaries import PromptSummary, StateSummary, summarise_states

_METADATA = "mechaware"


class Activations(NamedTuple):
    """Activations of N prompts. The layer axis has one entry per block; the axis `total` has the
    tokens of all prompts.

    - `token_counts`: the numbers of tokens; prompt i has the next `token_counts[i]` entries of the
      token axis.
    - `hidden_states[:, l]`: the residual stream after block l + 1, before the final norm.
    - `attention_row_entropy`: the entropy, in nats, of each query's attention over keys.
    - `confidence`, `entropy`: the largest probability, 0 to 1, and the entropy, in nats, of the
      logit lens at the last token: the final norm and the unembedding applied to the residual
      stream after each block.
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


class Summaries(NamedTuple):
    """The summaries of N prompts in one shard: names as in `PromptSummary` and `StateSummary`."""

    token_counts: Int[torch.Tensor, " prompt"]
    confidence: Float[torch.Tensor, "prompt layer"]
    entropy: Float[torch.Tensor, "prompt layer"]
    attention_entropy: Float[torch.Tensor, "prompt layer head"]
    norm: Float[torch.Tensor, "prompt layer"]
    variance: Float[torch.Tensor, "prompt layer"]
    rank: Float[torch.Tensor, "prompt layer"]


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


def summarise(prompt: PromptActivations) -> PromptSummary:
    """The summary of one prompt's activations."""
    return PromptSummary(
        n_tokens=len(prompt.hidden_states),
        confidence=prompt.confidence.double().numpy(),
        entropy=prompt.entropy.double().numpy(),
        attention_entropy=prompt.attention_row_entropy.double().numpy().sum(axis=0),
        states=summarise_states(prompt.hidden_states.numpy()),
    )


def pack(prompts: Iterable[PromptSummary]) -> Summaries:
    """The summaries of several prompts as tensors, in order."""
    summaries = list(prompts)

    def stack(arrays: Iterable[np.ndarray]) -> torch.Tensor:
        return torch.from_numpy(np.stack(list(arrays)))

    return Summaries(
        token_counts=torch.tensor([prompt.n_tokens for prompt in summaries]),
        confidence=stack(prompt.confidence for prompt in summaries),
        entropy=stack(prompt.entropy for prompt in summaries),
        attention_entropy=stack(prompt.attention_entropy for prompt in summaries),
        norm=stack(prompt.states.norm for prompt in summaries),
        variance=stack(prompt.states.variance for prompt in summaries),
        rank=stack(prompt.states.rank for prompt in summaries),
    )


def save_shard(
    tensors: Mapping[str, torch.Tensor],
    path: Path,
    *,
    prompt_ids: Sequence[str],
    description: dict[str, str],
) -> None:
    """Write the tensors of a shard with the prompts' ids and a `description` (model, revision,
    hashes) as metadata.

    The metadata is JSON under one key, since the order in which safetensors writes several keys
    varies by process.
    """
    metadata = json.dumps({**description, "prompt_ids": list(prompt_ids)}, sort_keys=True)
    save_file(dict(tensors), path, metadata={_METADATA: metadata})


def read_prompt_ids(folder: Path) -> list[str]:
    """The ids of the prompts in a folder of shards, in order.

    Raises `UserError` for a damaged shard.
    """
    ids: list[str] = []
    for file in _open_shards(folder):
        ids.extend(json.loads(file.metadata()[_METADATA])["prompt_ids"])
    return ids


def iterate_summaries(folder: Path) -> Iterator[PromptSummary]:
    """The summaries of the prompts in a folder of shards, in order, whether the shards keep
    summaries or states.

    Raises `UserError` for a damaged shard.
    """
    for file in _open_shards(folder):
        if "hidden_states" in file.keys():  # noqa: SIM118 - a file of safetensors is no mapping
            yield from map(summarise, _prompts_of_shard(file))
        else:
            yield from _summaries_of_shard(file)


def _open_shards(folder: Path) -> Iterator[Any]:
    """The shards of a folder in order, each open until the next one is.

    Raises `UserError` for a damaged shard.
    """
    for path in sorted(folder.glob("*.safetensors")):
        try:
            opened = safe_open(path, "pt")
        except SafetensorError as error:
            raise UserError(
                f"{path}: damaged safetensors ({error}); delete {folder} and run again"
            ) from error
        with opened as file:
            yield file


def _prompts_of_shard(file: Any) -> Iterator[PromptActivations]:
    """The prompts of an open shard of states, in order.

    Memory holds one prompt and the shard's logit lens.
    """
    hidden_states = file.get_slice("hidden_states")
    row_entropy = file.get_slice("attention_row_entropy")
    confidence = file.get_tensor("confidence")
    entropy = file.get_tensor("entropy")
    start = 0
    for index, count in enumerate(file.get_tensor("token_counts").tolist()):
        end = start + count
        yield PromptActivations(
            hidden_states[start:end], row_entropy[start:end], confidence[index], entropy[index]
        )
        start = end


def _summaries_of_shard(file: Any) -> Iterator[PromptSummary]:
    """The summaries in an open shard of summaries, one for each prompt, in order."""
    arrays = {name: file.get_tensor(name).numpy() for name in Summaries._fields}
    for index, n_tokens in enumerate(arrays["token_counts"].tolist()):
        yield PromptSummary(
            n_tokens=n_tokens,
            confidence=arrays["confidence"][index],
            entropy=arrays["entropy"][index],
            attention_entropy=arrays["attention_entropy"][index],
            states=StateSummary(
                norm=arrays["norm"][index],
                variance=arrays["variance"][index],
                rank=arrays["rank"][index],
            ),
        )
