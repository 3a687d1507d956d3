"""How far a judge may be trusted: whether its statuses follow edits, stay elsewhere and are right.

`criterion_trust` decides on each criterion; `trust_summary` sums up each judge in a row.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.levels import MIN_GROUPS
from mechaware.core.stats.intervals import ratio_interval
from mechaware.instruments.claims.rubric.criteria import RANK
from mechaware.verdicts.trust.controls import SEED_OF
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

# Whether to trust a judge on a criterion.
YES = "yes"
NO = "no"
TOO_FEW = "too few"


class Limits(NamedTuple):
    """The limits for trusting a judge on a criterion, as shares from 0 to 1.

    A share's lower bound must be above its limit; `criterion_trust` defines the shares.
    """

    sensitivity: float
    locality: float
    right: float


class _Locality(NamedTuple):
    """How far a judge leaves a criterion alone where its evidence was not edited (`_locality`).

    - `n`: the number of statuses that should stay.
    - `stayed`: how often these statuses are the usual status of their claim: the mean of two
      shares, or the only one (`_locality`); None without any.
    - `again`: the share of usual statuses in two readings of the unedited texts; None if no text
      was judged twice.
    - `share`: stayed / again, at most 1; None where it is not defined.
    - `low`: the lower end of the interval of stayed / again over papers; None where there is no
      interval.
    """

    n: int
    stayed: float | None
    again: float | None
    share: float | None
    low: float | None


def criterion_trust(judged: pd.DataFrame, limits: Limits, confidence_level: float) -> pd.DataFrame:
    """For each criterion, its shares with their lower bounds and whether to trust the judge on it.

    Our definition: a judge may be trusted on a criterion if all of these lower bounds are above
    their limits:

    - sensitivity: the share of claims in which more than half of the targeted statuses moved as
      expected;
    - locality (`_locality`);
    - right, for each level of the criterion: the share of claims in which more than half of the
      statuses that should be at this level are, so that a judge that never tells PARTIAL from
      another level is not trusted;
    - hard edits: for each family of them, the share of claims in which more than half of the
      targeted statuses moved as expected, over all criteria. Its limit is the limit of sensitivity.
      A judge that credits withdrawn evidence, or the evidence of another component, can be trusted
      on no criterion.

    Args:
        judged: The rows of `judged_statuses`.
        limits: The limits.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        A row for each criterion. Columns: criterion; for sensitivity and for each level of the
        criterion (right_yes and so on), the fields of `Share`; for locality the fields of
        `_Locality`; and trusted, which is yes, no or too few. It is too few if the locality has no
        lower bound, or if one of the other lower bounds would not be above its limit even for a
        judge without mistakes.
    """
    moved_by_hard = list(moved_by_hard_edits(responses(judged), confidence_level).values())
    rows = []
    for code in CODES:
        criterion_rows = judged[judged["criterion"] == code]
        moves = responses(criterion_rows)
        moved = claims_moved(moves, confidence_level)
        locality = _locality(moves, repeats(criterion_rows), confidence_level)
        statuses = labelled(criterion_rows)
        right = {}
        for status in tested_levels(code):
            right[status] = _right_at(statuses, RANK[status], confidence_level)

        bounds = [_Bound(moved, limits.sensitivity)]
        bounds += [_Bound(share, limits.sensitivity) for share in moved_by_hard]
        bounds += [_Bound(share, limits.right) for share in right.values()]
        could_pass = all(bound.can_be_passed(confidence_level) for bound in bounds)
        trusted = NO
        if locality.low is None or not could_pass:
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
    """A share, and the limit that its lower bound must be above."""

    share: Share
    limit: float

    @property
    def is_passed(self) -> bool:
        """Whether the lower bound is above the limit."""
        return self.share.low is not None and self.share.low > self.limit

    def can_be_passed(self, confidence_level: float) -> bool:
        """Whether the bound would be passed if all n were hits."""
        all_hits = share_of(self.share.n, self.share.n, confidence_level)
        return _Bound(all_hits, self.limit).is_passed


def _right_at(statuses: pd.DataFrame, rank: int, confidence_level: float) -> Share:
    """The share of claims in which more than half of the statuses with the true rank are right.

    The true rank is `rank`.
    """
    at_rank = statuses[statuses["truth"] == rank]
    return share_of_claims(at_rank["after"] == at_rank["truth"], at_rank, confidence_level)


def _columns(name: str, fields: Share | _Locality) -> dict[str, object]:
    """The fields as columns of a row: {name}_n, and so on."""
    return {f"{name}_{part}": value for part, value in fields._asdict().items()}


def _locality(moves: pd.DataFrame, repeated: pd.DataFrame, confidence_level: float) -> _Locality:
    """The locality of one criterion: how often its status stays where other evidence was edited.

    The share is relative to how often the status stays when the same text is judged twice.

    - The usual status of a claim is the one that it has most often, over the texts in which it
      should stay and the second reading of the unedited text; on a tie, the lower one.
    - `stayed` is the share of statuses in edited texts that are the usual one. It is the mean of
      two shares: the share in texts in which the other claim's evidence on this same criterion was
      edited, and the share in all other texts. The former texts are few, and pooled with the latter
      they would hardly count.
    - `again` is the share of usual statuses in the two readings of the unedited texts.
    - The locality is stayed / again: a judge that changes its mind at random stays as often as it
      repeats itself.

    The interval is the t interval over papers of stayed / again, linearised. With r(x) the
    residuals of a share x, one for each paper, the quotient has the residuals

        (r(stayed) - stayed / again * r(again)) / again.

    There is an interval only if both shares of `stayed` exist, and if each of them and `again` has
    statuses in at least `MIN_GROUPS` papers.

    Args:
        moves: The responses on the criterion (`responses`).
        repeated: The second readings of the criterion in unedited texts (`repeats`).
        confidence_level: The level of the interval, such as 0.95.
    """
    should_stay = moves[moves["expected"] == 0]
    if should_stay.empty:
        return _Locality(0, None, None, None, None)

    second_readings = repeated[repeated["paper"].isin(should_stay["paper"])]
    by_claim = pd.concat([should_stay, second_readings]).groupby(["paper", "claim"])["after"]
    usual = by_claim.agg(lambda ranks: ranks.mode().min())
    papers = sorted(should_stay["paper"].unique())

    # The edit was about this same criterion, so it was of the other claim: this claim should stay.
    other_was_edited = should_stay["about"] == should_stay["criterion"]
    usual_shares = []
    for statuses in (should_stay[other_was_edited], should_stay[~other_was_edited]):
        if len(statuses):
            usual_shares.append(_usual_share(statuses, usual, papers))
    stayed = float(np.mean([part.value for part in usual_shares]))

    if second_readings.empty:
        return _Locality(len(should_stay), stayed, None, None, None)
    first_readings = second_readings.assign(after=second_readings["before"])
    again = _usual_share(pd.concat([first_readings, second_readings]), usual, papers)
    if again.value == 0:
        return _Locality(len(should_stay), stayed, again.value, None, None)

    share = stayed / again.value
    low = None
    fewest_papers = min(part.papers for part in (*usual_shares, again))
    if len(usual_shares) == 2 and fewest_papers >= MIN_GROUPS:
        stayed_residuals = np.mean([part.residuals for part in usual_shares], axis=0)
        residuals = (stayed_residuals - share * again.residuals) / again.value
        low = ratio_interval(residuals, share, confidence_level).low
    return _Locality(len(should_stay), stayed, again.value, min(1.0, share), low)


class _UsualShare(NamedTuple):
    """The share of statuses that are the usual status of their claim.

    - `value`: the share over all papers, 0 to 1.
    - `residuals`: one for each paper. With k usual statuses among the n statuses of a paper, and N
      statuses in all papers, it is (k - value n) / N; 0 for a paper without a status.
    - `papers`: the number of papers with a status.
    """

    value: float
    residuals: Float[np.ndarray, " paper"]
    papers: int


def _usual_share(statuses: pd.DataFrame, usual: pd.Series, papers: list[str]) -> _UsualShare:
    """The share of statuses that are the usual status of their claim.

    Args:
        statuses: The rows of the statuses, with the columns paper, claim and after.
        usual: The usual status by paper and claim.
        papers: The papers of the residuals, in order.
    """
    claims = list(zip(statuses["paper"], statuses["claim"], strict=True))
    hits = statuses["after"].to_numpy() == usual.loc[claims].to_numpy()
    by_paper = pd.Series(hits).groupby(statuses["paper"].to_numpy()).agg(["sum", "size"])
    value = by_paper["sum"].sum() / by_paper["size"].sum()
    residuals = (by_paper["sum"] - value * by_paper["size"]) / len(statuses)
    in_order = residuals.reindex(papers, fill_value=0.0)
    return _UsualShare(float(value), in_order.to_numpy(), papers=len(by_paper))


def trust_summary(trials: pd.DataFrame, limits: Limits, confidence_level: float) -> pd.DataFrame:
    """How far each judge can be trusted, in one row.

    Args:
        trials: The rows of `trials.answer_trial` of all judges, with a column `judge`.
        limits: The limits of `criterion_trust`.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        A row for each judge, in the order of the trials; a control of several seeds has one row
        with their means. Columns:

        - judge; papers, the number of papers on which it was tried;
        - moved (`responses.sensitivity`), stayed (`responses.stability`) and hard, the share of
          claims moved by the family of hard edits that moved fewest; each with its n, low and high;
        - could, the number of targeted statuses that were not at the end of the scale to which they
          should move;
        - tested, the number of criteria on which `criterion_trust` decides yes or no, rather than
          too few; trusted, the number of criteria with yes;
        - right, the share of statuses that are right.
    """
    rows = []
    for judge, judge_rows in trials.groupby("judge", sort=False):
        rows.append(_judge_row(str(judge), judge_rows, limits, confidence_level))
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
    # "at random, seed 3" is a seed of the control "at random".
    name_without_seed = judge.split(SEED_OF)[0]
    row: dict[str, Any] = {"judge": name_without_seed, "papers": rows["paper"].nunique()}
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
    smallest = Share(n=0, k=0, share=None, low=None, high=None)
    for share in shares:
        if share.share is None:
            continue
        if smallest.share is None or share.share < smallest.share:
            smallest = share
    return smallest
