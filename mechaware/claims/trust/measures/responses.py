"""From judged trials to responses: how each status moved, how many moved as expected, and how many others stayed.

A response is one criterion of one claim, before and after one edit, at one stage: `single` (the first run
on either side; further runs over the same texts are not independent), `minimum` and `median` (the vote over all runs).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float
from scipy.stats import binomtest

from mechaware.claims.rubric.criteria import CRITERIA, decode_ranks
from mechaware.claims.trust.planted.moves import HARD
from mechaware.claims.trust.trials import BASE, RETEST, SCORED
from mechaware.stats import clopper_pearson, mean_over_groups

STAGES = {"single": "one run", "minimum": "minimum vote", "median": "median vote"}
DIRECTION = {"f": -1, "r": 1, ".": 0, "?": np.nan}
CODES = list(CRITERIA)
KEYS = ["paper", "claim", "edit", "criterion", "edited"]  # of the rows of trials
COLUMNS = ["paper", "claim", "edit", "about", "criterion", "stage", "before", "after", "expected"]
NUMBERS = ["before", "after", "expected"]


class Share(NamedTuple):
    """`k` of n with an interval; its ends are None where there is none, the share too if n is 0."""

    n: int
    k: int
    share: float | None
    low: float | None
    high: float | None


class Targets(NamedTuple):
    """Of n targeted statuses, those that moved as expected and against it, and those not at that end of the scale."""

    n: int
    along: int
    against: int
    could: int


class SignTest(NamedTuple):
    """Papers that moved with and against what was expected, summed over edits, and the two-sided exact p-value.

    Papers without a net move are left out.
    """

    along: int
    against: int
    p: float | None


def ranks(statuses: Iterable[str]) -> Float[np.ndarray, "text criterion"]:
    """Statuses as 0, 1 and 2, from texts of letters; NaN without a status."""
    return np.array([decode_ranks(text) for text in statuses])


def vote(cast: Float[np.ndarray, "*text run criterion"], stage: str) -> Float[np.ndarray, "*text criterion"]:
    """The ranks after the vote over runs, or by the first run for `single`.

    The median is the lower one of an even number. NaN if half of the runs or more have no status.
    """
    if stage == "single":
        return np.asarray(cast[..., 0, :])
    known = (~np.isnan(cast)).sum(axis=-2, keepdims=True)
    place = np.zeros_like(known) if stage == "minimum" else (np.maximum(known, 1) - 1) // 2
    chosen = np.take_along_axis(np.sort(cast, axis=-2), place, axis=-2)  # NaN last
    return np.asarray(np.where(2 * known > cast.shape[-2], chosen, np.nan).squeeze(axis=-2))


def voted_at(runs: Sequence[Sequence[str]], stages: Sequence[str]) -> Float[np.ndarray, "text stage criterion"]:
    """`vote` at each stage for texts with statuses of one or more runs each."""
    voted = np.empty((len(runs), len(stages), len(CODES)))
    for length in {len(texts) for texts in runs}:
        alike = [place for place, texts in enumerate(runs) if len(texts) == length]
        cast = ranks(text for place in alike for text in runs[place]).reshape(len(alike), length, len(CODES))
        for column, stage in enumerate(stages):
            voted[alike, column] = vote(cast, stage)
    return voted


class JudgedText(NamedTuple):
    """What a judge gave to one claim of one text, as letters: by each run, and as scored (empty if there is none)."""

    runs: list[str]
    scored: str
    expected: str
    truth: str


def judged_texts(rows: pd.DataFrame) -> dict[tuple[str, int, str, str, str], JudgedText]:
    """The rows of `trials.judge_trial` by `KEYS`, in their order."""
    texts: dict[tuple[str, int, str, str, str], JudgedText] = {}
    columns = [rows[name].tolist() for name in (*KEYS, "run", "statuses", "expected", "truth")]
    for *key, run, statuses, expected, truth in zip(*columns, strict=True):
        text = texts.setdefault(tuple(key), JudgedText([], "", expected, truth))
        if run == SCORED:
            texts[tuple(key)] = text._replace(scored=statuses)
        else:
            text.runs.append(statuses)
    return texts


def stages_of(texts: Mapping[tuple[str, int, str, str, str], JudgedText]) -> list[str]:
    """The stages at which texts have statuses: one run has no vote."""
    return list(STAGES) if max((len(text.runs) for text in texts.values()), default=0) > 1 else ["single"]


def responses(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each response, from the rows of `trials.judge_trial`.

    Both claims of an edited paper respond; the claim that the edit does not concern should stay. A response needs a
    status on both sides and an expectation: those that may move or stay are left out.
    Columns: paper, claim, edit, about (the criterion of the edit), criterion, stage, before and after (0, 1 or 2) and
    expected (-1, 0 or 1).
    """
    return _moves(judged_texts(rows), lambda edit: edit not in (BASE, RETEST))


def repeats(rows: pd.DataFrame) -> pd.DataFrame:
    """A row as in `responses` for each status of an unedited text: before and after it was judged again."""
    return _moves(judged_texts(rows), lambda edit: edit == RETEST)


def _moves(texts: Mapping[tuple[str, int, str, str, str], JudgedText], wanted: Callable[[str], bool]) -> pd.DataFrame:
    keys = [key for key in texts if wanted(key[2])]
    stages = stages_of(texts)
    shape = (len(keys), len(stages), len(CODES))
    papers, claims, edits, about, _ = zip(*keys, strict=True) if keys else [()] * len(KEYS)
    expected = [[[DIRECTION[letter] for letter in texts[key].expected]] for key in keys]
    by_text = {"paper": papers, "claim": claims, "edit": edits, "about": about}
    columns: dict[str, Any] = {
        **{name: np.array(values, dtype=object)[:, None, None] for name, values in by_text.items()},
        "criterion": np.array(CODES, dtype=object),
        "stage": np.array(stages, dtype=object)[:, None],
        "before": voted_at([texts[paper, claim, BASE, "", ""].runs for paper, claim, *_ in keys], stages),
        "after": voted_at([texts[key].runs for key in keys], stages),
        "expected": np.array(expected, dtype=float).reshape(len(keys), 1, len(CODES)),
    }
    table = pd.DataFrame(
        {name: np.broadcast_to(values, shape).ravel() for name, values in columns.items()}, dtype=object
    )
    # Texts stay objects: Arrow's strings take four times as long to choose from, in a thousand small tables.
    return table.astype(dict.fromkeys(NUMBERS, float)).astype({"claim": int})[COLUMNS].dropna(ignore_index=True)


def edited_texts(rows: pd.DataFrame) -> int:
    """The number of edited texts among the rows of `trials.judge_trial`."""
    return len(rows.loc[~rows["edit"].isin([BASE, RETEST]), ["paper", "edit", "criterion", "edited"]].drop_duplicates())


def targets(moves: pd.DataFrame) -> Targets:
    """How the targeted statuses moved, by any number of steps."""
    targeted = moves[moves["expected"] != 0]
    along = _along(targeted)
    could = np.where(targeted["expected"] < 0, targeted["before"] > 0, targeted["before"] < 2)
    return Targets(len(targeted), int((along > 0).sum()), int((along < 0).sum()), int(could.sum()))


def sensitivity(moves: pd.DataFrame, level: float) -> Share:
    """Of the targeted statuses, those that moved as expected; one at the wrong end of the scale has not moved."""
    targeted = moves[moves["expected"] != 0]
    return share_over_papers(_along(targeted) > 0, targeted["paper"], level)


def stability(moves: pd.DataFrame, level: float) -> Share:
    """Of the statuses that should stay, of either claim, those that did; of `repeats`, those that were repeated."""
    others = moves[moves["expected"] == 0]
    return share_over_papers(others["before"] == others["after"], others["paper"], level)


def claims_moved(moves: pd.DataFrame, level: float) -> Share:
    """The claims more than half of whose targeted statuses moved as expected."""
    targeted = moves[moves["expected"] != 0]
    return share_of_claims(_along(targeted) > 0, targeted, level)


def moved_by_hard_edits(moves: pd.DataFrame, level: float) -> dict[str, Share]:
    """`claims_moved` by each family of `HARD`, all criteria together: of one criterion there are too few."""
    return {family: claims_moved(moves[moves["edit"] == family], level) for family in HARD}


def sign_test(moves: pd.DataFrame) -> SignTest:
    """Whether papers move more often with than against what was expected."""
    targeted = moves[moves["expected"] != 0]
    net = _along(targeted).groupby(targeted["paper"]).sum()
    along, against = int((net > 0).sum()), int((net < 0).sum())
    total = along + against
    return SignTest(along, against, float(binomtest(along, total).pvalue) if total else None)


def leak_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """For each text whose evidence was moved to the circuit: the target's rank by run 0, and as it is scored.

    Columns: paper, claim, criterion, before (the base by run 0), judged and scored; without unscored rows.
    """
    found = []
    base = rows[(rows["edit"] == BASE) & (rows["run"] == "0")].set_index(["paper", "claim"])["statuses"]
    moved = rows[(rows["edit"] == "circuit") & (rows["edited"] == rows["claim"].astype(str))]
    judged = moved[moved["run"] == "0"].set_index(KEYS)["statuses"]
    scored = moved[moved["run"] == SCORED].set_index(KEYS)["statuses"]
    for key in scored.index:
        paper, claim, _, code, _ = key
        place = CODES.index(code)
        texts = (base.loc[paper, claim], judged.loc[key], scored.loc[key])
        found.append((paper, claim, code, *(decode_ranks(str(text))[place] for text in texts)))
    return pd.DataFrame(found, columns=["paper", "claim", "criterion", "before", "judged", "scored"]).dropna()


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


@cache
def share_of(k: int, n: int, level: float) -> Share:
    """A share with its Clopper-Pearson interval."""
    if n == 0:
        return Share(0, 0, None, None, None)
    return Share(n, k, k / n, *clopper_pearson(k, n, level))


def share_of_claims(hits: pd.Series, items: pd.DataFrame, level: float) -> Share:
    """The claims of which more than half of the items are hits; claims taken as independent."""
    total: Counter[tuple[str, int]] = Counter(zip(items["paper"], items["claim"], strict=True))
    hit = Counter(
        claim for claim, was in zip(zip(items["paper"], items["claim"], strict=True), hits, strict=True) if was
    )
    return share_of(sum(2 * hit[claim] > n for claim, n in total.items()), len(total), level)


def share_over_papers(hits: pd.Series, papers: pd.Series, level: float) -> Share:
    """A share with its t interval over papers, within 0 and 1; without one for fewer than `LEAST_GROUPS`."""
    if not len(hits):
        return Share(0, 0, None, None, None)
    share = float(hits.mean())
    interval = mean_over_groups(hits.to_numpy(bool), papers, level)
    ends = (max(0.0, interval.low), min(1.0, interval.high)) if interval else (None, None)
    return Share(len(hits), int(hits.sum()), share, *ends)
