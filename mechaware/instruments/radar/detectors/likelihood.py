"""Detectors that read log-probabilities of a text's tokens: a model predicts better what it was trained on.

Some read nothing else. Others compare the log-probabilities with those under a reference model, after a prefix, or in
other orders of the words, or with the frequencies of the tokens in a corpus.

Trap of the three detectors that read a reference model (`REFERENCE`, `WINDOW_COMPARISON`, `ERROR_ZONE`): the reference
must not have been trained on any of the items. A reference that was trained on the other half of the items flatters
these detectors: it reveals the truth by itself.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.evidence.evidence import Evidence, same_tokens
from mechaware.models.summaries import TokenScores

LOWEST_SHARE = 0.2  # k of Min-K% and Min-K%++: the 20% of tokens with the lowest values
CERTAIN = 2.0  # nats of entropy; below it SURP counts a model as certain of its prediction
# Shares of PAC: the tokens with the lowest log-probabilities, and those with the highest.
NEAR = 0.3
FAR = 0.05
# Nats per token; in float32 a token of probability 1 - 1e-8 has a loss of exactly 0.
MIN_LOSS = 1e-6
# Tokens; the sizes in the configuration of Chen et al.
WINDOWS = (2, 3, 4, 6, 9, 13, 18, 25, 32, 40)
GAMMA = 0.5  # of Con-ReCall: weight of the seen prefix, fixed beforehand
CAP = 0.01  # a of DC-PDD: the default of the authors' code


def _mean_log_probs(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """LL(x), the mean of log p(x_t | x_<t) over the scored tokens of each text, in nats."""
    return np.array([text.log_probs.mean(dtype=float) for text in scores])


def _total_log_probs(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """The sum of log p(x_t | x_<t) over the scored tokens of each text, in nats."""
    return np.array([text.log_probs.sum(dtype=float) for text in scores])


def _mean_losses(scores: Sequence[TokenScores]) -> Float[np.ndarray, " row"]:
    """-LL(x) in nats per token, at least `MIN_LOSS`, so that ratios of losses are finite for a memorised text."""
    return np.asarray(np.maximum(-_mean_log_probs(scores), MIN_LOSS))


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
    return np.array([_mean_of_lowest(text.log_probs, LOWEST_SHARE) for text in evidence.scores])


def _score_min_k_plus_plus(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K%++: the mean of the 20% lowest (log p(x_t | x_<t) - mu_t) / sigma_t (Zhang et al. 2024, arXiv:2404.02936).

    mu_t and sigma_t are the mean and standard deviation of log p(z | x_<t) with z drawn from p. Trap: sigma is the
    standard deviation, not the variance. Where all tokens are equally likely it is 0, every token lies at the mean, and
    the value is defined as 0.
    """
    return np.array(
        [_mean_of_lowest(_standardised(text), LOWEST_SHARE) for text in evidence.scores]
    )


def _standardised(text: TokenScores) -> Float[np.ndarray, " token"]:
    """(log p(x_t | x_<t) - mu_t) / sigma_t, and 0 where sigma_t is 0."""
    above_mean = np.asarray(text.log_probs - text.means, dtype=float)
    standardised = np.zeros_like(above_mean)
    np.divide(above_mean, text.deviations, out=standardised, where=text.deviations > 0)
    return standardised


def _mean_of_lowest(values: Float[np.ndarray, " token"], share: float) -> float:
    """The mean of this share of the values, the lowest ones: their number is rounded down, but at least 1."""
    count = max(1, int(len(values) * share))
    return float(np.sort(values)[:count].mean(dtype=float))


def _score_surprise(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """SURP: the mean log p(x_t | x_<t) of surprising tokens (Zhang and Wu 2024, arXiv:2407.21248), as we read it.

    A token is surprising if the model is certain, with an entropy below 2 nats, and wrong: the token is among the 20%
    with the lowest log p. The paper tunes both thresholds; here they are fixed beforehand. Trap: a text without such
    tokens scores 0, the highest score; but so does a text about which the model is nowhere certain.
    """
    return np.array([_surprise(text) for text in evidence.scores])


def _surprise(text: TokenScores) -> float:
    """The mean log p of a text's surprising tokens, and 0 without any."""
    count = max(1, int(len(text.ids) * LOWEST_SHARE))
    lowest = np.argsort(text.log_probs, kind="stable")[:count]
    entropy = -text.means[lowest]  # minus the mean of log p(z)
    surprising = lowest[entropy < CERTAIN]
    if len(surprising) == 0:
        return 0.0
    return float(text.log_probs[surprising].mean(dtype=float))


def _score_slope(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CAMIA's slope: minus the least-squares slope of log p(x_t | x_<t) over t (Chang et al. 2025, arXiv:2409.13745).

    In nats per token: a model needs less context to predict a seen text, whose log-probabilities rise less. One of
    CAMIA's many signals; left out are its complexity, counts and cut-offs, the text read several times over, and the
    combination of all by p-values against known unseen texts. The authors learn the sign, which is fixed here. Traps: a
    text whose end surprises the model, such as an unseen wrong answer, has a falling line and scores as seen. A text of
    one scored token has no slope and scores 0.
    """
    return np.array([-_slope(text.log_probs) for text in evidence.scores])


def _slope(log_probs: Float[np.ndarray, " token"]) -> float:
    """sum_t (t - mean t) log p_t / max(1, sum_t (t - mean t)^2): the slope of the line, of two tokens half of it.

    For one token, where both sums are 0, it is 0.
    """
    centred = np.arange(len(log_probs)) - (len(log_probs) - 1) / 2
    return float(centred @ log_probs / max(1.0, centred @ centred))


def _score_repetition(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CAMIA's calibrated loss: LL(x) over the share of distinct tokens (Chang et al. 2025, arXiv:2409.13745).

    A text that repeats itself is easily predicted, seen or not, and scores lower. Trap: short texts repeat no token,
    and then this is the loss.
    """
    diversity = np.array([len(np.unique(text.ids)) / len(text.ids) for text in evidence.scores])
    return np.asarray(_mean_log_probs(evidence.scores) / diversity)


def _score_order(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """PAC: how much less polarised log p(x_t | x_<t) is than with words exchanged (Ye et al. 2024, arXiv:2405.11930).

    The score is the mean polarised distance of 5 copies with words exchanged, minus the polarised distance of the text,
    as in the authors' code. Traps: words are separated by spaces, so a text in a script without spaces has no copies
    that differ, and scores 0. A text of two words has only one other order, and 5 copies of a short text have few.
    """
    differences = []
    for text, copies in zip(evidence.scores, required(evidence.swapped), strict=True):
        mean_of_copies = np.mean([_polarised_distance(copy) for copy in copies])
        differences.append(mean_of_copies - _polarised_distance(text.log_probs))
    return np.array(differences)


def _polarised_distance(log_probs: Float[np.ndarray, " token"]) -> float:
    """The mean of the 5% highest log p minus the mean of the 30% lowest, of at least one token each."""
    return -_mean_of_lowest(-log_probs, FAR) - _mean_of_lowest(log_probs, NEAR)


def _score_reference(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) - LL_reference(x), the log of the ratio of perplexities (Carlini et al. 2021, arXiv:2012.07805).

    In nats per token if both models read the same tokens of every text. Otherwise in bits per UTF-8 byte of the text,
    because the tokens of two tokenizers are of different lengths. Trap: without a start token a text's first token is
    not scored, but its bytes count.
    """
    reference = required(evidence.reference)
    if same_tokens(evidence.scores, reference):
        return np.asarray(_mean_log_probs(evidence.scores) - _mean_log_probs(reference))
    n_bytes = np.array([len(text.encode()) for text in evidence.texts])
    nats = _total_log_probs(evidence.scores) - _total_log_probs(reference)
    return np.asarray(nats / (n_bytes * np.log(2)))  # a bit is log 2 nats


def _score_windows(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """WBC: the share of windows of tokens in which the model beats the reference, averaged over the window sizes.

    Chen et al. 2026 (arXiv:2601.02751, section 4.1): with d_t = log p(x_t) - log p_reference(x_t), T(w) is the share of
    the windows of w tokens whose sum of d_t is above 0, and the score is the mean of T(w) over `WINDOWS`. From 0 to 1.
    Traps: the sizes come from the authors' configuration; their geometric formula gives other ones. A text shorter
    than a window is one window, as in the authors' code.
    """
    return np.array([_share_of_windows(gains) for gains in required(evidence.gains)])


def _share_of_windows(gains: Float[np.ndarray, " token"]) -> float:
    """The mean over window sizes of the share of windows with a positive sum.

    Of the gains 1, -2, 3 and the size 2 the windows are (1, -2) and (-2, 3), their sums -1 and 1, and the share 1/2.
    """
    shares = []
    for size in WINDOWS:
        windows = np.lib.stride_tricks.sliding_window_view(gains, min(size, len(gains)))
        sums = windows.sum(axis=1)
        shares.append((sums > 0).mean())
    return float(np.mean(shares))


def _score_errors(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """EZ-MIA: P / (P + N) at the tokens that the model gets wrong (Ilić et al. 2026, arXiv:2601.12104).

    With d_t = log p(x_t) - log p_reference(x_t) at the tokens x_t that are not the model's most likely ones, P is the
    sum of the positive d_t and N of the absolute negative ones. The paper's score is P / N, which P / (P + N) orders
    alike and which is infinite at N = 0. Trap: a memorised text has no errors, or none that the reference predicts
    better; both count as seen (1), as in the paper's appendix E. The released code scores both as unseen, and also
    texts with a single error; it leaves out the first scored token, which is kept here.
    """
    pairs = zip(evidence.scores, required(evidence.gains), strict=True)
    return np.array([_share_of_gains(text, gains) for text, gains in pairs])


def _share_of_gains(text: TokenScores, gains: Float[np.ndarray, " token"]) -> float:
    """P / (P + N) of the gains d_t at the text's errors, and 1 where P + N is 0."""
    at_errors = gains[text.log_probs < text.best]  # a tie with the best token is no error
    positive = at_errors[at_errors > 0].sum()
    absolute = np.abs(at_errors).sum()
    if absolute > 0:
        return float(positive / absolute)
    return 1.0


def _score_relative(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """ReCaLL: LL(x | P_unseen) / LL(x) (Xie et al. 2024, arXiv:2406.15968).

    Both LL are negative. An unseen prefix lowers LL more for a seen text: LL(x | P) is further from 0 than LL(x), and
    the ratio is larger. Higher means seen. Trap: the difference LL(x | P) - LL(x) has the opposite sign. Two things
    differ from the authors' code: the texts of a prefix end with the end of text, as models read them in training, and
    are not put directly after one another; and both LL are means over the same tokens, where the authors count a
    text's first token after the prefix.
    """
    return np.asarray(_mean_losses(required(evidence.after_unseen)) / _mean_losses(evidence.scores))


def _score_contrasted(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Con-ReCall: (LL(x | P_unseen) - gamma LL(x | P_seen)) / LL(x) (Wang et al. 2024, arXiv:2409.03363).

    Signs are as in ReCaLL. Trap: the authors' code has no default gamma and scores with each from 0.1 to 1; to choose
    among them needs the truth, so gamma is 0.5 here.
    """
    after_unseen = _mean_losses(required(evidence.after_unseen))
    after_seen = _mean_losses(required(evidence.after_seen))
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
    """The mean of min(p * rarity, a) over the first occurrence of each token.

    Of the ids 7, 3, 7 the distinct ones are 3, 7, which come first at the places 1 and 0.
    """
    ids, first = np.unique(text.ids, return_index=True)
    divergence = np.exp(text.log_probs[first], dtype=float) * rarity[ids]
    return float(np.minimum(divergence, CAP).mean())


LOSS = Detector("loss", "loss", "Yeom et al. 2018", (), _score_loss)
ZLIB = Detector("zlib", "zlib", "Carlini et al. 2021", (), _score_zlib)
LOWERCASE = Detector(
    "lowercase", "lowercase", "Carlini et al. 2021", ("lowercase",), _score_lowercase
)
MIN_K = Detector("min_k", "Min-K%", "Shi et al. 2024", (), _score_min_k)
MIN_K_PLUS_PLUS = Detector(
    "min_k_plus_plus", "Min-K%++", "Zhang et al. 2024", (), _score_min_k_plus_plus
)
SURPRISE = Detector("surp", "SURP", "Zhang and Wu 2024", (), _score_surprise)
SLOPE = Detector("camia_slope", "CAMIA, slope", "Chang et al. 2025", (), _score_slope)
REPETITION = Detector(
    "camia_repetition", "CAMIA, repetition", "Chang et al. 2025", (), _score_repetition
)
ORDER = Detector("pac", "PAC", "Ye et al. 2024", ("swapped",), _score_order)
REFERENCE = Detector(
    "reference", "reference", "Carlini et al. 2021", ("reference",), _score_reference
)
WINDOW_COMPARISON = Detector(
    "window_comparison", "WBC", "Chen et al. 2026", ("gains",), _score_windows
)
ERROR_ZONE = Detector("error_zone", "EZ-MIA", "Ilić et al. 2026", ("gains",), _score_errors)
RELATIVE = Detector(
    "relative_likelihood", "ReCaLL", "Xie et al. 2024", ("after_unseen",), _score_relative
)
CONTRASTED = Detector(
    "contrasted_likelihood",
    "Con-ReCall",
    "Wang et al. 2024",
    ("after_unseen", "after_seen"),
    _score_contrasted,
)
DIVERGENCE = Detector(
    "divergence", "DC-PDD", "Zhang et al. 2024", ("token_counts",), _score_divergence
)
