"""What two of the claims study's figures show: mean dimension scores, and the signed error on planted papers."""

import pandas as pd

from mechaware.claims.rubric.criteria import DIMENSIONS, VALUE
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean

PLANTED = "planted truth"  # stands for a judge in the table of claims
MEAN = ("mean", "low", "high")


def claims_beside_truth(claims: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """The planted claims, under the judge `PLANTED`, and the judges' claims about the same papers.

    Without planted papers the judges' claims about all papers.
    """
    columns = ["judge", "paper", "system", "cvs", *(dimension.code for dimension in DIMENSIONS)]
    if not truth.empty:
        same = claims[claims["paper"].isin(truth["paper"])]
        claims = pd.concat([truth.assign(judge=PLANTED)[columns], same[columns]], ignore_index=True)
    return claims[columns].assign(system=claims["system"].astype(str) == "True")  # `read_csv` takes it for a name


def dimension_means(claims: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Mean score of each judge, kind of claim and dimension, with a bootstrap interval over papers.

    `claims` is that of `claims_beside_truth`. Long: judge, system, dimension, mean, low, high; the planted truth is
    not estimated and has no interval. Claims whose score in the dimension is open do not count.
    """
    rows = []
    for (judge, system), part in claims.groupby(["judge", "system"], sort=False):
        for dimension in DIMENSIONS:
            known = part.dropna(subset=[dimension.code])
            if not known.empty:
                draw = derive_seed(seed, "dimension", str(judge), str(system), dimension.code)
                values = known[dimension.code].to_numpy(dtype=float)
                interval = bootstrap_mean(
                    values, known["paper"].astype(str), resamples=resamples, seed=draw, level=level
                )
                bounds = (None, None) if judge == PLANTED else interval
                rows.append((judge, bool(system), dimension.code, values.mean(), *bounds))
    return pd.DataFrame(rows, columns=["judge", "system", "dimension", *MEAN]).astype(dict.fromkeys(MEAN, float))


def criterion_bias(criteria: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Mean of status minus truth, -1 to 1, by judge, stage and criterion, with a bootstrap interval over papers.

    `criteria` has judge, paper, criterion, stage (run-0, run-1, ..., voted, audited), status and truth. Long: judge,
    stage (single, voted, audited), criterion, mean, low, high, n. Unscored criteria do not count.
    """
    known = criteria.dropna(subset=["status", "truth"])
    stage = known["stage"].astype(str).str.replace(r"run-\d+", "single", regex=True)
    known = known.assign(stage=stage, error=_values(known["status"]) - _values(known["truth"]))
    rows = []
    for (judge, stage_name, code), part in known.groupby(["judge", "stage", "criterion"], sort=False):
        draw = derive_seed(seed, "bias", str(judge), str(stage_name), str(code))
        error = part["error"].to_numpy(dtype=float)
        interval = bootstrap_mean(error, part["paper"].astype(str), resamples=resamples, seed=draw, level=level)
        rows.append((judge, stage_name, code, error.mean(), *interval, len(part)))
    return pd.DataFrame(rows, columns=["judge", "stage", "criterion", *MEAN, "n"]).astype(dict.fromkeys(MEAN, float))


def _values(statuses: pd.Series) -> pd.Series:
    return statuses.map(VALUE).astype(float)
