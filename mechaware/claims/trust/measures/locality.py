"""Whether a judge leaves alone what an edit does not concern, beside how often it changes its mind anyway."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.claims.rubric.criteria import STATUSES
from mechaware.stats import LEAST_GROUPS, ratio_interval


class Locality(NamedTuple):
    """Of one criterion: `stayed` and `again` are shares, `share` is the one over the other, at most 1.

    `low` is the lower end of its interval over papers; None where there are too few of them, or no second reading.
    """

    n: int
    stayed: float | None
    again: float | None
    share: float | None
    low: float | None


class _Readings(NamedTuple):
    """Statuses (0, 1 or 2), each with the number of its paper and of its claim there."""

    papers: Int[np.ndarray, " status"]
    claims: Int[np.ndarray, " status"]
    statuses: Int[np.ndarray, " status"]

    def only(self, chosen: Bool[np.ndarray, " status"]) -> "_Readings":
        return _Readings(*(part[chosen] for part in self))


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
    names = sorted(others["paper"].unique())
    second = repeated[repeated["paper"].isin(names)]
    edited, again_read = _read(others, "after", names), _read(second, "after", names)
    usual = _usual(edited, again_read)
    beside = (others["about"] == others["criterion"]).to_numpy()
    halves = [_share_of_usual([edited.only(half)], usual) for half in (beside, ~beside)]
    known = [half for half in halves if half]
    stayed = float(np.mean([half.value for half in known]))
    again = _share_of_usual([_read(second, "before", names), again_read], usual)
    if again is None or again.value == 0:
        return Locality(len(others), stayed, again and again.value, None, None)
    share = stayed / again.value
    low = None
    if len(known) == len(halves) and min(part.papers for part in (*known, again)) >= LEAST_GROUPS:
        errors = np.mean([half.residuals for half in known], axis=0) - share * again.residuals
        low = ratio_interval(errors / again.value, share, level).low
    return Locality(len(others), stayed, again.value, min(1.0, share), low)


def _read(rows: pd.DataFrame, column: str, names: list[str]) -> _Readings:
    statuses = rows[column].to_numpy(int)
    return _Readings(np.searchsorted(names, rows["paper"]), rows["claim"].to_numpy(int), statuses)


def _usual(*readings: _Readings) -> Int[np.ndarray, "paper claim"]:
    """The most frequent status of each claim; of a tie the lower."""
    papers, claims, statuses = map(np.concatenate, zip(*readings, strict=True))
    counts = np.zeros((papers.max() + 1, claims.max() + 1, len(STATUSES)), dtype=int)
    np.add.at(counts, (papers, claims, statuses), 1)
    return np.asarray(counts.argmax(axis=-1))


def _share_of_usual(readings: Sequence[_Readings], usual: Int[np.ndarray, "paper claim"]) -> _Ratio | None:
    """The share of statuses that are the claim's usual ones, with each paper's residual; None of nothing."""
    papers, claims, statuses = map(np.concatenate, zip(*readings, strict=True))
    if not len(papers):
        return None
    sums = np.bincount(papers, weights=statuses == usual[papers, claims], minlength=len(usual))
    sizes = np.bincount(papers, minlength=len(usual))
    value = sums.sum() / sizes.sum()
    return _Ratio(float(value), (sums - value * sizes) / sizes.sum(), int((sizes > 0).sum()))
