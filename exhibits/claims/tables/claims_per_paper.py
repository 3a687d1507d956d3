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
    """One row per source of scores and paper, with the mean of the other claims where the
    scores of all are known.
    """
    printed_means = _printed_means(reported_per_paper, reported_claims)
    printed = reported_per_paper.assign(sub_mean=printed_means)

    others = claims[~claims["main"]]
    means = others.groupby(["judge", "paper"], as_index=False).agg(sub_mean=("cvs", "mean"))
    ours = papers.merge(means, on=["judge", "paper"], how="left")
    ours["sub_tier_low"] = tiers_of(ours["sub_low"])
    ours["sub_tier_high"] = tiers_of(ours["sub_high"])

    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)[list(COLUMNS)]
    scores = map(span_text, numbers["sub_low"].map(score_text), numbers["sub_high"].map(score_text))
    tiers = map(
        span_text, numbers["sub_tier_low"].map(tier_text), numbers["sub_tier_high"].map(tier_text)
    )
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Claims": numbers["n_claims"].astype(str),
            "Main claim, CVS": numbers["cvs"].map(score_text),
            "Tier": numbers["tier"].map(tier_text),
            "Other claims, CVS": list(scores),
            "Tiers": list(tiers),
            "Mean": numbers["sub_mean"].map(decimals_text),
        }
    )
    return Table(numbers, shown)


def _printed_means(papers: pd.DataFrame, claims: pd.DataFrame) -> list[float]:
    """The mean CVS before rounding of every printed paper's other claims;
    NaN where not all of them are printed.
    """
    scored = claims.assign(cvs=claims["cvs"].map(printed_score))
    others = scored[~scored["main"]]
    by_paper = others.groupby("paper")["cvs"].agg(["mean", "size"]).reindex(papers["paper"])
    all_printed = by_paper["size"].to_numpy() == papers["n_claims"].to_numpy() - 1
    return by_paper["mean"].where(all_printed).tolist()
