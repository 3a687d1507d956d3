"""From judged trials to responses: how each status moved, how many moved as expected, and how many
others stayed.

A response is one criterion of one claim, before and after one edit.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.stats.intervals import clopper_pearson, mean_over_groups
from mechaware.instruments.claims.rubric.criteria import CRITERIA, decode_ranks
from mechaware.verdicts.trust.papers import HARD
from mechaware.verdicts.trust.trials import BASE, RETEST

CODES = list(CRITERIA)
# The letters of `expected`: falls, rises, stays, may move or stay.
_DIRECTION = {"f": -1.0, "r": 1.0, ".": 0.0, "?": np.nan}
_DTYPES = {
    "claim": int,
    "own": bool,
    "before": float,
    "after": float,
    "truth": float,
    "expected": float,
}


class Share(NamedTuple):
    """A share, `k` of `n`, with its interval.

    `low` and `high` are None where there is no interval; `share` is None as well if n is 0.
    """

    n: int
    k: int
    share: float | None
    low: float | None
    high: float | None


def judged_statuses(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each text, claim and criterion, from one judge's rows of `trials.answer_trial`.

    Columns: paper, claim, edit; about, the criterion of the edit; own, whether the edit concerns
    this claim; criterion; before, the rank of the status in the unedited text, and after, in this
    text, each 0, 1 or 2, or NaN without a status; truth, the true rank in this text; expected, the
    sign of the move, -1, 0 or 1, or NaN where the status may move or stay.
    """
    base = rows[rows["edit"] == BASE].set_index(["paper", "claim"])["statuses"]
    before = base.loc[list(zip(rows["paper"], rows["claim"], strict=True))]
    by_text = {
        "paper": rows["paper"],
        "claim": rows["claim"],
        "edit": rows["edit"],
        "about": rows["criterion"],
        "own": rows["edited"] == rows["claim"].astype(str),
    }

    # Of two texts a, b with three criteria:
    # by text       a  a  a  b  b  b
    # by criterion  C1 C2 C3 C1 C2 C3
    columns: dict[str, np.ndarray] = {}
    for name, values in by_text.items():
        columns[name] = np.repeat(values.to_numpy(object), len(CODES))
    columns["criterion"] = np.tile(np.array(CODES, dtype=object), len(rows))
    columns["before"] = _ranks(before)
    columns["after"] = _ranks(rows["statuses"])
    columns["truth"] = _ranks(rows["truth"])
    columns["expected"] = np.array([_DIRECTION[letter] for letter in "".join(rows["expected"])])
    # Text keeps dtype object: filtering Arrow's strings takes four times as long in a thousand
    # small tables.
    return pd.DataFrame(columns, dtype=object).astype(_DTYPES)


def _ranks(statuses: Iterable[str]) -> Float[np.ndarray, " status"]:
    """The ranks of all statuses, one encoded string after another; NaN for a missing status."""
    ranks: list[float] = []
    for text in statuses:
        ranks += decode_ranks(text)
    return np.array(ranks)


def responses(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows of `judged_statuses` of edited texts that have a status on both sides and an
    expectation.

    Both claims of an edited paper respond; the claim that the edit does not concern should stay.
    """
    return judged[~judged["edit"].isin([BASE, RETEST])].dropna(ignore_index=True)


def repeats(judged: pd.DataFrame) -> pd.DataFrame:
    """As `responses`, but of the unedited texts.

    `before` is the first judgement of a text, `after` the second.
    """
    return judged[judged["edit"] == RETEST].dropna(ignore_index=True)


def labelled(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows with a status to compare with the truth.

    These are the rows of the unedited texts in their first judgement, and of each edited text the
    row of the criterion that the edit is about, in the claim that the edit concerns.
    """
    is_base = judged["edit"] == BASE
    is_edited = judged["own"] & (judged["about"] == judged["criterion"])
    return judged[is_base | is_edited].dropna(subset="after", ignore_index=True)


def _along(moves: pd.DataFrame) -> pd.Series:
    """The direction of each move, whatever its number of steps.

    1 as expected, -1 against it, 0 where the status stayed or was expected to stay.
    """
    steps = pd.Series(np.sign(moves["after"] - moves["before"]), index=moves.index)
    return steps * moves["expected"]


def sensitivity(moves: pd.DataFrame, confidence_level: float) -> Share:
    """The share of the targeted statuses that moved as expected.

    A status that was at the end of the scale already cannot have moved, and counts as a failure.
    """
    targeted = moves[moves["expected"] != 0]
    return _share_over_papers(_along(targeted) > 0, targeted["paper"], confidence_level)


def stability(moves: pd.DataFrame, confidence_level: float) -> Share:
    """The share of statuses that stayed, among all statuses of both claims that should stay."""
    others = moves[moves["expected"] == 0]
    return _share_over_papers(
        others["before"] == others["after"], others["paper"], confidence_level
    )


def claims_moved(moves: pd.DataFrame, confidence_level: float) -> Share:
    """The share of claims in which more than half of the targeted statuses moved as expected."""
    targeted = moves[moves["expected"] != 0]
    return share_of_claims(_along(targeted) > 0, targeted, confidence_level)


def moved_by_hard_edits(moves: pd.DataFrame, confidence_level: float) -> dict[str, Share]:
    """`claims_moved` for each family of `HARD`, over all criteria.

    A single criterion has too few hard edits.
    """
    shares = {}
    for family in HARD:
        shares[family] = claims_moved(moves[moves["edit"] == family], confidence_level)
    return shares


@cache
def share_of(k: int, n: int, confidence_level: float) -> Share:
    """A share with its Clopper-Pearson interval."""
    if n == 0:
        return Share(0, 0, None, None, None)
    return Share(n, k, k / n, *clopper_pearson(k, n, confidence_level))


def share_of_claims(hits: pd.Series, items: pd.DataFrame, confidence_level: float) -> Share:
    """The share of claims for which more than half of the items are hits.

    Its interval treats claims as independent.
    """
    by_claim = hits.groupby([items["paper"], items["claim"]]).mean()
    return share_of(int((by_claim > 0.5).sum()), len(by_claim), confidence_level)


def _share_over_papers(hits: pd.Series, papers: pd.Series, confidence_level: float) -> Share:
    """A share with its t interval over papers, clipped to 0 and 1.

    There is no interval for fewer than `MIN_GROUPS` papers.
    """
    if not len(hits):
        return Share(0, 0, None, None, None)
    interval = mean_over_groups(hits.to_numpy(bool), papers, confidence_level)
    low = None
    high = None
    if interval is not None:
        # A t interval may extend beyond 0 and 1.
        low = max(0.0, interval.low)
        high = min(1.0, interval.high)
    return Share(len(hits), int(hits.sum()), float(hits.mean()), low, high)
