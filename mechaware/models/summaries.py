"""What RADAR reads of a prompt's activations: a few numbers for each layer and head, whatever the prompt's length."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int

from mechaware.models.activations import PromptActivations, open_shards, prompts_of_shard

Trajectory = Float[np.ndarray, " layer"]


class StateSummary(NamedTuple):
    """Three numbers for each layer's matrix of residual states, tokens x dimensions (our definitions, after D.2).

    `norm`: n_l, the mean over tokens of the L2 norm. `variance`: v_l, the population variance over all tokens and
    dimensions. `rank`: r_l, the effective rank, exp of the entropy of the singular values scaled to sum 1; from 1 to
    min(tokens, dimensions).
    """

    norm: Trajectory
    variance: Trajectory
    rank: Trajectory


class PromptSummary(NamedTuple):
    """One prompt of `n_tokens` tokens, in float64: quantities as in `Activations`, reduced over its tokens.

    `attention_entropy` is the sum over queries of the entropies of a head's attention rows, in nats.
    """

    n_tokens: int
    confidence: Trajectory
    entropy: Trajectory
    attention_entropy: Float[np.ndarray, "layer head"]
    states: StateSummary


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


def summarise_states(hidden_states: Float[np.ndarray, "token layer d_model"]) -> StateSummary:
    """n_l, v_l and r_l of every layer, in float64.

    Singular values below 1e-8 of the largest are rounding noise, so the rank of an exactly rank-deficient state is off
    by up to 1e-5; a model's states are not exactly rank-deficient.
    """
    states = hidden_states.astype(np.float64).swapaxes(0, 1)
    n_layers, n_tokens, d_model = states.shape
    # The squared singular values are the eigenvalues of the smaller Gram matrix: several times faster than an SVD.
    gram = states @ states.swapaxes(1, 2) if n_tokens <= d_model else states.swapaxes(1, 2) @ states
    singular = np.sqrt(np.linalg.eigvalsh(gram).clip(min=0))
    share = singular / singular.sum(axis=1, keepdims=True)
    log_share = np.log(share, out=np.zeros_like(share), where=share > 0)
    return StateSummary(
        norm=np.linalg.norm(states, axis=2).mean(axis=1),
        variance=states.reshape(n_layers, -1).var(axis=1),
        rank=np.exp(-(share * log_share).sum(axis=1)),
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
