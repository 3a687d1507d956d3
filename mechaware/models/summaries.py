"""Summaries of a model's pass over a text: activations by layer and head, logits token by token.

This module needs only NumPy, so that features and detectors can read the summaries without torch.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

Trajectory = Float[np.ndarray, " layer"]


class StateSummary(NamedTuple):
    """Three numbers for each layer's matrix of residual states, tokens x dimensions.

    Appendix D.2 of the RADAR paper names the quantities; the definitions are ours.

    - `norm`: n_l, the mean over tokens of the L2 norm.
    - `variance`: v_l, the population variance over all tokens and dimensions.
    - `rank`: r_l = exp(-sum_i p_i log p_i), the effective rank, where p_i = s_i / sum_j s_j and s_i
      are the singular values. It is between 1 and min(tokens, dimensions).
    """

    norm: Trajectory
    variance: Trajectory
    rank: Trajectory


class PromptSummary(NamedTuple):
    """The quantities of `Activations` for one prompt, in float64, without an axis of tokens.

    - `n_tokens`: the tokens of the prompt.
    - `confidence`, `entropy`: the logit lens at the prompt's last token, after each layer: the
      highest probability, and the entropy in nats.
    - `attention_entropy`: the sum over queries of the entropies of a head's attention rows, in
      nats.
    - `states`: summaries of the residual states of all tokens.
    """

    n_tokens: int
    confidence: Trajectory
    entropy: Trajectory
    attention_entropy: Float[np.ndarray, "layer head"]
    states: StateSummary


class TokenScores(NamedTuple):
    """Consecutive tokens x_t of a text under one model, each after at least one token.

    p is the model's distribution of token t after the tokens before it; log-probabilities are in
    nats.

    - `ids`: the tokens x_t.
    - `log_probs`: log p(x_t | x_<t).
    - `means`, `deviations`: mean and standard deviation of log p(z | x_<t) for z drawn from p.
    - `best`: max_z log p(z | x_<t).
    """

    ids: Int[np.ndarray, " token"]
    log_probs: Float[np.ndarray, " token"]
    means: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]
    best: Float[np.ndarray, " token"]


def summarise_states(hidden_states: Float[np.ndarray, "token layer d_model"]) -> StateSummary:
    """n_l, v_l and r_l of every layer, in float64 (`StateSummary`).

    Singular values below 1e-8 of the largest are rounding noise, so the rank of an exactly
    rank-deficient matrix is off by up to 1e-5; a model's states are not exactly rank-deficient. A
    layer whose states overflow has no rank (NaN).
    """
    states = hidden_states.astype(np.float64).swapaxes(0, 1)  # layer, token, d_model
    n_layers, n_tokens, d_model = states.shape
    # The squared singular values are the eigenvalues of the smaller Gram matrix: several times
    # faster than an SVD.
    transposed = states.swapaxes(1, 2)
    gram = states @ transposed if n_tokens <= d_model else transposed @ states
    is_finite = np.asarray(np.isfinite(gram).all(axis=(1, 2)))
    # eigvalsh needs finite numbers: a layer without them gets a matrix of ones, and no rank below.
    finite_gram = np.where(is_finite[:, None, None], gram, 1.0)
    singular_values = np.sqrt(np.linalg.eigvalsh(finite_gram).clip(min=0))
    shares = singular_values / singular_values.sum(axis=1, keepdims=True)
    # p log p = 0 for p = 0.
    log_shares = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    effective_rank = np.exp(-(shares * log_shares).sum(axis=1))
    return StateSummary(
        norm=np.linalg.norm(states, axis=2).mean(axis=1),
        variance=states.reshape(n_layers, -1).var(axis=1),
        rank=np.where(is_finite, effective_rank, np.nan),
    )
