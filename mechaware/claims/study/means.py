"""Means with bootstrap intervals over papers: dimension scores of claims, and signed errors on planted papers."""

import pandas as pd

from mechaware.claims.rubric.criteria import DIMENSIONS, VALUE
from mechaware.claims.study.planted import pooled_stages
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean

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


def dimension_means(claims: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Mean score of each judge, kind of claim and dimension, with a bootstrap interval over papers.

    `claims` is the table that `claims_beside_truth` returns. Long: judge, system, dimension, mean (0 to 3), low, high.
    The planted truth is not estimated and has no interval. Claims whose score in the dimension is open do not count.
    """
    rows = []
    for (judge, system), part in claims.groupby(["judge", "system"], sort=False):
        for dimension in DIMENSIONS:
            known = part.dropna(subset=[dimension.code])
            if not known.empty:
                draw = derive_seed(seed, "dimension", str(judge), str(system), dimension.code)
                values = known[dimension.code].to_numpy(dtype=float)
                interval = bootstrap_mean(values, known["paper"], resamples=resamples, seed=draw, level=level)
                bounds = (None, None) if judge == PLANTED else interval
                rows.append((judge, bool(system), dimension.code, values.mean(), *bounds))
    return pd.DataFrame(rows, columns=["judge", "system", "dimension", *MEAN]).astype(dict.fromkeys(MEAN, float))


def criterion_bias(criteria: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Mean of status minus truth, -1 to 1, by judge, stage and criterion, with a bootstrap interval over papers.

    `criteria` has judge, paper, criterion, stage (run-0, run-1, ..., voted, audited), status and truth. Long: judge,
    stage (single, voted, audited), criterion, mean, low, high, n. Criteria without a status do not count.
    """
    known = criteria[(criteria["status"] != "") & (criteria["truth"] != "")]
    error = known["status"].map(VALUE).astype(float) - known["truth"].map(VALUE).astype(float)
    known = known.assign(stage=pooled_stages(known["stage"]), error=error)
    rows = []
    for (judge, stage, code), part in known.groupby(["judge", "stage", "criterion"], sort=False):
        errors = part["error"].to_numpy(dtype=float)
        draw = derive_seed(seed, "bias", str(judge), str(stage), str(code))
        interval = bootstrap_mean(errors, part["paper"], resamples=resamples, seed=draw, level=level)
        rows.append((judge, stage, code, errors.mean(), *interval, len(part)))
    return pd.DataFrame(rows, columns=["judge", "stage", "criterion", *MEAN, "n"]).astype(dict.fromkeys(MEAN, float))
