"""Detectors that read log-probabilities of a text's tokens.

A model predicts better what it was trained on. Each detector is a scoring function, whose docstring
gives its formula, paper and traps; the list at the end of the file gives the names. LL(x) is the
mean of log p(x_t | x_<t) over the scored tokens of the text x, and the loss is -LL(x).

Some detectors read nothing but these log-probabilities. Others compare them with those under a
reference model, after a prefix, or in other orders of the words, or with the frequencies of the
tokens in a corpus.

Trap of the three detectors that read a reference model (`REFERENCE`, `WINDOW_COMPARISON`,
`ERROR_ZONE`): the reference must not have been trained on any of the items. If it was trained on
the items that the model has not seen, it flatters these detectors: it reveals the truth by itself.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.evidence.evidence import Evidence, same_tokens
from mechaware.models.summaries import TokenScores

LOWEST_SHARE = 0.2  # of tokens, by value: k of Min-K% and Min-K%++, and the wrong tokens of SURP
CERTAIN = 2.0  # nats of entropy; below it SURP counts a model as certain of its prediction
# The shares of a text's tokens that PAC compares.
PAC_LOWEST_SHARE = 0.3
PAC_HIGHEST_SHARE = 0.05
# Nats per token. Ratios of losses need a bound: in float32 a token of probability 1 - 1e-8 has a
# loss of exactly 0.
MIN_LOSS = 1e-6
# Tokens in a window of WBC; the sizes in the configuration of Chen et al.
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
    """The losses -LL(x) in nats per token, but at least `MIN_LOSS`.

    So ratios of losses are finite, even for a memorised text.
    """
    return np.asarray(np.maximum(-_mean_log_probs(scores), MIN_LOSS))


def _score_loss(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x), the negative of the training loss (Yeom et al. 2018, arXiv:1709.01604).

    Trap: easy texts have a low loss under every model, seen or not.
    """
    return _mean_log_probs(evidence.scores)


def _score_zlib(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) / zlib(x), where zlib(x) is the size of the compressed text in bytes.

    This is minus the log-perplexity over the size (Carlini et al. 2021, arXiv:2012.07805). Trap: LL
    is a mean over tokens and the size is a total, as in Carlini et al., so long texts score higher.
    """
    sizes = np.array([len(zlib.compress(text.encode())) for text in evidence.texts])
    return np.asarray(_mean_log_probs(evidence.scores) / sizes)


def _score_lowercase(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """-LL(x) / LL(lower(x)): minus the loss of the text over the loss of the lowercased text.

    By Carlini et al. 2021 (arXiv:2012.07805). Scores lie between -infinity and 0. A seen text has a
    low loss that depends on its letter case, so its score is near 0.

    Traps: a text without capitals scores -1 under every model. The lowercased text has tokens of
    its own, so the two losses are means over different numbers of tokens.
    """
    return np.asarray(-_mean_losses(evidence.scores) / _mean_losses(required(evidence.lowercase)))


def _score_min_k(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K% Prob: the mean of the 20% lowest log p(x_t | x_<t).

    By Shi et al. 2024 (arXiv:2310.16789). Trap: the number of tokens is rounded down, and short
    texts would have none; at least one is taken.
    """
    return np.array([_mean_of_lowest(text.log_probs, LOWEST_SHARE) for text in evidence.scores])


def _score_min_k_plus_plus(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Min-K%++: the mean of the 20% lowest (log p(x_t | x_<t) - mu_t) / sigma_t.

    By Zhang et al. 2024 (arXiv:2404.02936). mu_t and sigma_t are the mean and standard deviation of
    log p(z | x_<t) with z drawn from p. Trap: sigma_t is the standard deviation, not the variance.
    Where all tokens are equally likely, sigma_t is 0 and every token lies at the mean; the quotient
    is defined as 0 there.
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
    """The mean of the lowest values: a `share` of them, rounded down, but at least one."""
    count = max(1, int(len(values) * share))
    return float(np.sort(values)[:count].mean(dtype=float))


def _score_surprise(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """SURP: the mean log p(x_t | x_<t) of the surprising tokens, as we read the paper.

    By Zhang and Wu 2024 (arXiv:2407.21248). A token is surprising if the model is certain and
    wrong: the entropy of its prediction is below 2 nats, and the token is among the 20% of the text
    with the lowest log p. The paper tunes both thresholds; here they are fixed beforehand.

    Trap: a text without such tokens scores 0, the highest score. So does a text about which the
    model is nowhere certain.
    """
    return np.array([_surprise(text) for text in evidence.scores])


def _surprise(text: TokenScores) -> float:
    """The mean log p of a text's surprising tokens; 0 if it has none.

    Of tokens with equal log p, the earliest count as the lowest.
    """
    count = max(1, int(len(text.ids) * LOWEST_SHARE))
    lowest = np.argsort(text.log_probs, kind="stable")[:count]
    entropy = -text.means[lowest]  # minus the mean of log p(z)
    surprising = lowest[entropy < CERTAIN]
    if len(surprising) == 0:
        return 0.0
    return float(text.log_probs[surprising].mean(dtype=float))


def _score_slope(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CAMIA's slope: minus the least-squares slope of log p(x_t | x_<t) over t.

    By Chang et al. 2025 (arXiv:2409.13745); in nats per token. A model needs less context to
    predict a seen text, so the log-probabilities of a seen text rise less. This is one of CAMIA's
    many signals. Left out are its complexity, its counts and its cut-offs, the text read several
    times over, and the combination of all signals by p-values against known unseen texts. The
    authors learn the sign of the score, which is fixed here.

    Traps: if the end of a text surprises the model, as an unseen wrong answer does, its
    log-probabilities fall and it scores as seen. A text of one scored token has no slope and
    scores 0.
    """
    return np.array([-_slope(text.log_probs) for text in evidence.scores])


def _slope(log_probs: Float[np.ndarray, " token"]) -> float:
    """sum_t (t - mean t) log p_t / max(1, sum_t (t - mean t)^2).

    This is the least-squares slope, with two exceptions in short texts. Two tokens have
    sum_t (t - mean t)^2 = 1/2, and half their slope. One token has sums of 0, and a slope of 0.
    """
    centred = np.arange(len(log_probs)) - (len(log_probs) - 1) / 2
    return float(centred @ log_probs / max(1.0, centred @ centred))


def _score_repetition(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """CAMIA's calibrated loss: LL(x) over the share of distinct tokens.

    By Chang et al. 2025 (arXiv:2409.13745). A text that repeats itself is easily predicted, seen or
    not, and this lowers its score. Trap: a short text repeats no token, and then scores LL(x), as
    by `LOSS`.
    """
    diversity = np.array([len(np.unique(text.ids)) / len(text.ids) for text in evidence.scores])
    return np.asarray(_mean_log_probs(evidence.scores) / diversity)


def _score_order(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """PAC: how much less polarised the log-probabilities are than with words exchanged.

    By Ye et al. 2024 (arXiv:2405.11930): the mean polarised distance of 5 copies of the text with
    words exchanged, minus the polarised distance of the text, as in the authors' code.

    Traps: words are separated by spaces, so a text in a script without spaces has no copies that
    differ, and scores 0. A text of two words has only one other order, and the 5 copies of a short
    text take few orders.
    """
    differences = []
    for text, copies in zip(evidence.scores, required(evidence.swapped), strict=True):
        mean_of_copies = np.mean([_polarised_distance(copy) for copy in copies])
        differences.append(mean_of_copies - _polarised_distance(text.log_probs))
    return np.array(differences)


def _polarised_distance(log_probs: Float[np.ndarray, " token"]) -> float:
    """The mean of the 5% highest log p minus the mean of the 30% lowest, each of at least one."""
    highest = -_mean_of_lowest(-log_probs, PAC_HIGHEST_SHARE)
    return highest - _mean_of_lowest(log_probs, PAC_LOWEST_SHARE)


def _score_reference(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """LL(x) - LL_reference(x): the log of the ratio of the reference's perplexity to the model's.

    By Carlini et al. 2021 (arXiv:2012.07805). In nats per token if both models read the same tokens
    of every text. Otherwise in bits per UTF-8 byte of the text, because the tokens of two
    tokenizers are of different lengths. Trap: without a start token a text's first token is not
    scored, but its bytes count.
    """
    reference = required(evidence.reference)
    if same_tokens(evidence.scores, reference):
        return np.asarray(_mean_log_probs(evidence.scores) - _mean_log_probs(reference))
    n_bytes = np.array([len(text.encode()) for text in evidence.texts])
    nats = _total_log_probs(evidence.scores) - _total_log_probs(reference)
    return np.asarray(nats / (n_bytes * np.log(2)))  # a bit is log 2 nats


def _score_windows(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """WBC: the share of windows of tokens in which the model beats the reference.

    By Chen et al. 2026 (arXiv:2601.02751, section 4.1). With

        d_t = log p(x_t | x_<t) - log p_reference(x_t | x_<t),

    T(w) is the share of the windows of w tokens whose sum of d_t is above 0, and the score is the
    mean of T(w) over the sizes w in `WINDOWS`. From 0 to 1.

    Traps: the sizes come from the authors' configuration; their geometric formula gives other
    sizes. A text shorter than a window is one window, as in the authors' code.
    """
    return np.array([_share_of_windows(gains) for gains in required(evidence.gains)])


def _share_of_windows(gains: Float[np.ndarray, " token"]) -> float:
    """The mean over window sizes of the share of windows with a positive sum.

    With the gains 1, -2, 3 and the size 2 the windows are (1, -2) and (-2, 3). Their sums are -1
    and 1, so the share is 1/2.
    """
    shares = []
    for size in WINDOWS:
        windows = np.lib.stride_tricks.sliding_window_view(gains, min(size, len(gains)))
        sums = windows.sum(axis=1)
        shares.append((sums > 0).mean())
    return float(np.mean(shares))


def _score_errors(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """EZ-MIA: P / (P + N) over the tokens that the model gets wrong.

    By Ilić et al. 2026 (arXiv:2601.12104). The model gets a token x_t wrong if x_t is not its most
    likely token. With d_t = log p(x_t | x_<t) - log p_reference(x_t | x_<t), P is the sum of the
    positive d_t, and N is the sum of the absolute values of the negative d_t.

    The paper's score is P / N. P / (P + N) has the same order, and is finite at N = 0. Trap: a
    memorised text has no errors, or no errors that the reference predicts better. Both cases count
    as seen (1), as in the paper's appendix E. The released code scores both as unseen, and also
    texts with a single error; it leaves out the first scored token, which is kept here.
    """
    pairs = zip(evidence.scores, required(evidence.gains), strict=True)
    return np.array([_share_of_gains(text, gains) for text, gains in pairs])


def _share_of_gains(text: TokenScores, gains: Float[np.ndarray, " token"]) -> float:
    """P / (P + N) of the gains d_t at the text's errors; 1 where P + N is 0."""
    # A tie with the most likely token is no error.
    at_errors = gains[text.log_probs < text.best]
    positive = at_errors[at_errors > 0].sum()
    absolute = np.abs(at_errors).sum()
    if absolute > 0:
        return float(positive / absolute)
    return 1.0


def _score_relative(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """ReCaLL: LL(x | P_unseen) / LL(x) (Xie et al. 2024, arXiv:2406.15968).

    P_unseen is a prefix of unseen texts. Both LL are negative. The prefix lowers LL more for a seen
    text: LL(x | P_unseen) is further from 0 than LL(x), and the ratio is larger. Higher means seen.
    Trap: the difference LL(x | P_unseen) - LL(x) has the opposite sign.

    Two things differ from the authors' code. Each text of a prefix ends with the end-of-text token,
    as models read texts in training; the authors put one text directly after another. And both LL
    are means over the same tokens, where the authors count a text's first token after the prefix.
    """
    return np.asarray(_mean_losses(required(evidence.after_unseen)) / _mean_losses(evidence.scores))


def _score_contrasted(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """Con-ReCall: (LL(x | P_unseen) - gamma LL(x | P_seen)) / LL(x).

    By Wang et al. 2024 (arXiv:2409.03363); P_seen is a prefix of seen texts. Higher means seen, as
    in ReCaLL. Trap: the authors' code has no default gamma and scores with each from 0.1 to 1. A
    choice among them needs the truth, so gamma is 0.5 here.
    """
    after_unseen = _mean_losses(required(evidence.after_unseen))
    after_seen = _mean_losses(required(evidence.after_seen))
    return np.asarray((after_unseen - GAMMA * after_seen) / _mean_losses(evidence.scores))


def _score_divergence(evidence: Evidence, _seed: int) -> Float[np.ndarray, " row"]:
    """DC-PDD: the mean of min(-p(x_t) log f(x_t), a) over first occurrences of tokens.

    By Zhang et al. 2024 (arXiv:2409.14781). p is the model's probability of the token in its
    context, and a = 0.01. f is the token's smoothed frequency in the reference corpus:

        f = (count of the token + 1) / (total of all counts + size of the vocabulary).

    Only a token's first occurrence among the scored tokens counts. From 0 to a. Logarithms are
    natural, as in the authors' code.

    Traps: -log f of a rare token is about 10, so every probability above 0.001 reaches the cap a.
    The score is then nearly a times the share of distinct tokens whose probability is above 0.001.
    The paper puts a start token before the text; here a text's first token is not scored, and its
    next occurrence counts.
    """
    counts = required(evidence.token_counts)
    rarity = -np.log((counts + 1) / (counts.sum() + len(counts)))
    return np.array([_mean_divergence(text, rarity) for text in evidence.scores])


def _mean_divergence(text: TokenScores, rarity: Float[np.ndarray, " vocabulary"]) -> float:
    """The mean of min(p * rarity, a) over the first occurrence of each token.

    Of the ids 7, 3, 7 the distinct ones are 3 and 7; they first occur at the places 1 and 0.
    """
    ids, first = np.unique(text.ids, return_index=True)
    divergence = np.exp(text.log_probs[first], dtype=float) * rarity[ids]
    return float(np.minimum(divergence, CAP).mean())


# The name in tables, the label in figures, the source, the needed fields, and the score.
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
