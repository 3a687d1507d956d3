"""From judged trials to responses: how each status moved, how many moved as expected, and how many others stayed.

A response is one criterion of one claim, before and after one edit.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.core.stats import clopper_pearson, mean_over_groups
from mechaware.instruments.claims.rubric.criteria import CRITERIA, decode_ranks
from mechaware.verdicts.trust.papers import HARD
from mechaware.verdicts.trust.trials import BASE, RETEST

CODES = list(CRITERIA)
_DIRECTION = {"f": -1.0, "r": 1.0, ".": 0.0, "?": np.nan}
_KINDS = {
    "claim": int,
    "own": bool,
    "before": float,
    "after": float,
    "truth": float,
    "expected": float,
}


class Share(NamedTuple):
    """`k` of n with an interval; its ends are None where there is none, the share too if n is 0."""

    n: int
    k: int
    share: float | None
    low: float | None
    high: float | None


def judged_statuses(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each text, claim and criterion, from one judge's rows of `trials.answer_trial`.

    Columns: paper, claim, edit, about (the criterion of the edit), own (whether the edit concerns this claim) and
    criterion; before (in the unedited text), after and truth, each 0, 1 or 2, or NaN without a status; expected (-1, 0
    or 1, or NaN where a status may move or stay).
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

    # Of two texts a, b with three criteria: by text  a a a b b b,  and by criterion  C1 C2 C3 C1 C2 C3.
    columns: dict[str, np.ndarray] = {}
    for name, values in by_text.items():
        columns[name] = np.repeat(values.to_numpy(object), len(CODES))
    columns["criterion"] = np.tile(np.array(CODES, dtype=object), len(rows))
    columns["before"] = _ranks(before)
    columns["after"] = _ranks(rows["statuses"])
    columns["truth"] = _ranks(rows["truth"])
    columns["expected"] = np.array([_DIRECTION[letter] for letter in "".join(rows["expected"])])
    # Text keeps dtype object: Arrow's strings take four times as long to choose from, in a thousand small tables.
    return pd.DataFrame(columns, dtype=object).astype(_KINDS)


def _ranks(statuses: Iterable[str]) -> Float[np.ndarray, " status"]:
    """The ranks of all statuses, text after text; NaN for a missing one."""
    ranks: list[float] = []
    for text in statuses:
        ranks += decode_ranks(text)
    return np.array(ranks)


def responses(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows of `judged_statuses` of edited texts that have a status on both sides and an expectation.

    Both claims of an edited paper respond; the claim that the edit does not concern should stay.
    """
    return judged[~judged["edit"].isin([BASE, RETEST])].dropna(ignore_index=True)


def repeats(judged: pd.DataFrame) -> pd.DataFrame:
    """As `responses`, of unedited texts: before and after they were judged again."""
    return judged[judged["edit"] == RETEST].dropna(ignore_index=True)


def labelled(judged: pd.DataFrame) -> pd.DataFrame:
    """The rows with a status to compare with the truth: all of the base texts, and those that an edit is about."""
    edited = judged["own"] & (judged["about"] == judged["criterion"])
    return judged[(judged["edit"] == BASE) | edited].dropna(subset="after", ignore_index=True)


def _along(moves: pd.DataFrame) -> pd.Series:
    """1 for a move with what was expected, -1 for one against it, 0 for none, by any number of steps."""
    steps = pd.Series(np.sign(moves["after"] - moves["before"]), index=moves.index)
    return steps * moves["expected"]


def sensitivity(moves: pd.DataFrame, confidence_level: float) -> Share:
    """Of the targeted statuses, those that moved as expected; one at the wrong end of the scale has not moved."""
    targeted = moves[moves["expected"] != 0]
    return _share_over_papers(_along(targeted) > 0, targeted["paper"], confidence_level)


def stability(moves: pd.DataFrame, confidence_level: float) -> Share:
    """Of the statuses that should stay, of either claim, those that did."""
    others = moves[moves["expected"] == 0]
    return _share_over_papers(
        others["before"] == others["after"], others["paper"], confidence_level
    )


def claims_moved(moves: pd.DataFrame, confidence_level: float) -> Share:
    """The claims more than half of whose targeted statuses moved as expected."""
    targeted = moves[moves["expected"] != 0]
    return share_of_claims(_along(targeted) > 0, targeted, confidence_level)


def moved_by_hard_edits(moves: pd.DataFrame, confidence_level: float) -> dict[str, Share]:
    """`claims_moved` by each family of `HARD`, all criteria together: of one criterion there are too few."""
    return {
        family: claims_moved(moves[moves["edit"] == family], confidence_level) for family in HARD
    }


@cache
def share_of(k: int, n: int, confidence_level: float) -> Share:
    """A share with its Clopper-Pearson interval."""
    if n == 0:
        return Share(0, 0, None, None, None)
    return Share(n, k, k / n, *clopper_pearson(k, n, confidence_level))


def share_of_claims(hits: pd.Series, items: pd.DataFrame, confidence_level: float) -> Share:
    """The claims of which more than half of the items are hits; claims taken as independent."""
    by_claim = hits.groupby([items["paper"], items["claim"]]).mean()
    return share_of(int((by_claim > 0.5).sum()), len(by_claim), confidence_level)


def _share_over_papers(hits: pd.Series, papers: pd.Series, confidence_level: float) -> Share:
    """A share with its t interval over papers, within 0 and 1; without one for fewer than `MIN_GROUPS`."""
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
