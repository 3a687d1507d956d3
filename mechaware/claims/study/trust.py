"""How far each judge can be trusted: a row for each judge, from its trials."""

from typing import Any

import pandas as pd

from mechaware.claims.trust.controls import SEED_OF
from mechaware.claims.trust.responses import (
    Share,
    along,
    judged_statuses,
    labelled,
    moved_by_hard_edits,
    repeats,
    responses,
    sensitivity,
    stability,
)
from mechaware.claims.trust.trials import BASE, RETEST
from mechaware.claims.trust.verdicts import TOO_FEW, YES, Limits, criterion_trust


def trust_summary(trials: pd.DataFrame, limits: Limits, level: float) -> pd.DataFrame:
    """A row for each judge, in the order of the trials; a control of several seeds has one row with their means.

    `trials` has the rows of `trials.answer_trial` with a column `judge`. Columns: judge, papers, edits; for `moved`
    (`responses.sensitivity`), `stayed` and `again` (`responses.stability` of edits and of a second reading) and `hard`
    (claims, of the family of hard edits that moved the smallest share) n, share and ends; `against`, the share of
    targeted statuses that moved the wrong way, and `could`, the number of those not at that end of the scale;
    `trusted`, and `tested`, the number of criteria with enough claims to tell; `right`, a share of statuses.
    """
    by_judge = trials.groupby("judge", sort=False)
    rows = pd.DataFrame([_judge_row(str(judge), rows, limits, level) for judge, rows in by_judge])
    return rows.set_index("judge").astype(float).groupby(level=0, sort=False).mean().reset_index()


def _judge_row(judge: str, rows: pd.DataFrame, limits: Limits, level: float) -> dict[str, Any]:
    judged = judged_statuses(rows)
    moves, statuses = responses(judged), labelled(judged)
    hard = [share for share in moved_by_hard_edits(moves, level).values() if share.share is not None]
    shares = {
        "moved": sensitivity(moves, level),
        "stayed": stability(moves, level),
        "again": stability(repeats(judged), level),
        "hard": min(hard, key=lambda share: share.share or 0, default=Share(0, 0, None, None, None)),
    }
    row: dict[str, Any] = {"judge": judge.split(SEED_OF)[0], "papers": rows["paper"].nunique()}
    row["edits"] = edited_texts(rows)
    for name, share in shares.items():
        row |= {f"{name}_n": share.n, name: share.share, f"{name}_low": share.low, f"{name}_high": share.high}
    falls, rises = moves["expected"] < 0, moves["expected"] > 0
    row["against"] = (along(moves[falls | rises]) < 0).mean()
    row["could"] = int((falls & (moves["before"] > 0) | rises & (moves["before"] < 2)).sum())
    verdicts = criterion_trust(judged, limits, level)["trusted"]
    row |= {"trusted": int((verdicts == YES).sum()), "tested": int((verdicts != TOO_FEW).sum())}
    return row | {"right": (statuses["after"] == statuses["truth"]).mean()}


def edited_texts(rows: pd.DataFrame) -> int:
    """The number of edited texts among the rows of `trials.answer_trial`."""
    edits = rows[~rows["edit"].isin([BASE, RETEST])]
    return len(edits[["paper", "edit", "criterion", "edited"]].drop_duplicates())
