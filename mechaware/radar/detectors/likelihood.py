"""Detectors that read the log-probabilities of a text's tokens: a model predicts better what it was trained on."""

import zlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.detector import Detector, measured
from mechaware.radar.evidence.evidence import Evidence

LOWEST_SHARE = 0.2  # k of Min-K% and Min-K%++: the 20% of tokens with the lowest values
LEAST_LOSS = 1e-6  # nats per token; float32 gives tokens of probability 1 - 1e-8 a loss of exactly 0


def mean_log_probs(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """LL(x), the mean of log p(x_t | x_<t) over the scored tokens of each text, in nats."""
    return np.array([text.log_probs.mean(dtype=float) for text in scores])


def mean_losses(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """-LL(x) in nats per token, at least `LEAST_LOSS`, so that ratios of losses are finite for a memorised text."""
    return np.asarray(np.maximum(-mean_log_probs(scores), LEAST_LOSS))


def score_loss(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) = mean_t log p(x_t | x_<t): the negative of the training loss (Yeom et al. 2018, arXiv:1709.01604).

    Trap: easy texts have a low loss under every model, seen or not.
    """
    return mean_log_probs(evidence.scores)


def score_zlib(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) / zlib(x): log-perplexity over the compressed size in bytes (Carlini et al. 2021, arXiv:2012.07805).

    Trap: LL is a mean over tokens and the size a total, as in Carlini et al., so long texts score higher.
    """
    sizes = np.array([len(zlib.compress(text.encode())) for text in evidence.texts])
    return np.asarray(mean_log_probs(evidence.scores) / sizes)


def score_lowercase(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """-LL(x) / LL(lower(x)): minus the ratio of the losses of the text and the lowercased text (Carlini et al. 2021).

    From -infinity to 0; a seen text has a low loss that depends on its case. Trap: a text without capitals scores -1
    under every model. The lowercased text has tokens of its own, so the losses are means over other numbers of tokens.
    """
    return np.asarray(-mean_losses(evidence.scores) / mean_losses(measured(evidence.lowercase)))


def score_min_k(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K% Prob: the mean of the 20% lowest log p(x_t | x_<t) (Shi et al. 2024, arXiv:2310.16789).

    Trap: the number of tokens is rounded down, and short texts would have none; at least one is taken.
    """
    return np.array([_mean_of_lowest(text.log_probs) for text in evidence.scores])


def score_min_k_plus_plus(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K%++: the mean of the 20% lowest (log p(x_t | x_<t) - mu_t) / sigma_t (Zhang et al. 2024, arXiv:2404.02936).

    mu_t and sigma_t are the mean and standard deviation of log p(z | x_<t) with z drawn from p. Trap: sigma is the
    standard deviation, not the variance. Where all tokens are equally likely it is 0, every token lies at the mean, and
    the value is defined as 0.
    """
    return np.array([_mean_of_lowest(_standardised(text)) for text in evidence.scores])


def _standardised(text: TokenScores) -> Float[np.ndarray, " token"]:
    above_mean = np.asarray(text.log_probs - text.means, dtype=float)
    return np.asarray(np.divide(above_mean, text.deviations, out=np.zeros_like(above_mean), where=text.deviations > 0))


def _mean_of_lowest(values: Float[np.ndarray, " token"]) -> float:
    count = max(1, int(len(values) * LOWEST_SHARE))
    return float(np.sort(values)[:count].mean(dtype=float))


LOSS = Detector("loss", "loss", "Yeom et al. 2018", (), score_loss)
ZLIB = Detector("zlib", "zlib", "Carlini et al. 2021", (), score_zlib)
LOWERCASE = Detector("lowercase", "lowercase", "Carlini et al. 2021", ("lowercase",), score_lowercase)
MIN_K = Detector("min_k", "Min-K%", "Shi et al. 2024", (), score_min_k)
MIN_K_PLUS_PLUS = Detector("min_k_plus_plus", "Min-K%++", "Zhang et al. 2024", (), score_min_k_plus_plus)
