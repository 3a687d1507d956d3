"""What measured trust means for a user: criteria to rely on, the vote with the smaller error, counts of mistakes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.claims.rubric.criteria import RANK, STATUSES, Status, decode_ranks
from mechaware.claims.trust.measures.locality import Locality, locality
from mechaware.claims.trust.measures.responses import (
    CODES,
    Share,
    claims_moved,
    judged_texts,
    moved_by_hard_edits,
    ranks,
    share_of,
    share_of_claims,
    stages_of,
    voted_at,
)
from mechaware.claims.trust.planted.moves import tested_levels
from mechaware.claims.trust.trials import BASE, SCORED

VOTES = ("minimum", "median")
YES, NO, TOO_FEW = "yes", "no", "too few"  # whether to trust a judge on a criterion
LEAST_RUNS = 3  # of two votes the lower median is the minimum


class Limits(NamedTuple):
    """What the lower bounds must be above for a judge to be trusted on a criterion."""

    sensitivity: float
    locality: float
    right: float


class VoteChoice(NamedTuple):
    """The error of each vote, the one to use, and the error of that choice on papers that it was not made on.

    Errors are means of |status - truth| on the 0, 0.5, 1 scale, `bias` means of status - truth. `chosen` is None where
    the errors are equal or the runs fewer than three, `held_out` then and with fewer than two papers.
    """

    papers: int
    minimum_error: float
    minimum_bias: float
    median_error: float
    median_bias: float
    chosen: str | None
    held_out: float | None


def criterion_trust(
    moves: pd.DataFrame, repeated: pd.DataFrame, judged: pd.DataFrame, limits: Limits, level: float
) -> pd.DataFrame:
    """For each criterion its shares with their lower bounds, at one stage, and whether to rely on the judge there.

    Our definition: a judge may be trusted on a criterion if every lower bound is above its limit. Of sensitivity, the
    share of claims more than half of whose targeted statuses moved as expected; of `locality.locality`; for each level
    of the criterion, of the share of claims of which more than half of the statuses at that level are right, so that a
    judge that never tells PARTIAL from another level is not trusted; and, by the limit of sensitivity, for each family
    of hard edits of the share of claims that it moved, over all criteria: a judge that credits withdrawn evidence, or
    another's, reads evidence on no criterion. It is `TOO_FEW` where a judge without mistakes would not pass, either.
    `judged` has the rows of `labelled`, `repeated` those of `responses.repeats`. Columns: criterion, the fields of each
    share and of `Locality`, `trusted` (yes, no, too few).
    """
    hard = list(moved_by_hard_edits(moves, level).values())
    rows = []
    for code, own, again, statuses in zip(CODES, *map(_by_criterion, (moves, repeated, judged)), strict=True):
        moved = claims_moved(own, level)
        stays = locality(own, again, level)
        right = {status: right_at(statuses, status, level) for status in tested_levels(code)}
        bounds = [(share, limits.sensitivity) for share in (moved, *hard)]
        bounds += [(share, limits.right) for share in right.values()]
        passed = stays.low is not None and stays.low > limits.locality and all(_above(*bound) for bound in bounds)
        possible = stays.low is not None and all(_above(share_of(s.n, s.n, level), limit) for s, limit in bounds)
        row = {"criterion": code, **_columns("sensitivity", moved), **_columns("locality", stays)}
        for status, share in right.items():
            row |= _columns(f"right_{status.lower()}", share)
        rows.append(row | {"trusted": (YES if passed else NO) if possible else TOO_FEW})
    return pd.DataFrame(rows)


def _by_criterion(table: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows of each criterion."""
    groups = table.groupby("criterion").indices
    return [table.iloc[groups.get(code, [])] for code in CODES]


def right_at(statuses: pd.DataFrame, status: Status, level: float) -> Share:
    """The claims more than half of whose statuses with this truth are right."""
    own = statuses[statuses["truth"] == RANK[status]]
    return share_of_claims(own["status"] == own["truth"], own, level)


def _columns(name: str, fields: Share | Locality) -> dict[str, object]:
    return {f"{name}_{part}": value for part, value in fields._asdict().items()}


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """Statuses beside their truth: all of the base texts, and those that an edit is about, of the edited claim.

    Columns: paper, claim, criterion, stage (of `responses.STAGES`, of one run `single` alone; or `SCORED`), status and
    truth, the last two 0, 1 or 2.
    """
    found = list(_labelled(rows[rows["truth"] != ""]))
    table = pd.DataFrame(found, columns=["paper", "claim", "criterion", "stage", "status", "truth"])
    return table.astype(dict.fromkeys(["paper", "criterion", "stage"], object))  # as in `responses`


def choose_vote(judged: pd.DataFrame, runs: int) -> VoteChoice:
    """The vote with the smaller mean absolute error over the papers, of so many runs.

    `held_out` is the mean over papers of the error of the vote chosen on the other papers; where these tie, of the mean
    of both.
    """
    error = (judged["status"] - judged["truth"]).abs().groupby([judged["paper"], judged["stage"]]).mean().unstack() / 2
    error = error[list(VOTES)]
    means = error.mean()
    bias = (judged["status"] - judged["truth"]).groupby(judged["stage"]).mean() / 2
    chosen = _smaller(means) if runs >= LEAST_RUNS else None
    held_out = None
    if chosen and len(error) > 1:
        choices = [(row, _smaller(error.drop(paper).mean())) for paper, row in error.iterrows()]
        held_out = float(np.mean([row[choice] if choice else row.mean() for row, choice in choices]))
    return VoteChoice(
        papers=len(error),
        minimum_error=float(means["minimum"]),
        minimum_bias=float(bias["minimum"]),
        median_error=float(means["median"]),
        median_bias=float(bias["median"]),
        chosen=chosen,
        held_out=held_out,
    )


def confusion(judged: pd.DataFrame) -> Int[np.ndarray, "criterion truth status"]:
    """How often each status (last axis) was given for each truth, by criterion, at one stage."""
    counts = np.zeros((len(CODES), len(STATUSES), len(STATUSES)), dtype=int)
    places = [CODES.index(code) for code in judged["criterion"]]
    for place, truth, status in zip(places, judged["truth"].astype(int), judged["status"].astype(int), strict=True):
        counts[place, truth, status] += 1
    return counts


def _labelled(rows: pd.DataFrame) -> Iterator[tuple[str, int, str, str, float, float]]:
    texts = judged_texts(rows)
    stages = stages_of(texts)
    own = {key: text for key, text in texts.items() if key[2] == BASE or key[4] == str(key[1])}
    judged = [key for key, text in own.items() if text.runs]
    voted = dict(zip(judged, voted_at([own[key].runs for key in judged], stages), strict=True))
    for key, text in own.items():
        paper, claim, edit, about, _ = key
        given = {SCORED: ranks([text.scored])[0]} if text.scored else {}
        if key in voted:
            given |= dict(zip(stages, voted[key], strict=True))
        truth = decode_ranks(text.truth)
        for place, code in enumerate(CODES) if edit == BASE else [(CODES.index(about), about)]:
            for stage, statuses in given.items():
                if not np.isnan(statuses[place]):
                    yield paper, claim, code, stage, statuses[place], truth[place]


def _smaller(errors: pd.Series) -> str | None:
    """The vote with the smaller error; None in a tie."""
    low, high = sorted(VOTES, key=lambda stage: float(errors[stage]))
    return low if errors[low] < errors[high] else None


def _above(share: Share, limit: float) -> bool:
    return share.low is not None and share.low > limit
