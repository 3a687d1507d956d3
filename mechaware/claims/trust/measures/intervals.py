"""A CVS with an interval: what the true statuses may be, given the reported ones and the measured mistakes."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from mechaware.claims.rubric.criteria import RANK, STATUSES, Status
from mechaware.claims.rubric.scoring import cvs
from mechaware.claims.trust.measures.responses import CODES
from mechaware.seeds import derive_seed
from mechaware.stats import Interval, percentile_interval

POOLED_WEIGHT = 10.0  # judgements of all criteria together count as this many of each one's own
BLOCK = 500  # draws at a time: memory
# The upper end is so much farther from the median than the drawn one: the rubric asks for several criteria at once, so
# that mistakes make the draws too low. Chosen on planted papers of the seeds 802 to 811 and 822 to 831: 1.25 fell short
# on the latter in one of two simulations. Its coverage is measured on others (benchmarks/score_intervals.py).
UPWARDS = 1.5
STEPS = 20
TOP_CVS = 10.0
# The shares of NO, PARTIAL and YES among the true statuses of a claim: a grid over all of them.
PREVALENCES = (
    np.array([(no, part, STEPS - no - part) for no in range(STEPS + 1) for part in range(STEPS + 1 - no)]) / STEPS
)


def posterior(
    rates: Float[np.ndarray, "draw criterion truth status"], reported: Int[np.ndarray, " criterion"]
) -> tuple[Float[np.ndarray, "draw prevalence"], Float[np.ndarray, "draw criterion truth"]]:
    """The posterior of one claim's prevalence, and the likelihood of its reports, for each draw of the rates.

    `rates` are the probabilities of each reported status (last axis) given the true one; a reported status is 0, 1 or
    2, or -1 where there is none. The prior is uniform over `PREVALENCES`, the shares of the three true statuses in a
    claim; given a prevalence the true statuses are independent. Returns the probability of each prevalence, and the
    probability of each criterion's report given each true status.
    """
    given = np.where(reported[:, None] < 0, 1.0, reported[:, None] == np.arange(len(STATUSES)))
    likelihood = np.einsum("dcts,cs->dct", rates, given)
    log = np.log(np.einsum("pt,dct->dcp", PREVALENCES, likelihood) + 1e-300).sum(axis=1)
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True), likelihood


def draw_truth(
    rates: Float[np.ndarray, "draw criterion truth status"],
    reported: Int[np.ndarray, " criterion"],
    generator: np.random.Generator,
) -> Int[np.ndarray, "draw criterion"]:
    """True statuses (0, 1, 2) drawn from their posterior, one set for each draw of the rates.

    First the claim's prevalence is drawn, which its 27 reports have in common, then each status given it and its own
    report: on a claim with much evidence a report of NO is more likely to be a mistake.
    """
    prevalence, likelihood = posterior(rates, reported)
    true = PREVALENCES[_draw(prevalence, generator)][:, None, :] * likelihood
    return _draw(true / true.sum(axis=-1, keepdims=True), generator)


def _draw(probabilities: Float[np.ndarray, "*of option"], generator: np.random.Generator) -> Int[np.ndarray, "*of"]:
    """An option for each row of probabilities."""
    chance = generator.random((*probabilities.shape[:-1], 1))
    return np.asarray(np.minimum((probabilities.cumsum(axis=-1) < chance).sum(axis=-1), probabilities.shape[-1] - 1))


def draw_rates(
    counts: Int[np.ndarray, "criterion truth status"], draws: int, generator: np.random.Generator
) -> Float[np.ndarray, "draw criterion truth status"]:
    """Probabilities of each reported status given the true one, drawn from what the counts leave open.

    A Dirichlet distribution for each criterion and true status. Its prior is the distribution over all criteria, which
    itself has one count of each status beforehand, weighing as much as `POOLED_WEIGHT` judgements: where a criterion
    was judged seldom, the pooled mistakes stand in.
    """
    pooled = counts.sum(axis=0) + 1.0
    prior = POOLED_WEIGHT * pooled / pooled.sum(axis=1, keepdims=True)
    gamma = generator.standard_gamma(counts + prior, size=(draws, *counts.shape))
    return np.asarray(gamma / gamma.sum(axis=-1, keepdims=True))


def cvs_interval(
    statuses: Mapping[str, Status | None],
    counts: Int[np.ndarray, "criterion truth status"],
    *,
    draws: int,
    level: float,
    seed: int,
) -> Interval:
    """The middle `level` of the CVS of true statuses drawn from their posterior (`draw_truth`), widened by `UPWARDS`.

    `counts` are `verdicts.confusion` of the judge, vote and audit that gave the statuses.
    """
    generator = np.random.default_rng(derive_seed(seed, "cvs interval"))
    reported = np.array([RANK[status] if (status := statuses[code]) else -1 for code in CODES])
    scores: list[float] = []
    for start in range(0, draws, BLOCK):
        drawn = draw_truth(draw_rates(counts, min(BLOCK, draws - start), generator), reported, generator)
        scores += [cvs(dict(zip(CODES, (STATUSES[rank] for rank in row), strict=True))) for row in drawn]
    low, high = percentile_interval(np.array(scores), level)
    middle = float(np.median(scores))
    return Interval(low, min(TOP_CVS, middle + UPWARDS * (high - middle)))
