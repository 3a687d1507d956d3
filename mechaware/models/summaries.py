"""The summaries of prompts, from their activations, and the shards that hold them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int

from mechaware.models.activations import PromptActivations, open_shards, prompts_of_shard
from mechaware.models.prompt_summary import PromptSummary, StateSummary, summarise_states


class Summaries(NamedTuple):
    """The summaries of N prompts as one shard holds them: names as in `PromptSummary` and `StateSummary`."""

    token_counts: Int[torch.Tensor, " prompt"]
    confidence: Float[torch.Tensor, "prompt layer"]
    entropy: Float[torch.Tensor, "prompt layer"]
    attention_entropy: Float[torch.Tensor, "prompt layer head"]
    norm: Float[torch.Tensor, "prompt layer"]
    variance: Float[torch.Tensor, "prompt layer"]
    rank: Float[torch.Tensor, "prompt layer"]


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
    counts, confidence, entropy, attention, states = zip(*prompts, strict=True)
    arrays = (confidence, entropy, attention, *zip(*states, strict=True))
    return Summaries(torch.tensor(counts), *(torch.from_numpy(np.stack(array)) for array in arrays))


def iterate_summaries(folder: Path) -> Iterator[PromptSummary]:
    """The summaries of the prompts in a folder of shards, in order, whether it keeps these or all states.

    Raises `UserError` for a damaged shard.
    """
    for file in open_shards(folder):
        if "hidden_states" in file.keys():  # noqa: SIM118 - a file of safetensors is no mapping
            yield from map(summarise, prompts_of_shard(file))
        else:
            yield from _summaries_of_shard(file)


def _summaries_of_shard(file: Any) -> Iterator[PromptSummary]:
    held = Summaries(*map(file.get_tensor, Summaries._fields))
    arrays = [tensor.numpy() for tensor in held[1:]]
    for n_tokens, confidence, entropy, attention, *states in zip(held.token_counts.tolist(), *arrays, strict=True):
        yield PromptSummary(n_tokens, confidence, entropy, attention, StateSummary(*states))
