"""Scores of the tokens of a text under a model: log-probabilities, and their spread over the vocabulary."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int


class TokenScores(NamedTuple):
    """Some consecutive tokens x_t of a text under one model, each with a context. In nats.

    `log_probs`: log p(x_t | x_<t). `means` and `deviations`: mean and standard deviation of log p(z | x_<t) with z
    drawn from p. `best`: the log-probability of the most likely token. `ids`: the tokens x_t.
    """

    ids: Int[np.ndarray, " token"]
    log_probs: Float[np.ndarray, " token"]
    means: Float[np.ndarray, " token"]
    deviations: Float[np.ndarray, " token"]
    best: Float[np.ndarray, " token"]
