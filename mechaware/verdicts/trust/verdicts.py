"""How far a judge may be trusted: how it responds to edits, what it leaves alone, and what it gets right."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mechaware.core.levels import LEAST_GROUPS
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

YES, NO, TOO_FEW = "yes", "no", "too few"  # whether to trust a judge on a criterion


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


def criterion_trust(judged: pd.DataFrame, limits: Limits, level: float) -> pd.DataFrame:
    """For each criterion its shares with their lower bounds, and whether to rely on the judge there.

    Our definition: a judge may be trusted on a criterion if every lower bound is above its limit. Of sensitivity, the
    share of claims more than half of whose targeted statuses moved as expected; of `_locality`; for each level of the
    criterion, of the share of claims of which more than half of the statuses at that level are right, so that a judge
    that never tells PARTIAL from another level is not trusted; and, by the limit of sensitivity, for each family of
    hard edits of the share of claims that it moved, over all criteria: a judge that credits withdrawn evidence, or
    another's, reads evidence on no criterion. It is `TOO_FEW` where a judge without mistakes would not pass, either.
    `judged` has the rows of `judged_statuses`. Columns: criterion, the fields of each share and of `_Locality`,
    `trusted` (yes, no, too few).
    """
    hard = list(moved_by_hard_edits(responses(judged), level).values())
    rows = []
    for code in CODES:
        own = judged[judged["criterion"] == code]
        statuses, moves = labelled(own), responses(own)
        moved, stays = claims_moved(moves, level), _locality(moves, repeats(own), level)
        right = {status: _right_at(statuses, RANK[status], level) for status in tested_levels(code)}
        bounds = [(share, limits.sensitivity) for share in (moved, *hard)]
        bounds += [(share, limits.right) for share in right.values()]
        passed = (
            stays.low is not None
            and stays.low > limits.locality
            and all(_above(*bound) for bound in bounds)
        )
        possible = stays.low is not None and all(
            _above(share_of(s.n, s.n, level), limit) for s, limit in bounds
        )
        row = {"criterion": code, **_columns("sensitivity", moved), **_columns("locality", stays)}
        for status, share in right.items():
            row |= _columns(f"right_{status.lower()}", share)
        rows.append(row | {"trusted": (YES if passed else NO) if possible else TOO_FEW})
    return pd.DataFrame(rows)


def _right_at(statuses: pd.DataFrame, rank: int, level: float) -> Share:
    """The claims more than half of whose statuses with the truth of this rank are right."""
    own = statuses[statuses["truth"] == rank]
    return share_of_claims(own["after"] == own["truth"], own, level)


def _above(share: Share, limit: float) -> bool:
    return share.low is not None and share.low > limit


def _columns(name: str, fields: Share | _Locality) -> dict[str, object]:
    return {f"{name}_{part}": value for part, value in fields._asdict().items()}


def _locality(moves: pd.DataFrame, repeated: pd.DataFrame, level: float) -> _Locality:
    """Of one criterion: how much of what a judge repeats on the same text it keeps on texts edited elsewhere.

    The usual status of a claim is the one that its texts have most often, edits of this criterion of this claim apart;
    of a tie the lower. `stayed` is the share of edited texts with the usual status: the mean of two shares, so that the
    many do not outweigh the few. One is of the claim that was not edited, where the other's evidence on this same
    criterion was; the other of all else. `again` is the share of usual statuses in two readings of the unedited texts,
    so that a judge that changes its mind at random stays as often as it repeats itself. The interval is the t interval
    over papers of the quotient, linearised; it needs `LEAST_GROUPS` in every share.
    """
    others = moves[moves["expected"] == 0]
    if others.empty:
        return _Locality(0, None, None, None, None)
    second = repeated[repeated["paper"].isin(others["paper"])]
    usual = (
        pd.concat([others, second])
        .groupby(["paper", "claim"])["after"]
        .agg(lambda given: given.mode().min())
    )
    papers = sorted(others["paper"].unique())
    beside = others["about"] == others["criterion"]
    halves = [
        _usual_share(half, usual, papers) for half in (others[beside], others[~beside]) if len(half)
    ]
    stayed = float(np.mean([half.value for half in halves]))
    readings = pd.concat([second.assign(after=second["before"]), second])
    again = _usual_share(readings, usual, papers) if len(readings) else None
    if again is None or again.value == 0:
        return _Locality(len(others), stayed, again and again.value, None, None)
    share, low = stayed / again.value, None
    if len(halves) == 2 and min(part.papers for part in (*halves, again)) >= LEAST_GROUPS:
        errors = np.mean([half.residuals for half in halves], axis=0) - share * again.residuals
        low = ratio_interval(errors / again.value, share, level).low
    return _Locality(len(others), stayed, again.value, min(1.0, share), low)


class _Ratio(NamedTuple):
    """A share of statuses, each paper's residual of it, and how many papers have any."""

    value: float
    residuals: np.ndarray
    papers: int


def _usual_share(statuses: pd.DataFrame, usual: pd.Series, papers: list[str]) -> _Ratio:
    """The share of statuses that are the claim's usual ones."""
    hits = (
        statuses["after"].to_numpy()
        == usual.loc[list(zip(statuses["paper"], statuses["claim"], strict=True))]
    )
    by_paper = pd.Series(hits.to_numpy()).groupby(statuses["paper"].to_numpy()).agg(["sum", "size"])
    value = by_paper["sum"].sum() / by_paper["size"].sum()
    residuals = (by_paper["sum"] - value * by_paper["size"]) / len(statuses)
    return _Ratio(float(value), residuals.reindex(papers, fill_value=0.0).to_numpy(), len(by_paper))


def trust_summary(trials: pd.DataFrame, limits: Limits, level: float) -> pd.DataFrame:
    """A row for each judge, in the order of the trials; a control of several seeds has one row with their means.

    `trials` has the rows of `trials.answer_trial` with a column `judge`. Columns: judge, papers; for `moved`
    (`responses.sensitivity`), `stayed` (`responses.stability`) and `hard` (claims, of the family of hard edits that
    moved the smallest share) n, share and ends; `could`, the number of targeted statuses not at that end of the scale
    to which they should move; `trusted`, and `tested`, the number of criteria with enough claims to tell; `right`, a
    share of statuses.
    """
    by_judge = trials.groupby("judge", sort=False)
    rows = pd.DataFrame([_judge_row(str(judge), rows, limits, level) for judge, rows in by_judge])
    return rows.set_index("judge").astype(float).groupby(level=0, sort=False).mean().reset_index()


def _judge_row(judge: str, rows: pd.DataFrame, limits: Limits, level: float) -> dict[str, Any]:
    judged = judged_statuses(rows)
    moves, statuses = responses(judged), labelled(judged)
    hard = [
        share for share in moved_by_hard_edits(moves, level).values() if share.share is not None
    ]
    shares = {
        "moved": sensitivity(moves, level),
        "stayed": stability(moves, level),
        "hard": min(
            hard, key=lambda share: share.share or 0, default=Share(0, 0, None, None, None)
        ),
    }
    row: dict[str, Any] = {"judge": judge.split(SEED_OF)[0], "papers": rows["paper"].nunique()}
    for name, share in shares.items():
        row |= {
            f"{name}_n": share.n,
            name: share.share,
            f"{name}_low": share.low,
            f"{name}_high": share.high,
        }
    falls, rises = moves["expected"] < 0, moves["expected"] > 0
    row["could"] = int((falls & (moves["before"] > 0) | rises & (moves["before"] < 2)).sum())
    verdicts = criterion_trust(judged, limits, level)["trusted"]
    row |= {"trusted": int((verdicts == YES).sum()), "tested": int((verdicts != TOO_FEW).sum())}
    return row | {"right": (statuses["after"] == statuses["truth"]).mean()}
