"""P-values of one test, then of several tests together, on arrays."""

from itertools import product
from typing import Literal

import numpy as np
from jaxtyping import Float
from scipy import stats

# The most pairs, n1 n2 for samples of n1 and n2 values, for which the Mann-Whitney p-value is exact
# or, with ties, by permutation.
EXACT_PAIRS = 40_000
TIED_PERMUTATIONS = 9_999  # the smallest p-value is then 1 / 10,000


def mann_whitney_p(
    above: Float[np.ndarray, " one"], below: Float[np.ndarray, " other"], seed: int
) -> float:
    """One-sided p-value of the hypothesis that `above` is no higher than `below` (Mann-Whitney).

    It is exact, or by permutation if values are tied; `seed` draws the permutations. With more than
    `EXACT_PAIRS` pairs scipy's exact distribution overflows, and the p-value is that of the normal
    approximation.
    """
    method: Literal["asymptotic", "exact"] | stats.PermutationMethod
    if len(above) * len(below) > EXACT_PAIRS:
        method = "asymptotic"
    elif len(np.unique([*above, *below])) < len(above) + len(below):  # some values are tied
        rng = np.random.default_rng(seed)
        method = stats.PermutationMethod(n_resamples=TIED_PERMUTATIONS, batch=100, rng=rng)
    else:
        method = "exact"
    return float(stats.mannwhitneyu(above, below, alternative="greater", method=method).pvalue)


def paired_permutation(
    difference: Float[np.ndarray, " item"], *, resamples: int, seed: int
) -> float:
    """Two-sided p-value of the hypothesis that paired differences have mean 0, by flipping signs.

    All 2^n flips of the n differences that are not 0 are tried if there are at most `resamples`
    flips, else `resamples` random ones. If the differences are -1, 0 and 1 (right answers less
    right answers), all flips together give McNemar's exact test.
    """
    varying = difference[difference != 0]  # zeros keep their value under every flip
    if len(varying) < 2 or abs(varying.sum()) <= 1e-12 * np.abs(varying).sum():
        return 1.0  # no flip brings the mean nearer to 0
    test = stats.permutation_test(
        (varying,),
        np.mean,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        rng=np.random.default_rng(seed),
    )
    return float(test.pvalue)


def sign_flip_above_zero(
    difference: Float[np.ndarray, " item"], *, resamples: int, seed: int
) -> float:
    """One-sided p-value of a positive sum, if each difference is as likely to have the other sign.

    All 2^n flips of the n differences that are not 0 are tried if there are at most `resamples`
    flips. Otherwise `resamples` flips are drawn at random, and the observed signs count as one
    more. 1 if all differences are 0.
    """
    varying = difference[difference != 0]
    rounding = 1e-12 * np.abs(varying).sum()
    at_least = varying.sum() - rounding  # a flipped sum reaches the observed one from here on
    if 2 ** len(varying) <= resamples:
        all_signs = np.array(list(product((-1.0, 1.0), repeat=len(varying))))
        n_reaching = int((all_signs @ varying >= at_least).sum())
        return n_reaching / len(all_signs)

    generator = np.random.default_rng(seed)
    signs = generator.choice((-1.0, 1.0), size=(resamples, len(varying)))
    n_reaching = int((signs @ varying >= at_least).sum())
    return (1 + n_reaching) / (1 + resamples)


def permutation_p(observed: Float[np.ndarray, " seed"], null: Float[np.ndarray, " draw"]) -> float:
    """One-sided p-value of a permutation test, averaged over the seeds of a randomised statistic.

    The p-value of one seed is (1 + the number of the null's draws that reach its statistic) / (1 +
    the number of draws). NaN without draws. A draw at most 1e-9 below the statistic reaches it,
    since both are read from rounded files.
    """
    if len(null) == 0:
        return float("nan")
    n_reaching = (null[None, :] >= observed[:, None] - 1e-9).sum(axis=1)
    by_seed = (1 + n_reaching) / (1 + len(null))
    return float(by_seed.mean())


def holm(p: Float[np.ndarray, " test"]) -> Float[np.ndarray, " test"]:
    """Holm's correction of m p-values, in the order given.

    The k-th smallest p-value becomes max_{j <= k} (m - j + 1) p(j), and at most 1; p(j) is the j-th
    smallest.
    """
    order = np.argsort(p, kind="stable")
    multiplied = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(multiplied), 1)
    return corrected


def largest_statistic_p(statistics: Float[np.ndarray, "test draw"]) -> Float[np.ndarray, " test"]:
    """P-values corrected for several tests, by the max-T procedure (Westfall and Young, 1993).

    Statistics measure a departure from the hypothesis, upwards: differences from their value under
    it, or the sizes of these. The first draw is the observed one; each of the others permutes the
    data of all tests alike. Each test's statistics are divided by their root mean square over
    draws. The test's p-value is the share of draws in which the largest statistic of all tests is
    at least the test's observed one. A test that never varies has p-value 1.
    """
    scale = np.sqrt(np.square(statistics).mean(axis=1, keepdims=True))
    scaled = np.divide(statistics, scale, out=np.zeros_like(statistics), where=scale > 0)
    observed = scaled[:, :1]
    is_as_large = scaled.max(axis=0) >= observed - 1e-9  # test x draw
    return np.asarray(is_as_large.mean(axis=1), dtype=float)
