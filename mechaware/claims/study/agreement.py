"""How far judgements agree with reference labels or planted truth, and which way they err (sections 4.2, 5 and 6.3)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from mechaware.claims.rubric.criteria import TIERS, VALUE, tier_index
from mechaware.claims.rubric.scoring import printed_score, tier
from mechaware.stats import clopper_pearson, mean_over_groups

ALL = "all"  # kinds of labels
IOI = "ioi"  # the only paper of the printed comparison, Table 6
COUNTED = ("quoted", "quotes_found", "failed_audits", "calls", "prompt_tokens", "completion_tokens")
Metric = Literal["nominal", "ordinal", "interval"]


class _TierAgreement(NamedTuple):
    """Predicted against expected tiers of n papers; None for a value that so few or so uniform papers leave undefined.

    `exact` and `within_one` are numbers of papers, `*_low` and `*_high` Clopper-Pearson bounds of their shares, 0 to 1.
    `up` and `down` count errors by direction; `p` is the p-value of a two-sided sign test on them.
    """

    n: int
    exact: int
    exact_low: float | None
    exact_high: float | None
    within_one: int
    within_one_low: float | None
    within_one_high: float | None
    kappa: float | None
    kappa_linear: float | None
    kappa_quadratic: float | None
    alpha: float | None
    up: int
    down: int
    p: float | None


class _CriterionAgreement(NamedTuple):
    """Judged against true statuses on the 0, 0.5, 1 scale.

    `n` are the judgements with a status, `unscored` the share without one. `bias` is the mean of judged minus true:
    above 0 the judge over-scores. On the same judgements, answering NO throughout would score `always_no`, and YES
    throughout `always_yes`; `over_no` is `exact` minus `always_no`. Shares are 0 to 1. Bounds are those of a t
    interval over papers, None for fewer than six. Values are None without a judgement that has a status.
    """

    n: int
    unscored: float | None
    exact: float | None = None
    exact_low: float | None = None
    exact_high: float | None = None
    mae: float | None = None
    bias: float | None = None
    bias_low: float | None = None
    bias_high: float | None = None
    alpha: float | None = None
    always_no: float | None = None
    always_yes: float | None = None
    over_no: float | None = None
    over_no_low: float | None = None
    over_no_high: float | None = None


class _LeakRate(NamedTuple):
    """The share of planted leaks that were judged above NO, with Clopper-Pearson's interval (leaks as independent)."""

    leaks: int
    leaked: int
    rate: float | None
    low: float | None
    high: float | None


class _Spread(NamedTuple):
    """How far the CVS of one paper varies over repetitions: largest minus smallest, and sample standard deviation."""

    n: int
    range: float | None
    sd: float | None


class _MovedBoundary(NamedTuple):
    """One tier boundary moved: the indices of the papers whose tier changes, and the agreement after it."""

    boundary: float
    moved_to: float
    changed: list[int]
    after: _TierAgreement


class _Setting(NamedTuple):
    """The papers with one kind of label, at the boundaries of section 3.4 (none moved) or with one of them moved.

    `changed` names the papers whose tier the move changes, separated by spaces.
    """

    labels: str
    boundary: float | None
    moved_to: float | None
    changed: str
    agreement: _TierAgreement


def tier_agreement(predicted: Sequence[int], expected: Sequence[int], *, level: float) -> _TierAgreement:
    """The agreement of tiers, given by their ranks 0 to 4, paper by paper."""
    off = np.array(predicted, dtype=int) - np.array(expected, dtype=int)
    exact, within = int((off == 0).sum()), int((np.abs(off) <= 1).sum())
    up, down = int((off > 0).sum()), int((off < 0).sum())
    exact_low, exact_high = _exact_interval(exact, len(off), level)
    within_low, within_high = _exact_interval(within, len(off), level)
    return _TierAgreement(
        n=len(off),
        exact=exact,
        exact_low=exact_low,
        exact_high=exact_high,
        within_one=within,
        within_one_low=within_low,
        within_one_high=within_high,
        kappa=_cohens_kappa(predicted, expected, None),
        kappa_linear=_cohens_kappa(predicted, expected, "linear"),
        kappa_quadratic=_cohens_kappa(predicted, expected, "quadratic"),
        alpha=_krippendorff_alpha(np.array([predicted, expected], dtype=float), "ordinal"),
        up=up,
        down=down,
        p=sign_test(up, down),
    )


def _cohens_kappa(
    first: Sequence[int], second: Sequence[int], weights: Literal["linear", "quadratic"] | None
) -> float | None:
    """Cohen's kappa over the five tiers; None where chance alone makes all agree, or there is nothing to compare."""
    if len({*first, *second}) < 2:
        return None
    return float(cohen_kappa_score(first, second, labels=range(len(TIERS)), weights=weights))


def _krippendorff_alpha(ratings: Float[np.ndarray, "rater unit"], metric: Metric) -> float | None:
    """Krippendorff's alpha; NaN is a missing rating. None where no two ratings of a unit differ or could differ.

    1 - observed / expected disagreement, from the matrix of coincidences: a unit with m ratings adds each of its
    ordered pairs with weight 1 / (m - 1). Units with one rating count for nothing.
    """
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = (ratings.T[:, :, None] == values).sum(axis=1).astype(float)  # unit by value
    counts = counts[counts.sum(axis=1) > 1]
    pairs = np.zeros((len(values), len(values)))
    for unit in counts:
        pairs += (np.outer(unit, unit) - np.diag(unit)) / (unit.sum() - 1)
    margin = pairs.sum(axis=1)
    distance = _squared_distance(values, margin, metric)
    expected = float((np.outer(margin, margin) * distance).sum())
    if expected == 0:
        return None
    return float(1 - (margin.sum() - 1) * (pairs * distance).sum() / expected)


def sign_test(up: int, down: int) -> float | None:
    """Two-sided exact p-value of the hypothesis that errors up and down are equally likely; None without errors."""
    return float(binomtest(up, up + down).pvalue) if up + down else None


def criterion_agreement(rows: pd.DataFrame, *, level: float) -> _CriterionAgreement:
    """The agreement of judged criteria: `rows` has the columns paper, status (missing: unscored) and truth."""
    scored = rows[rows["status"].isin(list(VALUE))]
    unscored = 1 - len(scored) / len(rows) if len(rows) else None
    if scored.empty:
        return _CriterionAgreement(0, unscored)
    judged = scored["status"].map(VALUE).to_numpy(dtype=float)
    truth = scored["truth"].map(VALUE).to_numpy(dtype=float)
    error = judged - truth
    over_no = (error == 0).astype(float) - (truth == VALUE["NO"])
    right, bias, over = (
        mean_over_groups(values, scored["paper"], level) or (None, None) for values in (error == 0, error, over_no)
    )
    return _CriterionAgreement(
        n=len(scored),
        unscored=unscored,
        exact=float((error == 0).mean()),
        exact_low=right[0],
        exact_high=right[1],
        mae=float(np.abs(error).mean()),
        bias=float(error.mean()),
        bias_low=bias[0],
        bias_high=bias[1],
        alpha=_krippendorff_alpha(np.array([judged, truth]), "ordinal"),
        always_no=float((truth == VALUE["NO"]).mean()),
        always_yes=float((truth == VALUE["YES"]).mean()),
        over_no=float(over_no.mean()),
        over_no_low=over[0],
        over_no_high=over[1],
    )


def leak_rate(rows: pd.DataFrame, *, level: float) -> _LeakRate:
    """The leak rate of judged criteria; `rows` has columns status, truth, leak. Rows without a status do not count."""
    planted = rows[rows["leak"].astype(bool) & rows["status"].isin(list(VALUE))]
    leaked = int((planted["status"] != "NO").sum())
    rate = leaked / len(planted) if len(planted) else None
    return _LeakRate(len(planted), leaked, rate, *_exact_interval(leaked, len(planted), level))


def spread(values: Sequence[float]) -> _Spread:
    """The spread of a paper's CVS over repetitions; None for fewer than two values."""
    if len(values) < 2:
        return _Spread(len(values), None, None)
    return _Spread(len(values), float(np.ptp(values)), float(np.std(values, ddof=1)))


def boundary_sensitivity(
    scores: Sequence[float], expected: Sequence[int], *, shift: float, level: float
) -> Iterator[_MovedBoundary]:
    """Every tier boundary moved down and up by `shift`, one at a time (section 6.3)."""
    before = [tier(score) for score in scores]
    boundaries = [tier.boundary for tier in TIERS[1:]]
    for index, boundary in enumerate(boundaries):
        for moved_to in (boundary - shift, boundary + shift):
            moved = [*boundaries[:index], moved_to, *boundaries[index + 1 :]]
            after = [_tier_rank(score, moved) for score in scores]
            changed = [i for i, now in enumerate(after) if now != tier_index(before[i].name)]
            yield _MovedBoundary(boundary, moved_to, changed, tier_agreement(after, expected, level=level))


def _tier_rank(score: float, boundaries: Sequence[float]) -> int:
    return tier_index(tier(score, boundaries).name)


def _exact_interval(count: int, n: int, level: float) -> tuple[float | None, float | None]:
    return clopper_pearson(count, n, level) if n else (None, None)


def _squared_distance(
    values: Float[np.ndarray, " value"], margin: Float[np.ndarray, " value"], metric: Metric
) -> Float[np.ndarray, "value value"]:
    """Krippendorff's squared distances between values, of which `margin` gives how often each is paired."""
    # An ordinal value lies in the middle of the ratings that have it, all ratings put in a row.
    places = np.cumsum(margin) - margin / 2 if metric == "ordinal" else values
    gap = places[:, None] - places
    return (gap != 0).astype(float) if metric == "nominal" else gap * gap


def boundary_agreement(
    reported: pd.DataFrame, papers: pd.DataFrame, judges: Iterable[str], *, shift: float, level: float
) -> pd.DataFrame:
    """A row for each source of scores and setting: source, the fields of `_Setting`, those of `_TierAgreement`.

    `reported` has the printed papers; their CVS are taken as they were before rounding. Of the judged `papers`, those
    without a score or a label are left out. A judge without any has one row, of no papers.
    """
    printed = reported.assign(cvs=reported["cvs"].map(printed_score))
    known = papers[(papers["status"] == "scored") & (papers["expected_tier"] != "")]
    sources = {"reported": printed} | {judge: known[known["judge"] == judge] for judge in judges}
    rows = [
        {"source": source} | setting._asdict() | setting.agreement._asdict()
        for source, scored in sources.items()
        for setting in _boundary_settings(scored, shift, level)
    ]
    return pd.DataFrame(rows).drop(columns="agreement")


def _boundary_settings(papers: pd.DataFrame, shift: float, level: float) -> Iterator[_Setting]:
    label_sources = papers["label_source"].unique()
    for labels in (ALL, *(label_sources if len(label_sources) > 1 else ())):
        labelled = papers[(papers["label_source"] == labels) | (labels == ALL)]
        predicted = [tier_index(tier(cvs).name) for cvs in labelled["cvs"]]
        expected = list(map(tier_index, labelled["expected_tier"]))
        yield _Setting(labels, None, None, "", tier_agreement(predicted, expected, level=level))
    if papers.empty:
        return
    expected = list(map(tier_index, papers["expected_tier"]))
    for moved in boundary_sensitivity(papers["cvs"].tolist(), expected, shift=shift, level=level):
        changed = " ".join(papers["paper"].iloc[moved.changed])
        yield _Setting(ALL, moved.boundary, moved.moved_to, changed, moved.after)


def judge_comparison(papers: pd.DataFrame, usage: pd.DataFrame, judge: str, *, level: float) -> dict[str, object]:
    """The row of one judge from the summary tables of papers and of usage; what is unknown is absent, None or NaN.

    `cvs`, `tier` and `off_by` are those of IOI; the agreement is over all papers with a tier and a label. The cost is
    unknown if that of any paper is. `quoted` counts the quotes in the evidence of all runs, `quotes_found` those whose
    place in the paper is known.
    """
    judged, used = papers[papers["judge"] == judge], usage[usage["judge"] == judge]
    asked = used["n_criteria"].sum()
    row: dict[str, object] = {
        "papers": len(judged),
        "n_claims": judged["n_claims"].mean(),
        "unscored": used["unscored"].sum() / asked if asked else None,
        **{name: used[name].sum() for name in COUNTED},
        "cost": used["cost"].sum(min_count=len(used)) if len(used) else None,
    }
    for paper in judged[judged["paper"] == IOI].itertuples():
        row |= {"cvs": paper.cvs, "tier": paper.tier, "off_by": paper.off_by}
    known = judged[(judged["tier"] != "") & (judged["expected_tier"] != "")]
    if known.empty:
        return row
    predicted, expected = (list(map(tier_index, known[name])) for name in ("tier", "expected_tier"))
    agreement = tier_agreement(predicted, expected, level=level)
    return row | {
        "exact": agreement.exact,
        "exact_low": agreement.exact_low,
        "exact_high": agreement.exact_high,
        "within_one": agreement.within_one,
        "labelled": agreement.n,
        "mean_off_by": known["off_by"].mean(),
    }
