"""How far the author's lists of tiers agree with each other and with the printed tiers.

`tiers_by_list` puts the lists side by side, `tier_list_agreement` compares them two by two.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from mechaware.core.stats.intervals import bootstrap_mean, clopper_pearson
from mechaware.instruments.claims.rubric.criteria import tier_index

# The columns that `tiers_by_list` names: the printed tiers, and the list of reference tiers in the
# claim-validity paper itself.
PRINTED = "printed tiers"
OWN = "own list"
# The rows of means over pairs of columns (`tier_list_agreement`).
TWO_LISTS = "two lists"
PRINTED_AND_LIST = "printed tiers and a list"
# By measure of agreement, the number of ranks by which two tiers may differ and still agree.
MAX_APART = {"exact": 0, "within_one": 1}


def tiers_by_list(
    papers: pd.DataFrame, main: pd.DataFrame, references: pd.DataFrame
) -> pd.DataFrame:
    """The ranks of tiers, 0 to 4: a row for each paper with a tier in every column.

    The columns are the printed tiers (`PRINTED`), the claim-validity paper's own list (`OWN`), and
    the author's other lists, in the order of `references`.

    Args:
        papers: A row for each paper, with the columns paper and expected_tier (the own list).
        main: A row for each paper, with the columns paper and tier (the printed tier).
        references: A row for each paper and other list, with the columns paper, reference (the name
            of the list) and tier.
    """
    listed = references.pivot(index="paper", columns="reference", values="tier")
    # The pivot has sorted the lists: back to the order of `references`.
    listed = listed[references["reference"].unique()]
    listed.insert(0, OWN, papers.set_index("paper")["expected_tier"])
    listed.insert(0, PRINTED, main.set_index("paper")["tier"])
    return listed.dropna().map(tier_index)


def tier_list_agreement(
    ranks: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """A row for each two columns of `tiers_by_list`, then two rows of means over pairs of columns.

    The row `TWO_LISTS` is the mean over all pairs of two lists. The row `PRINTED_AND_LIST` is the
    mean over the pairs of the printed tiers and a list. Columns:

    - first, second: the names of the two columns; in a row of means, the row's name and ""
    - n: the number of papers
    - exact, within_one: the share of papers whose two tiers are equal, or at most one rank apart
      (`MAX_APART`)
    - exact_low, exact_high, within_one_low, within_one_high: the interval of the share; Clopper and
      Pearson's for two columns, a bootstrap over papers for means
    - higher, lower: the numbers of papers that the second column ranks higher, or lower, than the
      first; missing in a row of means
    """
    rows = []
    for first, second in combinations(ranks, 2):
        rows.append(_compare_two(ranks, str(first), str(second), confidence_level))

    lists = [str(name) for name in ranks if name != PRINTED]
    pairs_by_mean = {
        TWO_LISTS: list(combinations(lists, 2)),
        PRINTED_AND_LIST: [(PRINTED, name) for name in lists],
    }
    for name, pairs in pairs_by_mean.items():
        averages = _average_pairs(
            ranks, pairs, resamples=resamples, seed=seed, confidence_level=confidence_level
        )
        rows.append({"first": name, "second": ""} | averages)
    return pd.DataFrame(rows).astype({"higher": "Int64", "lower": "Int64"})


def _compare_two(
    ranks: pd.DataFrame, first: str, second: str, confidence_level: float
) -> dict[str, Any]:
    """The row of `tier_list_agreement` for two columns."""
    difference = ranks[second] - ranks[first]
    row: dict[str, Any] = {"first": first, "second": second, "n": len(ranks)}
    for measure, max_apart in MAX_APART.items():
        n_agreeing = int((difference.abs() <= max_apart).sum())
        interval = clopper_pearson(n_agreeing, len(ranks), confidence_level)
        row[measure] = n_agreeing / len(ranks)
        row[f"{measure}_low"] = interval.low
        row[f"{measure}_high"] = interval.high
    row["higher"] = int((difference > 0).sum())
    row["lower"] = int((difference < 0).sum())
    return row


def _average_pairs(
    ranks: pd.DataFrame,
    pairs: Sequence[tuple[str, str]],
    *,
    resamples: int,
    seed: int,
    confidence_level: float,
) -> dict[str, Any]:
    """A row of means in `tier_list_agreement` over `pairs` of columns, without first and second."""
    row: dict[str, Any] = {"n": len(ranks)}
    for measure, max_apart in MAX_APART.items():
        agreements = []
        for first, second in pairs:
            difference = ranks[second] - ranks[first]
            agreements.append(difference.abs() <= max_apart)
        # For each paper, the share of pairs in which its two tiers agree.
        share_by_paper = np.array(agreements).mean(axis=0)
        interval = bootstrap_mean(
            share_by_paper,
            ranks.index,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        row[measure] = share_by_paper.mean()
        row[f"{measure}_low"] = interval.low
        row[f"{measure}_high"] = interval.high
    row["higher"] = None
    row["lower"] = None
    return row
