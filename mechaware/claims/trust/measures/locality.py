"""Whether a judge leaves alone what an edit does not concern, beside how often it changes its mind anyway."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from mechaware.stats import LEAST_GROUPS, ratio_interval

STATUS = ["paper", "claim"]


class Locality(NamedTuple):
    """Of one criterion: `stayed` and `again` are shares, `share` is the one over the other, at most 1.

    `low` is the lower end of its interval over papers; None where there are too few of them, or no second reading.
    """

    n: int
    stayed: float | None
    again: float | None
    share: float | None
    low: float | None


class _Ratio(NamedTuple):
    """A ratio of sums over papers and each paper's residual of it."""

    value: float
    residuals: Float[np.ndarray, " paper"]
    papers: int


def locality(moves: pd.DataFrame, repeated: pd.DataFrame, level: float) -> Locality:
    """Of one criterion: how much of what a judge repeats on the same text it keeps on texts edited elsewhere.

    The usual status of a claim is the one that its texts have most often, edits of this criterion of this claim apart.
    `stayed` is the share of edited texts with the usual status: the mean of two shares, so that the many do not
    outweigh the few. One is of the claim that was not edited, where the other's evidence on this same criterion was;
    the other of all else. `again` is the share of usual statuses in two readings of the unedited texts, so that a judge
    that changes its mind at random stays as often as it repeats itself. The interval is the t interval over papers of
    the quotient, linearised; it needs `LEAST_GROUPS` in every share.
    """
    others = moves[moves["expected"] == 0]
    if others.empty:
        return Locality(0, None, None, None, None)
    usual = _usual(others, repeated)
    kept = others["after"].to_numpy() == usual.loc[pd.MultiIndex.from_frame(others[STATUS])].to_numpy()
    beside = (others["about"] == others["criterion"]).to_numpy()
    names = sorted(others["paper"].unique())
    halves = [_ratio(kept[half], others["paper"][half], names) for half in (beside, ~beside)]
    known = [half for half in halves if half]
    stayed = float(np.mean([half.value for half in known]))
    readings = pd.concat(
        [repeated[[*STATUS, side]].set_axis([*STATUS, "status"], axis=1) for side in ("before", "after")]
    )
    readings = readings[readings["paper"].isin(names)]
    again = _ratio(
        readings["status"].to_numpy() == usual.reindex(pd.MultiIndex.from_frame(readings[STATUS])).to_numpy(),
        readings["paper"],
        names,
    )
    if again is None or again.value == 0:
        return Locality(len(others), stayed, again and again.value, None, None)
    share = stayed / again.value
    low = None
    if len(known) == len(halves) and min(part.papers for part in (*known, again)) >= LEAST_GROUPS:
        errors = np.mean([half.residuals for half in known], axis=0) - share * again.residuals
        low = ratio_interval(errors / again.value, share, level).low
    return Locality(len(others), stayed, again.value, min(1.0, share), low)


def _usual(others: pd.DataFrame, repeated: pd.DataFrame) -> pd.Series:
    """The most frequent status of each claim; of a tie the lower."""
    seen = pd.concat([others[[*STATUS, "after"]], repeated[[*STATUS, "after"]]])
    times = seen.groupby([*STATUS, "after"]).size().reset_index(name="times")
    first = times.sort_values("times", ascending=False, kind="stable").drop_duplicates(STATUS)
    return first.set_index(STATUS)["after"]


def _ratio(hits: Bool[np.ndarray, " status"], papers: pd.Series, names: list[str]) -> _Ratio | None:
    """The share of hits, with its residuals in the order of `names`; None of nothing."""
    if not len(hits):
        return None
    member = np.searchsorted(names, papers)
    sums = np.bincount(member, weights=hits, minlength=len(names))
    sizes = np.bincount(member, minlength=len(names))
    value = sums.sum() / sizes.sum()
    return _Ratio(float(value), (sums - value * sizes) / sizes.sum(), int((sizes > 0).sum()))
