"""The claim-validity paper's Table 5: each paper's main claim and the range of the others,
reported and by judge.
"""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_CLAIMS, REPORTED_PAPERS, REPORTED_PER_PAPER
from exhibits.claims.tables.cells import (
    decimals_text,
    first_cells,
    score_text,
    span_text,
    stack_sources,
    tier_text,
    tiers_of,
)
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.scoring import printed_score

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "claims": "results/claims/summary/claims.parquet",
    "reported_per_paper": "config/reported/claims_per_paper.csv",
    "reported_claims": "config/reported/claims_claims.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    "source",
    "paper",
    "title",
    "n_claims",
    "cvs",
    "tier",
    "sub_low",
    "sub_high",
    "sub_tier_low",
    "sub_tier_high",
    "sub_mean",
    "place",
    "right",
)


def fill(
    *,
    papers: pd.DataFrame,
    criteria: pd.DataFrame,
    claims: pd.DataFrame,
    reported_per_paper: Annotated[pd.DataFrame, REPORTED_PER_PAPER],
    reported_claims: Annotated[pd.DataFrame, REPORTED_CLAIMS],
    reported_papers: Annotated[pd.DataFrame, REPORTED_PAPERS],
    judge_labels: Mapping[str, str],
) -> Table:
    """One row per source of scores and paper; a source is the source paper ("reported") or a judge.

    The columns `sub_*` are of all claims but the main one: the lowest and the highest CVS, their
    tiers, and the mean CVS before rounding. The printed mean is missing unless the paper prints the
    CVS of all these claims. A judge's numbers are of those with a CVS, and missing without any.
    """
    printed_means = _printed_means(reported_per_paper, reported_claims)
    printed = reported_per_paper.assign(sub_mean=printed_means)

    others = claims[~claims["main"]]
    means = others.groupby(["judge", "paper"], as_index=False).agg(sub_mean=("cvs", "mean"))
    ours = papers.merge(means, on=["judge", "paper"], how="left")
    ours["sub_tier_low"] = tiers_of(ours["sub_low"])
    ours["sub_tier_high"] = tiers_of(ours["sub_high"])

    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)[list(COLUMNS)]

    lowest_scores = numbers["sub_low"].map(score_text)
    highest_scores = numbers["sub_high"].map(score_text)
    lowest_tiers = numbers["sub_tier_low"].map(tier_text)
    highest_tiers = numbers["sub_tier_high"].map(tier_text)
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Claims": numbers["n_claims"].astype(str),
            "Main claim, CVS": numbers["cvs"].map(score_text),
            "Tier": numbers["tier"].map(tier_text),
            "Other claims, CVS": list(map(span_text, lowest_scores, highest_scores)),
            "Tiers": list(map(span_text, lowest_tiers, highest_tiers)),
            "Mean": numbers["sub_mean"].map(decimals_text),
        }
    )
    return Table(numbers, shown)


def _printed_means(per_paper: pd.DataFrame, claims: pd.DataFrame) -> list[float]:
    """For each row of `per_paper`, the mean CVS of the paper's other claims, from `claims`.

    Each CVS is the attainable one that rounds to the printed one (`printed_score`). NaN unless all
    other claims of the paper are in `claims`.
    """
    scored = claims.assign(cvs=claims["cvs"].map(printed_score))
    others = scored[~scored["main"]]
    by_paper = others.groupby("paper")["cvs"].agg(["mean", "size"]).reindex(per_paper["paper"])
    n_others = per_paper["n_claims"].to_numpy() - 1
    all_are_printed = by_paper["size"].to_numpy() == n_others
    return by_paper["mean"].where(all_are_printed).tolist()
