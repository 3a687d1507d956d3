"""Detectors that read log-probabilities of a text's tokens: a model predicts better what it was trained on.

Some read these alone; others compare them with a reference model's, with those after a prefix, or with the frequencies
of the tokens in a corpus.

Trap of the three with a reference: it must not have been trained on any of the items. A reference that was trained on
the other half of the items flatters them: it reveals the truth by itself.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.models.summaries import TokenScores
from mechaware.radar.detectors.detector import Detector, required
from mechaware.radar.evidence.evidence import Evidence

LOWEST_SHARE = 0.2  # k of Min-K% and Min-K%++: the 20% of tokens with the lowest values
LEAST_LOSS = 1e-6  # nats per token; in float32 a token of probability 1 - 1e-8 has a loss of exactly 0
WINDOWS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)  # tokens; the sizes in the configuration of Chen et al.
GAMMA = 0.5  # of Con-ReCall: weight of the seen prefix, fixed beforehand
CAP = 0.01  # a of DC-PDD: the default of the authors' code


def _mean_log_probs(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """LL(x), the mean of log p(x_t | x_<t) over the scored tokens of each text, in nats."""
    return np.array([text.log_probs.mean(dtype=float) for text in scores])


def _mean_losses(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """-LL(x) in nats per token, at least `LEAST_LOSS`, so that ratios of losses are finite for a memorised text."""
    return np.asarray(np.maximum(-_mean_log_probs(scores), LEAST_LOSS))


def _score_loss(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) = mean_t log p(x_t | x_<t): the negative of the training loss (Yeom et al. 2018, arXiv:1709.01604).

    Trap: easy texts have a low loss under every model, seen or not.
    """
    return _mean_log_probs(evidence.scores)


def _score_zlib(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) / zlib(x): log-perplexity over the compressed size in bytes (Carlini et al. 2021, arXiv:2012.07805).

    Trap: LL is a mean over tokens and the size a total, as in Carlini et al., so long texts score higher.
    """
    sizes = np.array([len(zlib.compress(text.encode())) for text in evidence.texts])
    return np.asarray(_mean_log_probs(evidence.scores) / sizes)


def _score_lowercase(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """-LL(x) / LL(lower(x)): minus the ratio of the losses of the text and the lowercased text (Carlini et al. 2021).

    From -infinity to 0; a seen text has a low loss that depends on its case. Trap: a text without capitals scores -1
    under every model. The lowercased text has tokens of its own, so the losses are means over other numbers of tokens.
    """
    return np.asarray(-_mean_losses(evidence.scores) / _mean_losses(required(evidence.lowercase)))


def _score_min_k(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K% Prob: the mean of the 20% lowest log p(x_t | x_<t) (Shi et al. 2024, arXiv:2310.16789).

    Trap: the number of tokens is rounded down, and short texts would have none; at least one is taken.
    """
    return np.array([_mean_of_lowest(text.log_probs) for text in evidence.scores])


def _score_min_k_plus_plus(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
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


def _score_reference(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) - LL_reference(x), the log of the ratio of perplexities (Carlini et al. 2021, arXiv:2012.07805)."""
    return np.asarray(_mean_log_probs(evidence.scores) - _mean_log_probs(required(evidence.reference)))


def _score_windows(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """WBC: the share of windows of tokens in which the model beats the reference, averaged over the window sizes.

    Chen et al. 2026 (arXiv:2601.02751, section 4.1): with d_t = log p(x_t) - log p_reference(x_t), T(w) is the share of
    the windows of w tokens whose sum of d_t is above 0, and the score is the mean of T(w) over `WINDOWS`. From 0 to 1.
    Traps: the sizes come from the authors' configuration; their geometric formula gives other ones. A text shorter
    than a window is one window, as in the authors' code.
    """
    pairs = zip(evidence.scores, required(evidence.reference), strict=True)
    return np.array([_share_of_windows(_gains(text, reference)) for text, reference in pairs])


def _score_errors(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """EZ-MIA: P / (P + N) at the tokens that the model gets wrong (Ilić et al. 2026, arXiv:2601.12104).

    With d_t = log p(x_t) - log p_reference(x_t) at the tokens x_t that are not the model's most likely ones, P is the
    sum of the positive d_t and N of the absolute negative ones. The paper's score is P / N, which P / (P + N) orders
    alike and which is infinite at N = 0. Trap: a memorised text has no errors, or none that the reference predicts
    better; both count as seen (1), as in the paper's appendix E. The released code scores them as unseen.
    """
    pairs = zip(evidence.scores, required(evidence.reference), strict=True)
    return np.array([_share_of_gains(text, _gains(text, reference)) for text, reference in pairs])


def _gains(text: TokenScores, reference: TokenScores) -> Float[np.ndarray, " token"]:
    return np.asarray(np.subtract(text.log_probs, reference.log_probs, dtype=float))


def _share_of_windows(gains: Float[np.ndarray, " token"]) -> float:
    sizes = [min(size, len(gains)) for size in WINDOWS]
    sums = [np.lib.stride_tricks.sliding_window_view(gains, size).sum(axis=1) for size in sizes]
    return float(np.mean([(windows > 0).mean() for windows in sums]))


def _share_of_gains(text: TokenScores, gains: Float[np.ndarray, " token"]) -> float:
    gains = gains[text.log_probs < text.best]  # a tie with the best token is no error
    positive, absolute = gains[gains > 0].sum(), np.abs(gains).sum()
    return float(positive / absolute) if absolute > 0 else 1.0


def _score_relative(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """ReCaLL: LL(x | P_unseen) / LL(x) (Xie et al. 2024, arXiv:2406.15968).

    Both LL are negative. An unseen prefix lowers LL more for a seen text: LL(x | P) is further from 0 than LL(x), and
    the ratio is larger. Higher means seen. Traps: the difference LL(x | P) - LL(x) has the opposite sign. Both LL are
    means over the same tokens; a prefix also gives the first token a context, and that token must not be counted.
    """
    return np.asarray(_mean_losses(required(evidence.after_unseen)) / _mean_losses(evidence.scores))


def _score_contrasted(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Con-ReCall: (LL(x | P_unseen) - gamma LL(x | P_seen)) / LL(x) (Wang et al. 2024, arXiv:2409.03363).

    The sign is that of ReCaLL. Trap: the authors' code has no default gamma and scores with each from 0.1 to 1; to
    choose among them needs the truth, so gamma is 0.5 here.
    """
    after_unseen, after_seen = (
        _mean_losses(required(evidence.after_unseen)),
        _mean_losses(required(evidence.after_seen)),
    )
    return np.asarray((after_unseen - GAMMA * after_seen) / _mean_losses(evidence.scores))


def _score_divergence(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """DC-PDD: the mean of min(-p(x_t) log f(x_t), a) over first occurrences (Zhang et al. 2024, arXiv:2409.14781).

    p is the model's probability of the token in its context, f = (count + 1) / (total + vocabulary) its smoothed
    frequency in the reference corpus, and a = 0.01. Only a token's first occurrence among the scored tokens counts.
    From 0 to a. Logarithms are natural, as in the authors' code. Traps: -log f of a rare token is about 10, so that
    every probability above 0.001 reaches the cap, and the score is nearly the share of distinct tokens above it. The
    paper puts a start token before the text; here a text's first token is not scored, and its next occurrence counts.
    """
    counts = required(evidence.token_counts)
    rarity = -np.log((counts + 1) / (counts.sum() + len(counts)))
    return np.array([_mean_divergence(text, rarity) for text in evidence.scores])


def _mean_divergence(text: TokenScores, rarity: Float[np.ndarray, " vocabulary"]) -> float:
    ids, first = np.unique(text.ids, return_index=True)
    return float(np.minimum(np.exp(text.log_probs[first], dtype=float) * rarity[ids], CAP).mean())


LOSS = Detector("loss", "loss", "Yeom et al. 2018", (), _score_loss)
ZLIB = Detector("zlib", "zlib", "Carlini et al. 2021", (), _score_zlib)
LOWERCASE = Detector("lowercase", "lowercase", "Carlini et al. 2021", ("lowercase",), _score_lowercase)
MIN_K = Detector("min_k", "Min-K%", "Shi et al. 2024", (), _score_min_k)
MIN_K_PLUS_PLUS = Detector("min_k_plus_plus", "Min-K%++", "Zhang et al. 2024", (), _score_min_k_plus_plus)
REFERENCE = Detector("reference", "reference", "Carlini et al. 2021", ("reference",), _score_reference)
WINDOW_COMPARISON = Detector("window_comparison", "WBC", "Chen et al. 2026", ("reference",), _score_windows)
ERROR_ZONE = Detector("error_zone", "EZ-MIA", "Ilić et al. 2026", ("reference",), _score_errors)
RELATIVE = Detector("relative_likelihood", "ReCaLL", "Xie et al. 2024", ("after_unseen",), _score_relative)
CONTRASTED = Detector(
    "contrasted_likelihood", "Con-ReCall", "Wang et al. 2024", ("after_unseen", "after_seen"), _score_contrasted
)
DIVERGENCE = Detector("divergence", "DC-PDD", "Zhang et al. 2024", ("token_counts",), _score_divergence)
