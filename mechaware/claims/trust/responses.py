"""From judged trials to responses: how each status moved, how many moved as expected, and how many others stayed.

A response is one criterion of one claim, before and after one edit, at one stage: `single` (the first run
on either side; further runs over the same texts are not independent), `minimum` and `median` (the vote over all runs on either side).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.trust.trials import AUDITED, BASE
from mechaware.stats import Interval, clopper_pearson

RANK = {"N": 0, "P": 1, "Y": 2, "?": None}
STAGES = {"single": "one run", "minimum": "minimum vote", "median": "median vote"}
DIRECTION = {"f": -1, "r": 1, ".": 0}
CODES = list(CRITERIA)


class Share(NamedTuple):
    """A share of n responses with its Clopper-Pearson interval, responses taken as independent; None if n is 0."""

    n: int
    moved: int
    share: float | None
    low: float | None
    high: float | None


class SignTest(NamedTuple):
    """Claims that moved with and against what was expected, summed over their edits, and the two-sided exact p-value.

    The unit is a claim of a paper; claims without a net move are left out. Two claims of one paper share its filler.
    """

    along: int
    against: int
    p: float | None


def vote(ranks: Sequence[int | None], stage: str) -> int | None:
    """The vote over runs, 0 to 2: the least rank, or the lower median. None if half of the runs or more have none."""
    cast = sorted(rank for rank in ranks if rank is not None)
    if 2 * len(cast) <= len(ranks):
        return None
    return cast[0] if stage == "minimum" else cast[(len(cast) - 1) // 2]


def responses(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each response whose statuses are known on both sides, from the rows of `trials.judge_trial`.

    Columns: paper, claim, edit, about (the criterion of the edit), criterion, stage, before and after (0, 1 or 2) and
    expected (-1, 0 or 1).
    """
    runs = rows[rows["run"] != AUDITED]
    groups = dict(list(runs.groupby(["paper", "claim", "edit", "criterion"], sort=False)))
    found: list[tuple[object, ...]] = []
    for (paper, claim, edit, about), group in groups.items():
        if edit == BASE:
            continue
        base = groups[paper, claim, BASE, ""]
        expected = group["expected"].iloc[0]
        for place, stage, before, after in chain(_single(base, group), _votes(base, group)):
            if before is not None and after is not None:
                code = CODES[place]
                found.append((paper, claim, edit, about, code, stage, before, after, DIRECTION[expected[place]]))
    columns = ["paper", "claim", "edit", "about", "criterion", "stage", "before", "after", "expected"]
    return pd.DataFrame(found, columns=columns)


def sensitivity(moves: pd.DataFrame, level: float) -> Share:
    """Of the targeted statuses that could move as expected, those that did, by any number of steps."""
    targeted = moves[moves["expected"] != 0]
    could = targeted[np.where(targeted["expected"] < 0, targeted["before"] > 0, targeted["before"] < 2)]
    return _share(int(_along(could).gt(0).sum()), len(could), level)


def locality(moves: pd.DataFrame, level: float) -> Share:
    """Of the statuses that should stay, those that did."""
    others = moves[moves["expected"] == 0]
    return _share(int((others["before"] == others["after"]).sum()), len(others), level)


def sign_test(moves: pd.DataFrame) -> SignTest:
    """Whether claims move more often with than against what was expected."""
    targeted = moves[moves["expected"] != 0]
    net = _along(targeted).groupby([targeted["paper"], targeted["claim"]]).sum()
    along, against = int((net > 0).sum()), int((net < 0).sum())
    total = along + against
    return SignTest(along, against, float(binomtest(along, total).pvalue) if total else None)


def leak_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """For each text whose evidence was moved to the circuit: the target's rank by run 0, and after the leak audit.

    Columns: paper, claim, criterion, before (the base by run 0), judged and audited; without unscored rows.
    """
    found = []
    base = rows[(rows["edit"] == BASE) & (rows["run"] == "0")].set_index(["paper", "claim"])["statuses"]
    moved = rows[rows["edit"] == "circuit"].set_index(["paper", "claim", "criterion", "run"])["statuses"]
    for (paper, claim, code, run), statuses in moved.items():
        if run == AUDITED:
            place = CODES.index(code)
            judged = moved[paper, claim, code, "0"]
            ranks = [RANK[text[place]] for text in (base[paper, claim], judged, statuses)]
            found.append((paper, claim, code, *ranks))
    return pd.DataFrame(found, columns=["paper", "claim", "criterion", "before", "judged", "audited"]).dropna()


def matrix(moves: pd.DataFrame, families: Mapping[str, str]) -> pd.DataFrame:
    """The response matrix: for each family of edits and criterion the share of statuses that moved, and how.

    Columns: edit, criterion, targeted, n, fell, rose (numbers of responses). Targeted and untargeted responses to a
    family are counted apart.
    """
    moves = moves.assign(targeted=moves["expected"] != 0, step=np.sign(moves["after"] - moves["before"]))
    rows = []
    for (edit, code, targeted), group in moves.groupby(["edit", "criterion", "targeted"]):
        fell, rose = int((group["step"] < 0).sum()), int((group["step"] > 0).sum())
        rows.append((edit, code, targeted, len(group), fell, rose))
    table = pd.DataFrame(rows, columns=["edit", "criterion", "targeted", "n", "fell", "rose"])
    order = [list(families).index(edit) for edit in table["edit"]], [CODES.index(code) for code in table["criterion"]]
    return table.iloc[np.lexsort(order[::-1])].reset_index(drop=True)


def _single(base: pd.DataFrame, edited: pd.DataFrame) -> Iterator[tuple[int, str, int | None, int | None]]:
    before, after = (side["statuses"].iloc[0] for side in (base, edited))
    for place in range(len(CODES)):
        yield place, "single", RANK[before[place]], RANK[after[place]]


def _votes(base: pd.DataFrame, edited: pd.DataFrame) -> Iterator[tuple[int, str, int | None, int | None]]:
    for stage in ("minimum", "median"):
        for place in range(len(CODES)):
            before, after = (vote([RANK[text[place]] for text in side["statuses"]], stage) for side in (base, edited))
            yield place, stage, before, after


def _along(moves: pd.DataFrame) -> pd.Series:
    """1 for a move with what was expected, -1 for one against it, 0 for none."""
    return np.sign(moves["after"] - moves["before"]) * moves["expected"]


def _share(moved: int, n: int, level: float) -> Share:
    if n == 0:
        return Share(0, 0, None, None, None)
    interval: Interval = clopper_pearson(moved, n, level)
    return Share(n, moved, moved / n, interval.low, interval.high)
