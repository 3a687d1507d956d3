"""From judged trials to responses: how each status moved, how many moved as expected, and how many others stayed.

A response is one criterion of one claim, before and after one edit, at one stage: `single` (the first run
on either side; further runs over the same texts are not independent), `minimum` and `median` (the vote over all runs).
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import binomtest

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.trust.trials import AUDITED, BASE
from mechaware.stats import Interval, clopper_pearson

RANK = {"N": 0.0, "P": 1.0, "Y": 2.0, "?": np.nan}
STAGES = {"single": "one run", "minimum": "minimum vote", "median": "median vote"}
DIRECTION = {"f": -1, "r": 1, ".": 0, "?": np.nan}
CODES = list(CRITERIA)
KEYS = ["paper", "claim", "edit", "criterion"]  # of the rows of trials
COLUMNS = ["paper", "claim", "edit", "about", "criterion", "stage", "before", "after", "expected"]


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


def ranks(statuses: Iterable[str]) -> Float[np.ndarray, "run criterion"]:
    """Statuses as 0, 1 and 2, from one text of letters for each run; NaN without a status."""
    return np.array([[RANK[letter] for letter in text] for text in statuses])


def vote(cast: Float[np.ndarray, "run criterion"], stage: str) -> Float[np.ndarray, " criterion"]:
    """The ranks after the vote over runs, or by the first run for `single`.

    The median is the lower one of an even number. NaN if half of the runs or more have no status.
    """
    if stage == "single":
        return np.asarray(cast[0])
    known = (~np.isnan(cast)).sum(axis=0)
    place = np.zeros(len(known), dtype=int) if stage == "minimum" else (np.maximum(known, 1) - 1) // 2
    chosen = np.sort(cast, axis=0)[place, np.arange(len(known))]  # NaN last
    return np.asarray(np.where(2 * known > len(cast), chosen, np.nan))


def responses(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each response, from the rows of `trials.judge_trial`.

    A response needs a status on both sides and an expectation: those that may move or stay are left out.
    Columns: paper, claim, edit, about (the criterion of the edit), criterion, stage, before and after (0, 1 or 2) and
    expected (-1, 0 or 1).
    """
    runs = rows[rows["run"] != AUDITED]
    groups = dict(iter(runs.groupby(KEYS, sort=False)))
    cast: dict[Any, np.ndarray] = {key: ranks(group["statuses"]) for key, group in groups.items()}
    parts: list[dict[str, Any]] = []
    for (paper, claim, edit, about), after in cast.items():
        if edit == BASE:
            continue
        before = cast[paper, claim, BASE, ""]
        moves = [DIRECTION[letter] for letter in groups[paper, claim, edit, about]["expected"].iloc[0]]
        for stage in STAGES:
            columns = {"criterion": CODES, "before": vote(before, stage), "after": vote(after, stage)}
            named = {"paper": paper, "claim": claim, "edit": edit, "about": about, "stage": stage}
            parts.append(columns | {"expected": moves} | {name: [value] * len(CODES) for name, value in named.items()})
    table: dict[str, Any] = {
        column: np.concatenate([part[column] for part in parts]) if parts else [] for column in COLUMNS
    }
    return pd.DataFrame(table).dropna(ignore_index=True)


def sensitivity(moves: pd.DataFrame, level: float) -> Share:
    """Of the targeted statuses that could move as expected, those that did, by any number of steps."""
    targeted = moves[moves["expected"] != 0]
    could = targeted[np.where(targeted["expected"] < 0, targeted["before"] > 0, targeted["before"] < 2)]
    return share_of(int(_along(could).gt(0).sum()), len(could), level)


def locality(moves: pd.DataFrame, level: float) -> Share:
    """Of the statuses that should stay, those that did."""
    others = moves[moves["expected"] == 0]
    return share_of(int((others["before"] == others["after"]).sum()), len(others), level)


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
    moved = rows[rows["edit"] == "circuit"]
    judged = moved[moved["run"] == "0"].set_index(KEYS)["statuses"]
    audited = moved[moved["run"] == AUDITED].set_index(KEYS)["statuses"]
    for key in audited.index:
        paper, claim, _, code = key
        place = CODES.index(code)
        texts = (base.loc[paper, claim], judged.loc[key], audited.loc[key])
        found.append((paper, claim, code, *(RANK[str(text)[place]] for text in texts)))
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


def _along(moves: pd.DataFrame) -> pd.Series:
    """1 for a move with what was expected, -1 for one against it, 0 for none."""
    steps = pd.Series(np.sign(moves["after"] - moves["before"]), index=moves.index)
    return steps * moves["expected"]


def share_of(moved: int, n: int, level: float) -> Share:
    """A share with its interval."""
    if n == 0:
        return Share(0, 0, None, None, None)
    interval: Interval = clopper_pearson(moved, n, level)
    return Share(n, moved, moved / n, interval.low, interval.high)
