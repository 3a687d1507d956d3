"""What measured trust means for a user: criteria to rely on, the vote with the smaller error, counts of mistakes."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.claims.rubric.criteria import STATUSES
from mechaware.claims.trust.responses import CODES, KEYS, RANK, locality, ranks, sensitivity, vote
from mechaware.claims.trust.trials import AUDITED, BASE

VOTES = ("minimum", "median")


class VoteChoice(NamedTuple):
    """The error of each vote, the one to use, and the error of that choice on papers that it was not made on.

    Errors are means of |status - truth| on the 0, 0.5, 1 scale, `bias` means of status - truth. `held_out` is None with
    fewer than two papers.
    """

    papers: int
    minimum_error: float
    minimum_bias: float
    median_error: float
    median_bias: float
    chosen: str
    held_out: float | None


def criterion_trust(
    moves: pd.DataFrame, *, level: float, least_sensitivity: float, least_locality: float
) -> pd.DataFrame:
    """For each criterion its sensitivity and locality, from responses at one stage, and whether to rely on it.

    A judge may be trusted on a criterion if the lower bounds of its sensitivity and of its locality are above
    `least_sensitivity` and `least_locality` (our definition). A judge that answers at random has a sensitivity of one
    half: one that gave the status of each run anew, uniformly, moves half of the statuses that could move that way.
    """
    rows = []
    for code in CODES:
        own = moves[moves["criterion"] == code]
        seen, kept = sensitivity(own, level), locality(own, level)
        trusted = (seen.low or 0.0) > least_sensitivity and (kept.low or 0.0) > least_locality
        rows.append(
            {
                "criterion": code,
                **{f"sensitivity_{name}": value for name, value in seen._asdict().items()},
                **{f"locality_{name}": value for name, value in kept._asdict().items()},
                "trusted": trusted,
            }
        )
    return pd.DataFrame(rows)


def labelled(rows: pd.DataFrame) -> pd.DataFrame:
    """Statuses beside their truth by each vote: all of the base texts, and those that an edit is about.

    Columns: paper, criterion, stage (`VOTES`), status and truth (0, 1, 2).
    """
    runs = rows[(rows["run"] != AUDITED) & (rows["truth"] != "")]
    found = list(_labelled(runs))
    return pd.DataFrame(found, columns=["paper", "criterion", "stage", "status", "truth"])


def choose_vote(judged: pd.DataFrame) -> VoteChoice:
    """The vote with the smaller mean absolute error over the papers; the minimum in a tie.

    `held_out` is the mean over papers of the error of the vote chosen on the other papers.
    """
    error = (judged["status"] - judged["truth"]).abs().groupby([judged["paper"], judged["stage"]]).mean().unstack() / 2
    means = error.mean()
    bias = (judged["status"] - judged["truth"]).groupby(judged["stage"]).mean() / 2
    held_out = [row[_smaller(error.drop(paper).mean())] for paper, row in error.iterrows()] if len(error) > 1 else []
    return VoteChoice(
        papers=len(error),
        minimum_error=float(means["minimum"]),
        minimum_bias=float(bias["minimum"]),
        median_error=float(means["median"]),
        median_bias=float(bias["median"]),
        chosen=_smaller(means),
        held_out=float(np.mean(held_out)) if held_out else None,
    )


def confusion(judged: pd.DataFrame) -> Int[np.ndarray, "criterion truth status"]:
    """How often each status (last axis) was given for each truth, by criterion, at one stage."""
    counts = np.zeros((len(CODES), len(STATUSES), len(STATUSES)), dtype=int)
    places = [CODES.index(code) for code in judged["criterion"]]
    for place, truth, status in zip(places, judged["truth"].astype(int), judged["status"].astype(int), strict=True):
        counts[place, truth, status] += 1
    return counts


def _labelled(runs: pd.DataFrame) -> Iterator[tuple[str, str, str, float, float]]:
    for (paper, _, edit, about), group in runs.groupby(KEYS, sort=False):
        truth, cast = group["truth"].iloc[0], ranks(group["statuses"])
        voted = {stage: vote(cast, stage) for stage in VOTES}
        for place, code in enumerate(CODES):
            if edit != BASE and code != about:
                continue
            for stage, statuses in voted.items():
                if not np.isnan(statuses[place]):
                    yield str(paper), code, stage, statuses[place], RANK[truth[place]]


def _smaller(errors: pd.Series) -> str:
    return min(VOTES, key=lambda stage: float(errors[stage]))
