"""How often each judge is wrong on planted papers, beside judges that give one status throughout.

- Sensitivity: the share of YES among statuses that were planted as YES.
- Specificity: the share of NO and PARTIAL among the others.
- False YES: a YES where NO was planted.
- Wrong YES: a YES where NO or PARTIAL was planted.
- False leak: a status above NO where evidence for the whole circuit was planted with a component
  that it does not support.
- Raised, lowered: a status above, or below, the planted one.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
from scipy.stats import t

from mechaware.core.levels import MIN_GROUPS
from mechaware.core.stats.intervals import (
    Interval,
    mean_over_groups,
    proportion_over_groups,
    ratio_interval,
)
from mechaware.instruments.claims.rubric.criteria import CRITERIA, VALUE, tier_index
from mechaware.instruments.claims.rubric.scoring import tier

STAGES = {"single": "single runs", "voted": "voted", "audited": "audited"}
BASELINES = {"NO": 0.0, "YES": 10.0}  # the CVS of a judge that gives every criterion this status
RATES = (
    "sensitivity",
    "specificity",
    "false_yes",
    "wrong_yes",
    "false_leak",
    "raised",
    "lowered",
)
POWER = 0.8  # the chance of showing a difference of the smallest detectable size


def planted_agreement(
    summary: Mapping[str, pd.DataFrame], judges: Iterable[str], *, confidence_level: float
) -> pd.DataFrame:
    """How far each judge agrees with planted papers.

    Args:
        summary: The tables papers, runs, criteria and levels of results/claims/summary.
        judges: The judges, in the order of the rows.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        A row for each judge and stage, then one for each baseline, then one for each judge and
        criterion after the audit. Columns: judge; stage, one of `STAGES`, empty for a baseline;
        criterion, empty for all together; the columns of `_criterion_agreement`, `error_rates` and
        `_claims_and_tiers`.

        Each single run of a paper counts as a paper of its own. Rows of single criteria have only
        the columns of `error_rates`, and informedness without an interval: with so few statuses
        papers agree by chance, and the interval would have no width. The rates of a baseline are
        known, not estimated, and have no intervals.
    """
    truth = summary["levels"].drop_duplicates(["paper", "claim"])
    planted = truth.groupby("paper").size()
    runs = summary["runs"][summary["runs"]["paper"].isin(planted.index)]

    rows: list[dict[str, Any]] = []
    criterion_rows: list[dict[str, Any]] = []
    for judge in judges:
        for stage in STAGES:
            criteria = judged_at(summary["criteria"], judge, stage)
            scored = judged_at(runs, judge, stage)
            rows.append(_all_criteria(judge, stage, criteria, scored, planted, confidence_level))
        criterion_rows += _each_criterion(judge, summary["criteria"], confidence_level)
    for status, cvs in BASELINES.items():
        rows.append(_constant_judge(summary, planted, status, cvs, confidence_level))

    table = pd.DataFrame([*rows, *criterion_rows])
    bounds = []
    for rate in RATES:
        bounds += [f"{rate}_low", f"{rate}_high"]
    table.loc[table["stage"] == "", bounds] = None

    # Counts are whole numbers, which may be missing; all other columns that are not text are
    # fractions: shares, and differences of shares or of statuses.
    counts = table.filter(regex="^(n|.*_n|leaked|wrong|wrong_partial|tier_.*|.*_claims|.*papers)$")
    fractions = table.columns.difference(["judge", "stage", "criterion", *counts])
    return table.astype(dict.fromkeys(counts, "Int64") | dict.fromkeys(fractions, "float"))


def _all_criteria(
    judge: str,
    stage: str,
    criteria: pd.DataFrame,
    scored: pd.DataFrame,
    planted: pd.Series,
    confidence_level: float,
) -> dict[str, Any]:
    """The row of a judge at a stage, over all criteria."""
    return {
        "judge": judge,
        "stage": stage,
        "criterion": "",
        **_criterion_agreement(criteria, confidence_level),
        **error_rates(criteria, confidence_level=confidence_level),
        **_claims_and_tiers(criteria, scored, planted),
    }


def _constant_judge(
    summary: Mapping[str, pd.DataFrame],
    planted: pd.Series,
    status: str,
    cvs: float,
    confidence_level: float,
) -> dict[str, Any]:
    """The row of a judge that finds every claim and gives every criterion this status.

    Its stage is empty.
    """
    papers = summary["papers"][summary["papers"]["paper"].isin(planted.index)]
    papers = papers.drop_duplicates("paper")
    levels = summary["levels"][summary["levels"]["paper"].isin(papers["paper"])]
    criteria = levels.assign(stage="", status=status)
    return _all_criteria(
        f"always {status}", "", criteria, papers.assign(cvs=cvs), planted, confidence_level
    )


def _each_criterion(
    judge: str, criteria: pd.DataFrame, confidence_level: float
) -> list[dict[str, Any]]:
    """The rows of single criteria after the audit."""
    stage = "audited"
    audited = judged_at(criteria, judge, stage)
    rows = []
    for code in CRITERIA:
        rates = error_rates(
            audited[audited["criterion"] == code], confidence_level=confidence_level
        )
        rates |= {"informedness_low": None, "informedness_high": None}
        rows.append({"judge": judge, "stage": stage, "criterion": code, **rates})
    return rows


def judged_at(table: pd.DataFrame, judge: str, stage: str) -> pd.DataFrame:
    """The rows of a judge at one of `STAGES`; run-0, run-1, ... of the records are all `single`."""
    stages = table["stage"].str.replace(r"run-\d+", "single", regex=True)
    return table[(table["judge"] == judge) & (stages == stage)]


def error_rates(rows: pd.DataFrame, *, confidence_level: float) -> dict[str, float | None]:
    """How often statuses are wrong.

    `rows` has the columns paper, claim, criterion, status, truth and leak. Missing statuses do not
    count. The result has:

    - each of `RATES`, a share from 0 to 1, with the bounds of `proportion_over_groups` over papers,
      and `{name}_n`, the number of statuses among which it is a share; None where there are none.
      `wrong_yes` is a share of the YES that the judge gives (1 - precision), `raised` of the
      planted NO and PARTIAL, `lowered` of the planted PARTIAL and YES;
    - `leaked`, `wrong` and `wrong_partial`: the numbers of false leaks, of wrong YES, and of wrong
      YES where PARTIAL was planted;
    - `informedness`, sensitivity + specificity - 1, which is 0 for a judge that gives YES equally
      often where it is true and where it is not.
    """
    scored = rows[rows["status"].isin(list(VALUE))]
    leak = scored["leak"].astype(bool)
    yes = scored["status"] == "YES"
    true = scored["truth"] == "YES"
    credited = scored["status"] != "NO"
    judged_value = scored["status"].map(VALUE).astype(float)
    true_value = scored["truth"].map(VALUE).astype(float)
    error = judged_value - true_value

    # By rate: which statuses are hits, and among which statuses their share is taken.
    cases = {
        "sensitivity": (yes, true),
        "specificity": (~yes, ~true),
        "false_yes": (yes, scored["truth"] == "NO"),
        "wrong_yes": (~true, yes),
        "false_leak": (credited, leak),
        "raised": (error > 0, ~true),
        "lowered": (error < 0, scored["truth"] != "NO"),
    }
    row: dict[str, float | None] = {}
    for name in RATES:
        hit, possible = cases[name]
        share, interval = _share(hit[possible], scored[possible], confidence_level)
        row |= _estimate(name, share, interval)
        row[f"{name}_n"] = int(possible.sum())
    row["wrong"] = int((yes & ~true).sum())
    row["wrong_partial"] = int((yes & (scored["truth"] == "PARTIAL")).sum())
    row["leaked"] = int((credited & leak).sum())
    value, interval = _informedness(yes, true, scored["paper"], confidence_level)
    return row | _estimate("informedness", value, interval)


def _informedness(
    yes: pd.Series, true: pd.Series, papers: pd.Series, confidence_level: float
) -> tuple[float | None, Interval | None]:
    """J = mean(yes | true) - mean(yes | not true), and its t interval over papers.

    Both are None if all statuses were planted as YES, or none; the interval also for too few
    papers.
    The interval is computed from the residuals of J, summed by paper. The residual of a status is

        (yes - mean(yes | true)) / n(true)              where YES is true,
        (mean(yes | not true) - yes) / n(not true)      where it is not.
    """
    if not true.any() or true.all():
        return None, None
    mean_if_true = yes[true].mean()
    mean_if_not = yes[~true].mean()
    value = float(mean_if_true - mean_if_not)

    residuals_of_true = (yes - mean_if_true) / true.sum()
    residuals_of_others = (mean_if_not - yes) / (~true).sum()
    residuals = residuals_of_true.where(true, residuals_of_others)
    by_paper = residuals.groupby(papers).sum().to_numpy()
    if len(by_paper) < MIN_GROUPS:
        return value, None
    return value, ratio_interval(by_paper, value, confidence_level)


def _share(
    hits: pd.Series, rows: pd.DataFrame, confidence_level: float
) -> tuple[float | None, Interval | None]:
    """The share of hits among rows, and its interval over papers.

    For the width of the interval, the single runs' statuses on one criterion of a claim count as
    one.
    """
    distinct = len(rows.drop_duplicates(["paper", "claim", "criterion"]))
    interval = proportion_over_groups(
        hits.to_numpy(), rows["paper"], confidence_level, max_n=distinct
    )
    return _mean(hits), interval


def _estimate(name: str, value: float | None, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _detectable(
    interval: Interval | None, papers: pd.Series, confidence_level: float
) -> float | None:
    """The minimum detectable effect: the smallest difference from 0 that G papers would show.

    With a power of 80% it is (t((1 + confidence_level) / 2) + t(0.8)) * standard error, where t(p)
    is the quantile with G - 1 degrees of freedom. None where the papers do not differ, or are too
    few for an interval.
    """
    if interval is None or interval.low == interval.high:
        return None
    freedom = papers.nunique() - 1
    quantile = t.ppf((1 + confidence_level) / 2, freedom)
    half_width = (interval.high - interval.low) / 2  # the quantile times the standard error
    return float(half_width * (1 + t.ppf(POWER, freedom) / quantile))


def _criterion_agreement(rows: pd.DataFrame, confidence_level: float) -> dict[str, float | None]:
    """How well statuses agree with the truth, on a scale of 0, 0.5 and 1; shares are from 0 to 1.

    - `n`: the number of judgements with a status; `unscored`: the share without one.
    - `exact`: the share of statuses that are right.
    - `bias`: the mean of judged minus true; above 0 the judge over-scores.
    - `always_no`, `always_yes`: the share of these judgements that NO, or YES, throughout would get
      right.
    - `over_no`: `exact` minus `always_no`.

    Intervals are over papers: for `exact` `proportion_over_groups`, which stays within 0 and 1, for
    the others t intervals.
    """
    has_status = rows["status"].isin(list(VALUE))
    scored = rows[has_status]
    papers = scored["paper"]
    truth = scored["truth"].map(VALUE).astype(float)
    error = scored["status"].map(VALUE).astype(float) - truth
    is_no = truth == VALUE["NO"]
    over_no = (error == 0).astype(float) - is_no

    exact, exact_interval = _share(error == 0, scored, confidence_level)
    bias_interval = mean_over_groups(error.to_numpy(dtype=float), papers, confidence_level)
    over_no_interval = mean_over_groups(over_no.to_numpy(dtype=float), papers, confidence_level)
    return {
        "n": len(scored),
        "unscored": _mean(~has_status),
        **_estimate("exact", exact, exact_interval),
        **_estimate("bias", _mean(error), bias_interval),
        **_estimate("over_no", _mean(over_no), over_no_interval),
        "over_no_detectable": _detectable(over_no_interval, papers, confidence_level),
        "always_no": _mean(is_no),
        "always_yes": _mean(truth == VALUE["YES"]),
    }


def _mean(values: pd.Series) -> float | None:
    return float(values.mean()) if len(values) else None


def _claims_and_tiers(
    criteria: pd.DataFrame, scored: pd.DataFrame, planted: pd.Series
) -> dict[str, int]:
    """How many planted claims and papers were found, and how far tiers of scored papers are off.

    `scored` has a row for each paper; for single runs, one for each paper and run. `planted` is the
    number of claims by paper. planted_claims, found_claims, papers and the tiers count each run;
    found_papers, the papers in which some claim was found, counts a paper once.
    """
    with_score = scored.dropna(subset="cvs")
    expected = with_score["expected_tier"].map(tier_index).astype(int)
    judged = with_score["cvs"].map(lambda cvs: tier_index(tier(cvs).name)).astype(int)
    off = judged - expected
    return {
        "planted_claims": int(sum(planted[paper] for paper in scored["paper"])),
        "found_claims": len(criteria.drop_duplicates(["paper", "claim", "stage"])),
        "papers": len(scored),
        "found_papers": criteria["paper"].nunique(),
        "tier_n": len(off),
        "tier_exact": int((off == 0).sum()),
        "tier_up": int((off > 0).sum()),
        "tier_down": int((off < 0).sum()),
        "tier_always_no": int((expected == 0).sum()),
    }
