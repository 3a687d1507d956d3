"""How far each judge can be trusted: a row for each judge and stage, from its trials."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Scores
from mechaware.claims.rubric.scoring import tier
from mechaware.claims.trust.intervals import cvs_interval
from mechaware.claims.trust.removal import KINDS
from mechaware.claims.trust.responses import (
    STAGES,
    leak_rows,
    locality,
    responses,
    sensitivity,
    share_of,
    sign_test,
)
from mechaware.claims.trust.verdicts import VOTES, choose_vote, confusion, criterion_trust, labelled


def trust_summary(
    trials: pd.DataFrame, *, level: float, least_sensitivity: float, least_locality: float
) -> pd.DataFrame:
    """A row for each judge, source of texts (planted, passage) and stage, in the order of the trials.

    `trials` has the rows of `trials.judge_trial` with a column `judge`. Beside the planted texts there are the error of
    each vote (`verdicts.VoteChoice`) and how many leaks stood before and after the audit.
    """
    rows = []
    for (judge, source), judged in trials.groupby(["judge", "source"], sort=False):
        moves = responses(judged)
        extra = vote_and_leaks(judged) if source == "planted" else {}
        for stage in STAGES:
            at_stage = moves[moves["stage"] == stage]
            by_criterion = criterion_trust(
                at_stage, level=level, least_sensitivity=least_sensitivity, least_locality=least_locality
            )
            row: dict[str, Any] = {"judge": judge, "source": source, "stage": stage}
            row["papers"] = judged["paper"].nunique()
            for name, share in (("moved", sensitivity(at_stage, level)), ("stayed", locality(at_stage, level))):
                row |= {f"{name}_n": share.n, name: share.share, f"{name}_low": share.low, f"{name}_high": share.high}
            row |= sign_test(at_stage)._asdict()
            row["trusted"] = int(by_criterion["trusted"].sum())
            row["tested"] = int((by_criterion["sensitivity_n"] > 0).sum())
            row["error"] = extra.get(f"{stage}_error")
            row["bias"] = extra.get(f"{stage}_bias")
            rows.append(row | {name: extra.get(name) for name in ("chosen", "held_out", "leaks", "leaked", "audited")})
    return pd.DataFrame(rows)


def vote_and_leaks(judged: pd.DataFrame) -> Mapping[str, Any]:
    """The votes' errors, and how many criteria above NO stayed so without evidence of their own.

    Their evidence was moved to the whole circuit: `leaked` counts them as judged, `audited` after the leak audit.
    """
    leaks = leak_rows(judged)
    credited = leaks[leaks["before"] > 0]
    counts = {
        "leaks": len(credited),
        "leaked": int((credited["judged"] > 0).sum()),
        "audited": int((credited["audited"] > 0).sum()),
    }
    statuses = labelled(judged)
    known = not statuses.empty and set(statuses["stage"]) == set(VOTES)
    return counts | (choose_vote(statuses)._asdict() if known else {})


def removal_summary(removals: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """By criterion and over all, the share of YES that fell when its quotes were taken out, beside other text.

    `removals` has the rows of `removal.remove_evidence`. Columns: criterion (`all` last), and for `quoted` and `other`
    text n, fell, share and its Clopper-Pearson interval. Statuses without a reply are left out.
    """
    groups = [*removals.groupby("criterion"), ("all", removals)] if len(removals) else []
    rows = []
    for code, group in sorted(groups, key=lambda named: [*CRITERIA, "all"].index(named[0])):
        row: dict[str, Any] = {"criterion": code}
        for kind in KINDS:
            known = group[kind][group[kind] != ""]
            share = share_of(int((known != "YES").sum()), len(known), level)
            row |= {f"{kind}_n": share.n, f"{kind}_fell": share.moved, kind: share.share}
            row |= {f"{kind}_low": share.low, f"{kind}_high": share.high}
        rows.append(row)
    return pd.DataFrame(rows)


def bounded_scores(
    trials: pd.DataFrame, scores: Sequence[Scores], *, draws: int, level: float, seed: int
) -> pd.DataFrame:
    """Each scored paper's CVS with the interval of `intervals.cvs_interval`, and the tiers of its ends.

    The mistakes are those of the minimum vote, which the scores are made from; the audit, which can only lower, is not
    in them.
    """
    judged = labelled(trials)
    counts = confusion(judged[judged["stage"] == "minimum"])
    rows = []
    for record in scores:
        if record.main is None or record.cvs is None:
            continue
        statuses = {code: judgement.status for code, judgement in record.claims[record.main].criteria.items()}
        interval = cvs_interval(statuses, counts, draws=draws, level=level, seed=seed)
        low, high = tier(interval.low).name, tier(interval.high).name
        rows.append((record.judge, record.paper, record.cvs, record.tier, interval.low, interval.high, low, high))
    columns = ["judge", "paper", "cvs", "tier", "low", "high", "tier_low", "tier_high"]
    return pd.DataFrame(rows, columns=columns)
