"""Summaries of a model's pass over a text: activations by layer and head, logits token by token.

This module needs only NumPy, so that features and detectors can read the summaries without torch.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

Trajectory = Float[np.ndarray, " layer"]


class StateSummary(NamedTuple):
    """Three numbers for each layer's matrix of residual states, tokens x dimensions (our definitions, after D.2).

    - `norm`: n_l, the mean over tokens of the L2 norm.
    - `variance`: v_l, the population variance over all tokens and dimensions.
    - `rank`: r_l, the effective rank: exp of the entropy of the singular values scaled to sum 1. It is between 1 and
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


class TokenScores(NamedTuple):
    """Consecutive tokens x_t of a text under one model, each with a context. Log-probabilities are in nats.

    - `ids`: the tokens x_t.
    - `log_probs`: log p(x_t | x_<t).
    - `means`, `deviations`: mean and standard deviation of log p(z | x_<t) for z drawn from p.
    - `best`: the log-probability of the most likely token.
    """

    ids: Int[np.ndarray, " token"]
    log_probs: Float[np.ndarray, " token"]
    means: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]
    best: Float[np.ndarray, " token"]


def summarise_states(hidden_states: Float[np.ndarray, "token layer d_model"]) -> StateSummary:
    """n_l, v_l and r_l of every layer, in float64.

    Singular values below 1e-8 of the largest are rounding noise, so the rank of an exactly rank-deficient state is off
    by up to 1e-5; a model's states are not exactly rank-deficient. A layer whose states overflow has no rank (NaN).
    """
    states = hidden_states.astype(np.float64).swapaxes(0, 1)
    n_layers, n_tokens, d_model = states.shape
    # The squared singular values are the eigenvalues of the smaller Gram matrix: several times faster than an SVD.
    transposed = states.swapaxes(1, 2)
    gram = states @ transposed if n_tokens <= d_model else transposed @ states
    finite = np.asarray(np.isfinite(gram).all(axis=(1, 2)))
    singular = np.sqrt(np.linalg.eigvalsh(np.where(finite[:, None, None], gram, 1.0)).clip(min=0))
    share = singular / singular.sum(axis=1, keepdims=True)
    log_share = np.log(share, out=np.zeros_like(share), where=share > 0)
    effective_rank = np.exp(-(share * log_share).sum(axis=1))
    return StateSummary(
        norm=np.linalg.norm(states, axis=2).mean(axis=1),
        variance=states.reshape(n_layers, -1).var(axis=1),
        rank=np.where(finite, effective_rank, np.nan),
    )
