"""How often each judge is wrong on planted papers, beside judges that give one status throughout.

A judge finds YES where the planted status is YES (sensitivity) and another status where it is not (specificity). A
false YES is a YES where NO was planted, a wrong YES one where NO or PARTIAL was. A false leak is a status above NO
where evidence for the whole circuit was planted beside a component that it does not support. A status is raised if it
is above the planted one, and lowered if it is below.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm, t

from mechaware.core.levels import LEAST_GROUPS
from mechaware.core.stats import (
    Estimate,
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
POWER = 0.8
WIDEST_CORRECTED = 0.5


def planted_agreement(
    summary: Mapping[str, pd.DataFrame], judges: Iterable[str], *, level: float
) -> pd.DataFrame:
    """A row for each judge and stage, for each baseline, and for each judge and criterion after the audit.

    `summary` has the tables papers, runs, criteria and levels of results/claims/summary.
    The rows of single criteria have `error_rates` alone, without intervals of informedness: on so few statuses papers
    agree by chance, and its t interval would have no width. Single runs of a paper count as so many papers.
    """
    truth = summary["levels"].drop_duplicates(["paper", "claim"])
    planted = truth.groupby("paper").size()
    papers = summary["papers"][summary["papers"]["paper"].isin(planted.index)].drop_duplicates(
        "paper"
    )
    levels = summary["levels"][summary["levels"]["paper"].isin(papers["paper"])].assign(stage="")
    runs = summary["runs"][summary["runs"]["paper"].isin(planted.index)]
    parts = [
        (judge, stage, judged_at(summary["criteria"], judge, stage), judged_at(runs, judge, stage))
        for judge in judges
        for stage in STAGES
    ]
    constants = [
        (f"always {status}", "", levels.assign(status=status), papers.assign(cvs=cvs))
        for status, cvs in BASELINES.items()
    ]
    rows: list[dict[str, Any]] = []
    for judge, stage, criteria, scored in [*parts, *constants]:
        row: dict[str, Any] = {"judge": judge, "stage": stage, "criterion": ""}
        row |= _criterion_agreement(criteria, level) | error_rates(criteria, level=level)
        rows.append(row | _claims_and_tiers(criteria, scored, planted))
    for judge, stage, criteria, _ in parts:
        for code in CRITERIA if stage == "audited" else ():
            rates = error_rates(criteria[criteria["criterion"] == code], level=level)
            rates |= {"informedness_low": None, "informedness_high": None}
            rows.append({"judge": judge, "stage": stage, "criterion": code} | rates)
    table = pd.DataFrame(rows)
    # The rates of a constant answer are known and not estimated.
    table.loc[
        table["stage"] == "", [f"{rate}_{end}" for rate in RATES for end in ("low", "high")]
    ] = None
    counts = table.filter(regex="^(n|.*_n|leaked|wrong|wrong_partial|tier_.*|.*_claims|.*papers)$")
    shares = table.columns.difference(["judge", "stage", "criterion", *counts])
    return table.astype(dict.fromkeys(counts, "Int64") | dict.fromkeys(shares, "float"))


def judged_at(table: pd.DataFrame, judge: str, stage: str) -> pd.DataFrame:
    """The rows of a judge at one of `STAGES`; run-0, run-1, ... of the records are all `single`."""
    stages = table["stage"].str.replace(r"run-\d+", "single", regex=True)
    return table[(table["judge"] == judge) & (stages == stage)]


def error_rates(rows: pd.DataFrame, *, level: float) -> dict[str, float | None]:
    """How often statuses are wrong; `rows` has the columns paper, claim, criterion, status, truth and leak.

    Each of `RATES` is a share, 0 to 1, of the `{name}_n` statuses that could be right or wrong so, with the bounds of
    `proportion_over_groups` over papers; None where there is no such status. `wrong_yes` is a share of the YES that the
    judge gives (1 - precision), `raised` of the planted NO and PARTIAL, `lowered` of the planted PARTIAL and YES.
    `leaked` counts the false leaks, `wrong` the wrong YES, and `wrong_partial` those of them where PARTIAL was planted.
    `informedness` is sensitivity + specificity - 1: 0 for a judge that gives YES as often where it is not true.
    Statuses that are missing do not count.
    """
    scored = rows[rows["status"].isin(list(VALUE))]
    papers, leak = scored["paper"], scored["leak"].astype(bool)
    yes, true, credited = (
        scored["status"] == "YES",
        scored["truth"] == "YES",
        scored["status"] != "NO",
    )
    error = scored["status"].map(VALUE).astype(float) - scored["truth"].map(VALUE).astype(float)
    row: dict[str, float | None] = {}
    cases = (
        (yes, true),
        (~yes, ~true),
        (yes, scored["truth"] == "NO"),
        (~true, yes),
        (credited, leak),
        (error > 0, ~true),
        (error < 0, scored["truth"] != "NO"),
    )
    for name, (hit, possible) in zip(RATES, cases, strict=True):
        row |= _estimate(name, *_share(hit[possible], scored[possible], level)) | {
            f"{name}_n": int(possible.sum())
        }
    row |= {
        "wrong": int((yes & ~true).sum()),
        "wrong_partial": int((yes & (scored["truth"] == "PARTIAL")).sum()),
    }
    row["leaked"] = int((credited & leak).sum())
    value, interval = None, None
    if true.any() and not true.all():
        shares = yes[true].mean(), yes[~true].mean()
        value = float(shares[0] - shares[1])
        residuals = ((yes - shares[0]) / true.sum()).where(true, (shares[1] - yes) / (~true).sum())
        by_paper = residuals.groupby(papers).sum().to_numpy()
        interval = ratio_interval(by_paper, value, level) if len(by_paper) >= LEAST_GROUPS else None
    return row | _estimate("informedness", value, interval)


def _share(
    hits: pd.Series, rows: pd.DataFrame, level: float
) -> tuple[float | None, Interval | None]:
    """The share of hits among rows, and its interval over papers; a status of several single runs counts once."""
    distinct = len(rows.drop_duplicates(["paper", "claim", "criterion"]))
    return _mean(hits), proportion_over_groups(hits.to_numpy(), rows["paper"], level, most=distinct)


def _estimate(name: str, value: float | None, interval: Interval | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {name: value, f"{name}_low": low, f"{name}_high": high}


def _detectable(interval: Interval | None, papers: pd.Series, level: float) -> float | None:
    """The smallest difference from 0 that G papers would show with a probability of 80%, by their t interval.

    It is (t((1 + level) / 2) + t(0.8)) * standard error, t with G - 1 degrees of freedom (the minimum detectable
    effect). None where the papers do not differ, or are too few for an interval.
    """
    if interval is None or interval.low == interval.high:
        return None
    freedom = papers.nunique() - 1
    reach = (interval.high - interval.low) / 2
    return float(reach * (1 + t.ppf(POWER, freedom) / t.ppf((1 + level) / 2, freedom)))


def corrected_share(
    share: float, n: int, rates: Mapping[str, Any], *, level: float
) -> Estimate | None:
    """A share of n criteria at YES corrected for the judge's error rates (Rogan and Gladen, 1978), 0 to 1.

    true = (share + specificity - 1) / J with J = sensitivity + specificity - 1. `rates` is a row of the table
    claims_planted. By the delta method, half-width = hypot(z sqrt(share (1 - share) / n), (1 - true) * half-width of
    specificity, true * half-width of sensitivity) / J, and the ends stay within 0 and 1. None, "not determined",
    without these intervals, and unless that of J (`informedness`) is above 0: otherwise the judge may give YES as often
    where it is not true. None as well where true is not within 0 and 1, which contradicts the rates, or where the
    interval is wider than `WIDEST_CORRECTED`.
    """
    ends = [rates[f"{name}_low"] for name in ("informedness", "sensitivity", "specificity")]
    if any(map(pd.isna, ends)) or ends[0] <= 0:
        return None
    informedness = rates["informedness"]
    value = float((share + rates["specificity"] - 1) / informedness)
    if not 0 <= value <= 1:
        return None
    missed, false = (
        (rates[f"{name}_high"] - rates[f"{name}_low"]) / 2
        for name in ("sensitivity", "specificity")
    )
    sampling = norm.ppf((1 + level) / 2) * np.sqrt(share * (1 - share) / n)
    reach = float(np.linalg.norm([sampling, (1 - value) * false, value * missed]) / informedness)
    if 2 * reach > WIDEST_CORRECTED:
        return None
    return Estimate(value, max(value - reach, 0.0), min(value + reach, 1.0))


def _criterion_agreement(rows: pd.DataFrame, level: float) -> dict[str, float | None]:
    """How far statuses agree with the truth on the 0, 0.5, 1 scale; shares are 0 to 1.

    `n` are the judgements with a status, `unscored` the share without one. `bias` is the mean of judged minus true:
    above 0 the judge over-scores. On the same judgements, answering NO throughout would score `always_no`, and YES
    throughout `always_yes`; `over_no` is `exact` minus `always_no`. Intervals are over papers: that of `exact` is
    `proportion_over_groups`, which stays within 0 and 1, the others are t intervals.
    """
    scored = rows[rows["status"].isin(list(VALUE))]
    truth = scored["truth"].map(VALUE).astype(float)
    error = scored["status"].map(VALUE).astype(float) - truth
    row: dict[str, float | None] = {
        "n": len(scored),
        "unscored": _mean(~rows["status"].isin(list(VALUE))),
    }
    over_no = (error == 0).astype(float) - (truth == VALUE["NO"])
    row |= _estimate("exact", *_share(error == 0, scored, level))
    for name, values in (("bias", error), ("over_no", over_no)):
        interval = mean_over_groups(values.to_numpy(dtype=float), scored["paper"], level)
        row |= _estimate(name, _mean(values), interval)
    row["over_no_detectable"] = _detectable(interval, scored["paper"], level)
    return row | {
        f"always_{status.lower()}": _mean(truth == VALUE[status]) for status in ("NO", "YES")
    }


def _mean(values: pd.Series) -> float | None:
    return float(values.mean()) if len(values) else None


def _claims_and_tiers(
    criteria: pd.DataFrame, scored: pd.DataFrame, planted: pd.Series
) -> dict[str, int]:
    """Claims and papers that were found of those planted, and the tiers of the papers that were scored.

    `scored` has a row for each paper, of single runs for each paper and run; `planted` counts the claims by paper.
    """
    known = scored.dropna(subset="cvs")
    expected = known["expected_tier"].map(tier_index).astype(int)
    off = known["cvs"].map(lambda cvs: tier_index(tier(cvs).name)).astype(int) - expected
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
