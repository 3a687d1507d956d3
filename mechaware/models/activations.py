"""The activations of a prompt set, and their safetensors file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from safetensors import safe_open
from safetensors.torch import save_file

from mechaware.files import replacing

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


def save_activations(
    activations: Activations, path: Path, *, prompt_ids: list[str], description: dict[str, str]
) -> None:
    """Write `activations` with the prompts' ids and a `description` (model, revision, hashes) as metadata.

    The metadata is JSON under one key: safetensors writes several keys in another order in each process.
    """
    metadata = json.dumps({**description, "prompt_ids": prompt_ids}, sort_keys=True)
    with replacing(path) as partial:
        save_file(activations._asdict(), partial, metadata={_METADATA: metadata})


def read_prompt_ids(path: Path) -> list[str]:
    """The ids of the prompts in a file of activations, in order."""
    with safe_open(path, "pt") as file:
        ids: list[str] = json.loads(file.metadata()[_METADATA])["prompt_ids"]
    return ids


def iterate_prompts(path: Path) -> Iterator[PromptActivations]:
    """The prompts of a file, in order; memory holds one prompt at a time, and the logit lens of all."""
    with safe_open(path, "pt") as file:
        hidden_states = file.get_slice("hidden_states")
        row_entropy = file.get_slice("attention_row_entropy")
        confidence, entropy = file.get_tensor("confidence"), file.get_tensor("entropy")
        end = 0
        for index, count in enumerate(file.get_tensor("token_counts").tolist()):
            start, end = end, end + count
            yield PromptActivations(hidden_states[start:end], row_entropy[start:end], confidence[index], entropy[index])


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
