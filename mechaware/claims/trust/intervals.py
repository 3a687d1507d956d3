"""A CVS with an interval: what the true statuses may be, given the reported ones and the measured mistakes."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float, Int

from mechaware.claims.rubric.criteria import STATUSES, Status
from mechaware.claims.rubric.scoring import cvs
from mechaware.claims.trust.responses import CODES
from mechaware.seeds import derive_seed
from mechaware.stats import Interval, percentile_interval

POOLED_WEIGHT = 10.0  # judgements of all criteria together count as this many of each one's own


def posterior(
    rates: Float[np.ndarray, "*draw criterion truth status"], reported: Int[np.ndarray, " criterion"]
) -> Float[np.ndarray, "*draw criterion truth"]:
    """The probability of each true status given the reported one, by Bayes, each true status as likely beforehand.

    `rates` are the probabilities of each reported status given the true one; a report of -1 is no report.
    """
    given = np.where(reported[:, None] < 0, 1.0, reported[:, None] == np.arange(len(STATUSES)))
    likelihood = np.einsum("...cts,cs->...ct", rates, given)
    return np.asarray(likelihood / likelihood.sum(axis=-1, keepdims=True))


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
    """The middle `level` of the CVS of true statuses drawn from their posterior, criteria independent of one another.

    `counts` are `verdicts.confusion` of the judge and vote that gave the statuses.
    """
    generator = np.random.default_rng(derive_seed(seed, "cvs interval"))
    reported = np.array([STATUSES.index(status) if (status := statuses[code]) else -1 for code in CODES])
    true = posterior(draw_rates(counts, draws, generator), reported)
    drawn = (true.cumsum(axis=-1) < generator.random((draws, len(CODES), 1))).sum(axis=-1)
    scores = [cvs(dict(zip(CODES, (STATUSES[rank] for rank in row), strict=True))) for row in drawn]
    return percentile_interval(np.array(scores), level)
