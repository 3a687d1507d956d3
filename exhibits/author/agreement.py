"""How far two sets of statuses by the Claim Validity Score's author agree: May and August 2026.

The statuses of May are in pages of case studies, the statuses of August in audits, and the rubrics
of the two differ. A pair of statuses is about one claim and one criterion that both rubrics have.
`pair_statuses` makes the pairs. `status_agreement` computes the `MEASURES`, at the end of this
file, with percentile bootstrap intervals over whole claims.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.author.extraction import AUGUST, MAY
from mechaware.core.stats.intervals import percentile_interval
from mechaware.instruments.claims.rubric.criteria import STATUSES

NOT_APPLICABLE = "N/A"
# How a criterion of May is related to its counterpart of August
# (config/reported/claims_mapping.csv).
SAME = "same"
NEAR = "near"
NONE = "none"
# The squared distance of two statuses, as in the weighted kappa of the paper's tiers:
# [[0, 1, 4], [1, 0, 1], [4, 1, 0]].
WEIGHTS = np.square(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
# The sets of pairs that are compared.
ALL = "all"
BY_NAME = "same criteria"  # the criteria related as `SAME`
SAME_SCOPE = "same papers"  # the claims whose page and audit are of one paper and scope
WEAK = "weak as PARTIAL"  # all pairs, with the words of May that begin with "Weak" read as PARTIAL
CONSTANT = "PARTIAL"  # the constant answer that statuses are compared with

Counts = Float[np.ndarray, "claim criterion may august"]
Measure = Callable[[Float[np.ndarray, "criterion may august"]], float]


def pair_statuses(
    statuses: pd.DataFrame, words: pd.DataFrame, mapping: pd.DataFrame, audited: pd.DataFrame
) -> pd.DataFrame:
    """A row for each pair: a claim of both dates, and a criterion with a counterpart.

    A pair to which a rubric does not apply (N/A) is left out.

    Args:
        statuses: The author's word for each claim and criterion, of May and of August. The column
            `audit` holds the date.
        words: By date (`audit`) and word, the status that the word stands for, or N/A.
        mapping: The relation and the counterpart of August, if any, of each criterion of May.
        audited: The page of May and the audit of August of each claim, and whether both are
            of the same paper and scope.

    Returns:
        The columns claim (its page of May), criterion (of May), relation, same_scope, word (of
        May), and the statuses may and august.
    """
    # Pages name a claim otherwise than audits do, so from here on `page` names a claim of May and
    # `audited` a claim of August.
    known = statuses.merge(words, on=["audit", "word"], how="left", validate="many_to_one")
    may = known[known["audit"] == MAY].rename(columns={"claim": "page", "status": "may"})
    august = known[known["audit"] == AUGUST].rename(
        columns={"claim": "audited", "criterion": "counterpart", "status": "august"}
    )
    claims = audited.rename(columns={"audit": "audited"})[["page", "audited", "same_scope"]]
    counterparts = mapping[["criterion", "relation", "counterpart"]]

    may_of_claims = may[["page", "criterion", "word", "may"]].merge(claims, on="page")
    may_to_compare = may_of_claims.merge(counterparts, on="criterion")
    august_to_compare = august[["audited", "counterpart", "august"]]
    pairs = may_to_compare.merge(august_to_compare, on=["audited", "counterpart"])

    applies = (pairs["may"] != NOT_APPLICABLE) & (pairs["august"] != NOT_APPLICABLE)
    columns = ["claim", "criterion", "relation", "same_scope", "word", "may", "august"]
    pairs = pairs.rename(columns={"page": "claim"})
    return pairs.loc[applies, columns].reset_index(drop=True)


def status_agreement(
    pairs: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """A row for each set of pairs.

    Columns: pairs, the name of the set; n and claims, how many pairs and claims it has; and each of
    `MEASURES` with the ends of its interval over claims ({measure}_low, {measure}_high).
    """
    is_weak = pairs["word"].str.startswith("Weak")
    weak = pairs.assign(may=pairs["may"].mask(is_weak, "PARTIAL"))
    sets = {
        ALL: pairs,
        BY_NAME: pairs[pairs["relation"] == SAME],
        SAME_SCOPE: pairs[pairs["same_scope"]],
        WEAK: weak,
    }
    rows = []
    for name, chosen in sets.items():
        counts = count_pairs(chosen)
        row: dict[str, Any] = {"pairs": name, "n": len(chosen), "claims": len(counts)}
        row |= measure(
            counts, MEASURES, resamples=resamples, seed=seed, confidence_level=confidence_level
        )
        rows.append(row)
    return pd.DataFrame(rows)


def measure(
    counts: Counts,
    measures: Mapping[str, Measure],
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> dict[str, float]:
    """Each measure by name, with the ends of its interval: `{name}_low` and `{name}_high`.

    The interval is a percentile bootstrap that draws whole claims, with replacement.
    """
    claims = len(counts)
    # A row for each resample: how often it contains each claim.
    draws = np.random.default_rng(seed).multinomial(claims, np.full(claims, 1 / claims), resamples)
    # The counts of each resample, summed over its claims.
    resampled = [np.tensordot(repeats, counts, 1) for repeats in draws]

    row: dict[str, float] = {}
    for name, compute in measures.items():
        values = np.array([compute(drawn) for drawn in resampled])
        low, high = percentile_interval(values, confidence_level)
        row[name] = compute(counts.sum(axis=0))
        row[f"{name}_low"] = low
        row[f"{name}_high"] = high
    return row


def count_pairs(pairs: pd.DataFrame) -> Counts:
    """The number of pairs by claim, criterion, status of May and status of August.

    Claims and criteria are in the sorted order of their names, statuses in rising order: NO,
    PARTIAL, YES.
    """
    claims, claim = np.unique(pairs["claim"], return_inverse=True)
    criteria, criterion = np.unique(pairs["criterion"], return_inverse=True)
    may = pairs["may"].map(STATUSES.index)
    august = pairs["august"].map(STATUSES.index)
    counts = np.zeros((len(claims), len(criteria), len(STATUSES), len(STATUSES)))
    np.add.at(counts, (claim, criterion, may, august), 1)
    return counts


def exact(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """The share of pairs whose statuses of May and August are the same."""
    return float(np.trace(counts.sum(axis=0)) / counts.sum())


def constant(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """The share of pairs with PARTIAL in August: what answering PARTIAL throughout gets right."""
    return float(counts[:, :, STATUSES.index(CONSTANT)].sum() / counts.sum())


def lead(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """The share of pairs with the same status, less the share that all-PARTIAL gets right."""
    return exact(counts) - constant(counts)


def kappa(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """Cohen's kappa with quadratic weights, all criteria together.

    It rewards knowing which criteria are often met.
    """
    return quadratic_kappa_within(counts.sum(axis=0, keepdims=True))


def quadratic_kappa_within(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """Weighted kappa with chance by criterion: the kappa of agreement within criteria.

        1 - sum_c sum(W * O_c) / sum_c sum(W * r_c s_c' / n_c)

    O_c are the counts of criterion c, r_c and s_c their sums over August and over May, n_c their
    total, and W the `WEIGHTS`. A rater that gives each criterion a status of its own, whatever the
    claim, has 0. NaN where no disagreement is expected by chance.
    """
    n = counts.sum(axis=(1, 2))
    may = counts.sum(axis=2)
    august = counts.sum(axis=1)
    # A resample may lack all claims of a criterion: n is then 0.
    expected = np.einsum("cm,ca->cma", may, august)[n > 0] / n[n > 0, None, None]
    by_chance = (expected * WEIGHTS).sum()
    if by_chance == 0:
        return float("nan")
    return float(1 - (counts * WEIGHTS).sum() / by_chance)


MEASURES: dict[str, Measure] = {
    "exact": exact,
    "constant": constant,
    "lead": lead,
    "kappa": kappa,
    "quadratic_kappa_within": quadratic_kappa_within,
}
