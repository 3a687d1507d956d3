"""How far a judge may be trusted: how it responds to edits, what it leaves alone, and what it gets right."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.levels import MIN_GROUPS
from mechaware.core.stats import ratio_interval
from mechaware.instruments.claims.rubric.criteria import RANK
from mechaware.verdicts.trust.papers import tested_levels
from mechaware.verdicts.trust.responses import (
    CODES,
    Share,
    claims_moved,
    judged_statuses,
    labelled,
    moved_by_hard_edits,
    repeats,
    responses,
    sensitivity,
    share_of,
    share_of_claims,
    stability,
)
from mechaware.verdicts.trust.trials import SEED_OF

# Whether to trust a judge on a criterion.
YES = "yes"
NO = "no"
TOO_FEW = "too few"


class Limits(NamedTuple):
    """What the lower bounds must be above for a judge to be trusted on a criterion."""

    sensitivity: float
    locality: float
    right: float


class _Locality(NamedTuple):
    """Of one criterion: `stayed` and `again` are shares, `share` is the one over the other, at most 1.

    `low` is the lower end of its interval over papers; None where there are too few of them, or no second reading.
    """

    n: int
    stayed: float | None
    again: float | None
    share: float | None
    low: float | None


def criterion_trust(judged: pd.DataFrame, limits: Limits, confidence_level: float) -> pd.DataFrame:
    """For each criterion its shares with their lower bounds, and whether to rely on the judge there.

    Our definition: a judge may be trusted on a criterion if these lower bounds are above their limits:

    - sensitivity: the share of claims more than half of whose targeted statuses moved as expected;
    - locality (`_locality`);
    - right, for each level of the criterion: the share of claims of which more than half of the statuses at that level
      are right, so that a judge that never tells PARTIAL from another level is not trusted;
    - by the limit of sensitivity, for each family of hard edits the share of claims that it moved, over all criteria: a
      judge that credits withdrawn evidence, or another's, reads evidence on no criterion.

    Args:
        judged: The rows of `judged_statuses`.
        limits: What the bounds must be above.
        confidence_level: Of the intervals, such as 0.95.

    Returns:
        A row for each criterion. Columns: criterion, the fields of each share and of `_Locality`, and `trusted`: yes,
        no, or too few, where a judge without mistakes would not pass either.
    """
    moved_by_hard = list(moved_by_hard_edits(responses(judged), confidence_level).values())
    rows = []
    for code in CODES:
        of_criterion = judged[judged["criterion"] == code]
        moves = responses(of_criterion)
        moved = claims_moved(moves, confidence_level)
        locality = _locality(moves, repeats(of_criterion), confidence_level)
        statuses = labelled(of_criterion)
        right = {
            status: _right_at(statuses, RANK[status], confidence_level)
            for status in tested_levels(code)
        }

        bounds = [_Bound(moved, limits.sensitivity)]
        bounds += [_Bound(share, limits.sensitivity) for share in moved_by_hard]
        bounds += [_Bound(share, limits.right) for share in right.values()]
        trusted = NO
        if locality.low is None or not all(
            bound.can_be_passed(confidence_level) for bound in bounds
        ):
            trusted = TOO_FEW
        elif locality.low > limits.locality and all(bound.is_passed for bound in bounds):
            trusted = YES

        row: dict[str, object] = {"criterion": code}
        row |= _columns("sensitivity", moved)
        row |= _columns("locality", locality)
        for status, share in right.items():
            row |= _columns(f"right_{status.lower()}", share)
        row["trusted"] = trusted
        rows.append(row)
    return pd.DataFrame(rows)


class _Bound(NamedTuple):
    """A share whose lower bound must be above `limit`."""

    share: Share
    limit: float

    @property
    def is_passed(self) -> bool:
        """Whether it is."""
        return self.share.low is not None and self.share.low > self.limit

    def can_be_passed(self, confidence_level: float) -> bool:
        """Whether it would be if all of as many were hits."""
        all_hits = share_of(self.share.n, self.share.n, confidence_level)
        return _Bound(all_hits, self.limit).is_passed


def _right_at(statuses: pd.DataFrame, rank: int, confidence_level: float) -> Share:
    """The claims more than half of whose statuses with the truth of this rank are right."""
    at_rank = statuses[statuses["truth"] == rank]
    return share_of_claims(at_rank["after"] == at_rank["truth"], at_rank, confidence_level)


def _columns(name: str, fields: Share | _Locality) -> dict[str, object]:
    return {f"{name}_{part}": value for part, value in fields._asdict().items()}


def _locality(moves: pd.DataFrame, repeated: pd.DataFrame, confidence_level: float) -> _Locality:
    """Of one criterion: how much of what a judge repeats on the same text it keeps on texts edited elsewhere.

    The usual status of a claim is the one that its texts have most often, edits of this criterion of this claim apart;
    of a tie the lower. `stayed` is the share of edited texts with the usual status: the mean of two shares, so that the
    many do not outweigh the few. One is of the claim that was not edited, where the other's evidence on this same
    criterion was; the other of all else. `again` is the share of usual statuses in two readings of the unedited texts,
    so that a judge that changes its mind at random stays as often as it repeats itself.

    The interval is the t interval over papers of stayed / again, linearised: with r the residuals of the two, by paper,
    those of the quotient are (r(stayed) - stayed / again * r(again)) / again. It needs `MIN_GROUPS` in every share.
    """
    should_stay = moves[moves["expected"] == 0]
    if should_stay.empty:
        return _Locality(0, None, None, None, None)

    second_readings = repeated[repeated["paper"].isin(should_stay["paper"])]
    by_claim = pd.concat([should_stay, second_readings]).groupby(["paper", "claim"])["after"]
    usual = by_claim.agg(lambda given: given.mode().min())
    papers = sorted(should_stay["paper"].unique())

    other_was_edited = should_stay["about"] == should_stay["criterion"]
    halves = []
    for half in (should_stay[other_was_edited], should_stay[~other_was_edited]):
        if len(half):
            halves.append(_usual_share(half, usual, papers))
    stayed = float(np.mean([half.value for half in halves]))

    if second_readings.empty:
        return _Locality(len(should_stay), stayed, None, None, None)
    first_readings = second_readings.assign(after=second_readings["before"])
    again = _usual_share(pd.concat([first_readings, second_readings]), usual, papers)
    if again.value == 0:
        return _Locality(len(should_stay), stayed, again.value, None, None)

    share = stayed / again.value
    low = None
    fewest_papers = min(part.papers for part in (*halves, again))
    if len(halves) == 2 and fewest_papers >= MIN_GROUPS:
        of_stayed = np.mean([half.residuals for half in halves], axis=0)
        residuals = (of_stayed - share * again.residuals) / again.value
        low = ratio_interval(residuals, share, confidence_level).low
    return _Locality(len(should_stay), stayed, again.value, min(1.0, share), low)


class _Ratio(NamedTuple):
    """A share of statuses, each paper's residual of it, and how many papers have any.

    With k hits among n statuses of a paper, its residual is (k - value n) / N, of N statuses in all; 0 without any.
    """

    value: float
    residuals: Float[np.ndarray, " paper"]
    papers: int


def _usual_share(statuses: pd.DataFrame, usual: pd.Series, papers: list[str]) -> _Ratio:
    """The share of statuses that are the claim's usual ones; `papers` are those of the residuals, in order."""
    claims = list(zip(statuses["paper"], statuses["claim"], strict=True))
    hits = statuses["after"].to_numpy() == usual.loc[claims].to_numpy()
    by_paper = pd.Series(hits).groupby(statuses["paper"].to_numpy()).agg(["sum", "size"])
    value = by_paper["sum"].sum() / by_paper["size"].sum()
    residuals = (by_paper["sum"] - value * by_paper["size"]) / len(statuses)
    of_papers = residuals.reindex(papers, fill_value=0.0)
    return _Ratio(float(value), of_papers.to_numpy(), len(by_paper))


def trust_summary(trials: pd.DataFrame, limits: Limits, confidence_level: float) -> pd.DataFrame:
    """A row for each judge, in the order of the trials; a control of several seeds has one row with their means.

    `trials` has the rows of `trials.answer_trial` with a column `judge`. Columns: judge, papers; for `moved`
    (`responses.sensitivity`), `stayed` (`responses.stability`) and `hard` (claims, of the family of hard edits that
    moved the smallest share) n, share and ends; `could`, the number of targeted statuses not at that end of the scale
    to which they should move; `trusted`, and `tested`, the number of criteria with enough claims to tell; `right`, a
    share of statuses.
    """
    rows = []
    for judge, of_judge in trials.groupby("judge", sort=False):
        rows.append(_judge_row(str(judge), of_judge, limits, confidence_level))
    numbers = pd.DataFrame(rows).set_index("judge").astype(float)
    return numbers.groupby(level=0, sort=False).mean().reset_index()


def _judge_row(
    judge: str, rows: pd.DataFrame, limits: Limits, confidence_level: float
) -> dict[str, Any]:
    """The row of one judge, or of one seed of a control (`trust_summary`)."""
    judged = judged_statuses(rows)
    moves = responses(judged)
    statuses = labelled(judged)
    shares = {
        "moved": sensitivity(moves, confidence_level),
        "stayed": stability(moves, confidence_level),
        "hard": _smallest(moved_by_hard_edits(moves, confidence_level).values()),
    }
    row: dict[str, Any] = {"judge": judge.split(SEED_OF)[0], "papers": rows["paper"].nunique()}
    for name, share in shares.items():
        row[f"{name}_n"] = share.n
        row[name] = share.share
        row[f"{name}_low"] = share.low
        row[f"{name}_high"] = share.high

    could_fall = (moves["expected"] < 0) & (moves["before"] > 0)
    could_rise = (moves["expected"] > 0) & (moves["before"] < max(RANK.values()))
    row["could"] = int((could_fall | could_rise).sum())
    trusted = criterion_trust(judged, limits, confidence_level)["trusted"]
    row["trusted"] = int((trusted == YES).sum())
    row["tested"] = int((trusted != TOO_FEW).sum())
    row["right"] = (statuses["after"] == statuses["truth"]).mean()
    return row


def _smallest(shares: Iterable[Share]) -> Share:
    """The smallest of the shares that have a value; without any, a share of nothing."""
    known = [share for share in shares if share.share is not None]
    return min(known, key=lambda share: share.share or 0, default=Share(0, 0, None, None, None))
