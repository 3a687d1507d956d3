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

# The printed tiers, and the reference tiers of the claim-validity paper itself.
PRINTED = "printed tiers"
OWN = "own list"
# Means over pairs of lists.
TWO_LISTS = "two lists"
PRINTED_AND_LIST = "printed tiers and a list"
# The measures of agreement, with the number of ranks that two tiers may be apart.
MAX_APART = {"exact": 0, "within_one": 1}


def tiers_by_list(
    papers: pd.DataFrame, main: pd.DataFrame, references: pd.DataFrame
) -> pd.DataFrame:
    """The ranks of tiers, 0 to 4: a row for each paper that all lists have, a column for each list.

    The first column has the printed tiers (`PRINTED`), the second the paper's own list (`OWN`).
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

    The means are over all pairs of two lists (`TWO_LISTS`), and over the pairs of the printed tiers
    and a list (`PRINTED_AND_LIST`). Columns:

    - first, second: the two columns; a row of means has its name and the empty text
    - n: the number of papers
    - exact, within_one: the share of papers whose two tiers are equal, or at most one rank apart
      (`MAX_APART`), with an interval (exact_low and so on): of Clopper and Pearson for two columns,
      a bootstrap over papers for means
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
        row = _average_pairs(
            ranks, pairs, resamples=resamples, seed=seed, confidence_level=confidence_level
        )
        rows.append({"first": name, "second": ""} | row)
    return pd.DataFrame(rows).astype({"higher": "Int64", "lower": "Int64"})


def _compare_two(
    ranks: pd.DataFrame, first: str, second: str, confidence_level: float
) -> dict[str, Any]:
    """The row of `tier_list_agreement` for two columns."""
    difference = ranks[second] - ranks[first]
    row: dict[str, Any] = {"first": first, "second": second, "n": len(ranks)}
    for measure, most in MAX_APART.items():
        count = int((difference.abs() <= most).sum())
        low, high = clopper_pearson(count, len(ranks), confidence_level)
        row |= {measure: count / len(ranks), f"{measure}_low": low, f"{measure}_high": high}
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
    """A row of means of `tier_list_agreement`, from the column n on, over `pairs` of columns."""
    row: dict[str, Any] = {"n": len(ranks)}
    for measure, most in MAX_APART.items():
        # A row for each pair of columns, a truth value for each paper.
        agree = np.array([(ranks[a] - ranks[b]).abs() <= most for a, b in pairs])
        share_by_paper = agree.mean(axis=0)
        low, high = bootstrap_mean(
            share_by_paper,
            ranks.index,
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
        )
        row |= {measure: share_by_paper.mean(), f"{measure}_low": low, f"{measure}_high": high}
    row |= {"higher": None, "lower": None}
    return row
