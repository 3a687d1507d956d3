"""Means with t intervals over papers: dimension scores of claims, and signed errors on planted papers."""

import pandas as pd

from mechaware.claims.rubric.criteria import DIMENSIONS, VALUE
from mechaware.claims.study.planted import pooled_stages
from mechaware.stats import mean_over_groups

PLANTED = "planted truth"  # in the place of a judge's name, the planted claims themselves
MEAN = ("mean", "low", "high")


def claims_beside_truth(claims: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The planted claims, under the judge `PLANTED`, and the judges' claims about the same papers.

    Without planted papers, the judges' claims about all papers. Columns: judge, paper, system, cvs and the code of
    each dimension.
    """
    columns = ["judge", "paper", "system", "cvs", *(dimension.code for dimension in DIMENSIONS)]
    if not truth.empty:
        same = claims[claims["paper"].isin(truth["paper"])]
        claims = pd.concat([truth.assign(judge=PLANTED)[columns], same[columns]], ignore_index=True)
    return claims[columns]


def dimension_means(claims: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Mean score of each judge, kind of claim and dimension, with a t interval over six papers or more.

    `claims` is the table that `claims_beside_truth` returns. Long: judge, system, dimension, mean (0 to 3), low, high.
    The planted truth is not estimated and has no interval. Claims whose score in the dimension is open do not count.
    """
    rows = []
    for (judge, system), part in claims.groupby(["judge", "system"], sort=False):
        for dimension in DIMENSIONS:
            known = part.dropna(subset=[dimension.code])
            if not known.empty:
                values = known[dimension.code].to_numpy(dtype=float)
                interval = None if judge == PLANTED else mean_over_groups(values, known["paper"], level)
                bounds = interval or (None, None)
                rows.append((judge, bool(system), dimension.code, values.mean(), *bounds))
    return pd.DataFrame(rows, columns=["judge", "system", "dimension", *MEAN]).astype(dict.fromkeys(MEAN, float))


def criterion_bias(criteria: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Mean of status minus truth, -1 to 1, by judge, stage and criterion, with a t interval over six papers or more.

    `criteria` has judge, paper, criterion, stage (run-0, run-1, ..., voted, audited), status and truth. Long: judge,
    stage (single, voted, audited), criterion, mean, low, high, n. Criteria without a status do not count.
    """
    known = criteria[(criteria["status"] != "") & (criteria["truth"] != "")]
    error = known["status"].map(VALUE).astype(float) - known["truth"].map(VALUE).astype(float)
    known = known.assign(stage=pooled_stages(known["stage"]), error=error)
    rows = []
    for (judge, stage, code), part in known.groupby(["judge", "stage", "criterion"], sort=False):
        errors = part["error"].to_numpy(dtype=float)
        interval = mean_over_groups(errors, part["paper"], level) or (None, None)
        rows.append((judge, stage, code, errors.mean(), *interval, len(part)))
    return pd.DataFrame(rows, columns=["judge", "stage", "criterion", *MEAN, "n"]).astype(dict.fromkeys(MEAN, float))
