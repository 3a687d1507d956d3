"""How far the author's statuses of May and of August 2026 agree, and how far his lists of tiers do.

Statuses are compared pair by pair: one claim, one criterion that both rubrics have. Intervals are percentile bootstraps
over whole claims, or over papers for tiers.
"""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.author.extraction import AUGUST, MAY
from mechaware.core.stats import bootstrap_mean, clopper_pearson, percentile_interval
from mechaware.instruments.claims.rubric.criteria import STATUSES, tier_index

NOT_APPLICABLE = "N/A"
# How a criterion of May is related to its counterpart of August (config/reported/claims_mapping.csv).
SAME = "same"
NEAR = "near"
NONE = "none"
# Quadratic weights, as the weighted kappa of the paper's tiers has.
WEIGHTS = np.square(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
# The sets of pairs that are compared.
ALL = "all"
BY_NAME = "same criteria"
SAME_SCOPE = "same papers"
WEAK = "weak as PARTIAL"  # all pairs, with the words of May that begin with "Weak" read as PARTIAL
CONSTANT = "PARTIAL"  # the constant answer that statuses are compared with
# Among the lists of tiers: the printed tiers, and the reference tiers of the claim-validity paper itself.
PRINTED = "printed tiers"
OWN = "own list"
# Means over pairs of lists.
TWO_LISTS = "two lists"
PRINTED_AND_LIST = "printed tiers and a list"
# The agreements of two tiers: how many ranks apart they may be.
MAX_APART = {"exact": 0, "within_one": 1}

Counts = Float[np.ndarray, "claim criterion may august"]
Measure = Callable[[Float[np.ndarray, "criterion may august"]], float]


def pair_statuses(
    statuses: pd.DataFrame, words: pd.DataFrame, mapping: pd.DataFrame, audited: pd.DataFrame
) -> pd.DataFrame:
    """A row for each claim of both dates and criterion with a counterpart, to which both rubrics apply.

    Returns:
        The columns `claim`, `criterion`, `relation`, `same_scope`, `word`, and the statuses `may` and `august`.
    """
    known = statuses.merge(words, on=["audit", "word"], how="left", validate="many_to_one")
    may = known[known["audit"] == MAY].rename(columns={"claim": "page", "status": "may"})
    august = known[known["audit"] == AUGUST].rename(
        columns={"claim": "audited", "criterion": "counterpart", "status": "august"}
    )
    # A claim has a page of May and an audit of August; a criterion of May may have a counterpart of August.
    claims = audited.rename(columns={"audit": "audited"})[["page", "audited", "same_scope"]]
    counterparts = mapping[["criterion", "relation", "counterpart"]]

    may_of_claims = may[["page", "criterion", "word", "may"]].merge(claims, on="page")
    may_to_compare = may_of_claims.merge(counterparts, on="criterion")
    august_to_compare = august[["audited", "counterpart", "august"]]
    pairs = may_to_compare.merge(august_to_compare, on=["audited", "counterpart"])

    applies = (pairs["may"] != NOT_APPLICABLE) & (pairs["august"] != NOT_APPLICABLE)
    columns = ["claim", "criterion", "relation", "same_scope", "word", "may", "august"]
    renamed = pairs.rename(columns={"page": "claim"})
    return renamed.loc[applies, columns].reset_index(drop=True)


def status_agreement(
    pairs: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """A row for each set of pairs: how many pairs and claims it has, and each measure with its interval over claims."""
    weak = pairs.assign(
        may=pairs["may"].mask(pairs["word"].str.startswith("Weak"), "PARTIAL"),
    )
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
    """Each measure by name, with the ends of its interval, `{name}_low` and `{name}_high`, over whole claims."""
    claims = len(counts)
    # How often each claim is in each resample, and the counts of the resample by criterion.
    draws = np.random.default_rng(seed).multinomial(claims, np.full(claims, 1 / claims), resamples)
    resampled = [np.tensordot(times, counts, 1) for times in draws]

    row: dict[str, float] = {}
    for name, compute in measures.items():
        values = np.array([compute(drawn) for drawn in resampled])
        low, high = percentile_interval(values, confidence_level)
        row |= {name: compute(counts.sum(axis=0)), f"{name}_low": low, f"{name}_high": high}
    return row


def count_pairs(pairs: pd.DataFrame) -> Counts:
    """The number of pairs by claim, criterion, status of May and status of August; statuses are in rising order."""
    claims, claim = np.unique(pairs["claim"], return_inverse=True)
    criteria, criterion = np.unique(pairs["criterion"], return_inverse=True)
    may, august = (pairs[date].map(STATUSES.index) for date in ("may", "august"))
    counts = np.zeros((len(claims), len(criteria), 3, 3))
    np.add.at(counts, (claim, criterion, may, august), 1)
    return counts


def exact(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """The share of pairs whose statuses of May and August are the same."""
    return float(np.trace(counts.sum(axis=0)) / counts.sum())


def constant(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """The share of statuses of August that PARTIAL throughout would get right."""
    return float(counts[:, :, STATUSES.index(CONSTANT)].sum() / counts.sum())


def kappa(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """Cohen's kappa with quadratic weights, all criteria together: it rewards knowing which criteria are often met."""
    return quadratic_kappa_within(counts.sum(axis=0, keepdims=True))


def quadratic_kappa_within(counts: Float[np.ndarray, "criterion may august"]) -> float:
    """Weighted kappa with chance by criterion: 1 - sum_c sum(W * O_c) / sum_c sum(W * r_c s_c' / n_c).

    O_c are the counts of criterion c, r_c and s_c their sums over August and over May, n_c their total. A rater that
    gives each criterion a status of its own, whatever the claim, has 0. NaN where no disagreement is expected by
    chance.
    """
    n = counts.sum(axis=(1, 2))
    may = counts.sum(axis=2)
    august = counts.sum(axis=1)
    expected = np.einsum("cm,ca->cma", may, august)[n > 0] / n[n > 0, None, None]
    by_chance = (expected * WEIGHTS).sum()
    if by_chance == 0:
        return float("nan")
    return float(1 - (counts * WEIGHTS).sum() / by_chance)


MEASURES: dict[str, Measure] = {
    "exact": exact,
    "constant": constant,
    "lead": lambda counts: exact(counts) - constant(counts),
    "kappa": kappa,
    "quadratic_kappa_within": quadratic_kappa_within,
}


def tiers_by_list(
    papers: pd.DataFrame, main: pd.DataFrame, references: pd.DataFrame
) -> pd.DataFrame:
    """The ranks, 0 to 4, of the papers that all lists have: a row for each paper, and a column for each list.

    The first column has the printed tiers (`PRINTED`), the second the paper's own list (`OWN`).
    """
    listed = references.pivot(index="paper", columns="reference", values="tier")
    listed = listed[references["reference"].unique()]
    listed.insert(0, OWN, papers.set_index("paper")["expected_tier"])
    listed.insert(0, PRINTED, main.set_index("paper")["tier"])
    return listed.dropna().map(tier_index)


def tier_list_agreement(
    ranks: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """A row for each two columns of `tiers_by_list`, and two rows with means over pairs of columns.

    The means are over all pairs of two lists (`TWO_LISTS`), and over the pairs of the printed tiers and a list
    (`PRINTED_AND_LIST`). `exact` and `within_one` are shares of papers. A row of two columns has intervals of Clopper
    and Pearson, a row of means has bootstrap intervals over papers. `higher` and `lower` count the papers that the
    second column ranks higher or lower than the first; a row of means has none.
    """
    rows = []
    for first, second in combinations(ranks, 2):
        difference = ranks[second] - ranks[first]
        row: dict[str, Any] = {"first": first, "second": second, "n": len(ranks)}
        for name, most in MAX_APART.items():
            count = int((difference.abs() <= most).sum())
            low, high = clopper_pearson(count, len(ranks), confidence_level)
            row |= {name: count / len(ranks), f"{name}_low": low, f"{name}_high": high}
        row |= {"higher": int((difference > 0).sum()), "lower": int((difference < 0).sum())}
        rows.append(row)

    lists = [str(name) for name in ranks if name != PRINTED]
    means: dict[str, list[tuple[str, str]]] = {
        TWO_LISTS: list(combinations(lists, 2)),
        PRINTED_AND_LIST: [(PRINTED, name) for name in lists],
    }
    for title, compared in means.items():
        row = {"first": title, "second": "", "n": len(ranks), "higher": None, "lower": None}
        for name, most in MAX_APART.items():
            # A row for each pair of columns, a truth value for each paper.
            agree = np.array([(ranks[a] - ranks[b]).abs() <= most for a, b in compared])
            share_by_paper = agree.mean(axis=0)
            low, high = bootstrap_mean(
                share_by_paper,
                ranks.index,
                resamples=resamples,
                seed=seed,
                confidence_level=confidence_level,
            )
            row |= {name: share_by_paper.mean(), f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return pd.DataFrame(rows).astype({"higher": "Int64", "lower": "Int64"})
