"""The claim-validity paper's Table 5: each paper's main claim and the range of the others, reported and by judge."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from exhibits.claims.schemas import REPORTED_CLAIMS, REPORTED_PAPERS, REPORTED_PER_PAPER
from exhibits.claims.tables.cells import (
    ENDS,
    decimals_text,
    first_cells,
    score_text,
    span_text,
    stack_sources,
    tier_text,
)
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.scoring import printed_score, tier

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "claims": "results/claims/summary/claims.parquet",
    "reported_per_paper": "config/reported/claims_per_paper.csv",
    "reported_claims": "config/reported/claims_claims.csv",
    "reported_papers": "config/reported/claims_papers.csv",
}
COLUMNS = (
    *("source", "paper", "title", "n_claims", "cvs", "tier", "sub_low", "sub_high"),
    *("sub_tier_low", "sub_tier_high", "sub_mean", "place", "right"),
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
    """One row per source of scores and paper, with the mean of the other claims where the scores of all are known."""
    printed = reported_per_paper.assign(
        sub_mean=_printed_means(reported_per_paper, reported_claims)
    )
    means = (
        claims[~claims["main"]]
        .groupby(["judge", "paper"], as_index=False)
        .agg(sub_mean=("cvs", "mean"))
    )
    ours = papers.merge(means, on=["judge", "paper"], how="left")
    for end in ENDS:
        ours[f"sub_tier_{end}"] = [
            "" if pd.isna(score) else tier(score).name for score in ours[f"sub_{end}"]
        ]
    numbers = stack_sources(printed, ours, judge_labels, reported_papers, criteria)[list(COLUMNS)]
    shown = pd.DataFrame(
        {
            **first_cells(numbers, judge_labels),
            "Claims": numbers["n_claims"].astype(str),
            "Main claim, CVS": numbers["cvs"].map(score_text),
            "Tier": numbers["tier"].map(tier_text),
            "Other claims, CVS": list(
                map(span_text, *(numbers[f"sub_{end}"].map(score_text) for end in ENDS))
            ),
            "Tiers": list(
                map(span_text, *(numbers[f"sub_tier_{end}"].map(tier_text) for end in ENDS))
            ),
            "Mean": numbers["sub_mean"].map(decimals_text),
        }
    )
    return Table(numbers, shown)


def _printed_means(papers: pd.DataFrame, claims: pd.DataFrame) -> list[float]:
    """The mean CVS before rounding of every printed paper's other claims; NaN where not all of them are printed."""
    listed = claims.assign(cvs=claims["cvs"].map(printed_score))
    others = (
        listed[~listed["main"]]
        .groupby("paper")["cvs"]
        .agg(["mean", "size"])
        .reindex(papers["paper"])
    )
    complete = others["size"].to_numpy() == papers["n_claims"].to_numpy() - 1
    return others["mean"].where(complete).tolist()
