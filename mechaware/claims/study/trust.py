"""How far each judge can be trusted: a row for each judge and stage, from its trials."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Scores
from mechaware.claims.rubric.scoring import tier
from mechaware.claims.trust.controls.judges import SEED_OF
from mechaware.claims.trust.measures.intervals import cvs_interval
from mechaware.claims.trust.measures.responses import (
    Share,
    edited_texts,
    leak_rows,
    moved_by_hard_edits,
    repeats,
    responses,
    sensitivity,
    share_of,
    sign_test,
    stability,
    targets,
)
from mechaware.claims.trust.measures.verdicts import (
    TOO_FEW,
    VOTES,
    YES,
    Limits,
    choose_vote,
    confusion,
    criterion_trust,
    labelled,
)
from mechaware.claims.trust.removal import KINDS, count_lowered
from mechaware.claims.trust.trials import BASE, SCORED


def trust_summary(trials: pd.DataFrame, limits: Limits, level: float) -> pd.DataFrame:
    """A row for each judge, source of texts (planted, passage) and stage, in the order of the trials.

    `trials` has the rows of `trials.judge_trial` with a column `judge`. Columns: judge, source, stage, papers, runs,
    edits; for `moved` (`responses.sensitivity`), `stayed` and `again` (`responses.stability` of edits and of a second
    reading) and `hard` (claims, of the family of hard edits that moved the smallest share) n, share and ends;
    `against`, the share of targeted statuses that moved the wrong way, and `could`, the number of those not at that end
    of the scale; `papers_along`, `papers_against` and `p` of the sign test; `trusted`, and `tested`, the number of
    criteria with enough claims to tell. Beside the planted texts `right` (a share of statuses), the error of each vote
    (`verdicts.VoteChoice`), and how many leaks stood. A control of several seeds has one row with their means, and no
    `p`.
    """
    rows = []
    for (judge, source), judged in trials.groupby(["judge", "source"], sort=False):
        moves, repeated, statuses = responses(judged), repeats(judged), labelled(judged)
        runs = int(judged.loc[(judged["run"] != SCORED) & (judged["edit"] == BASE), "run"].nunique())
        extra = _vote_and_leaks(judged, statuses, runs) if source == "planted" else {}
        for stage in dict.fromkeys(moves["stage"]):
            at_stage, labels = moves[moves["stage"] == stage], statuses[statuses["stage"] == stage]
            second = repeated[repeated["stage"] == stage]
            row: dict[str, Any] = {"judge": str(judge).split(SEED_OF)[0], "source": source, "stage": stage}
            row |= {"papers": judged["paper"].nunique(), "runs": runs, "edits": edited_texts(judged)}
            row |= _responses(at_stage, second, level)
            verdicts = criterion_trust(at_stage, second, labels, limits, level)["trusted"]
            row |= {"trusted": int((verdicts == YES).sum()), "tested": int((verdicts != TOO_FEW).sum())}
            row["right"] = (labels["status"] == labels["truth"]).mean() if len(labels) else None
            row |= {name: extra.get(f"{stage}_{name}") for name in ("error", "bias")}
            rows.append(row | {name: extra.get(name) for name in ("chosen", "held_out", "leaks", "leaked", "audited")})
    return _mean_over_seeds(pd.DataFrame(rows))


def trust_by_criterion(planted: pd.DataFrame, limits: Limits, level: float) -> pd.DataFrame:
    """`verdicts.criterion_trust` of one judge at each stage, with columns stage, judge and `chosen`.

    `chosen` marks the stage to use: the one run, or the vote with the smaller error; in a tie the minimum, which gives
    the tiers.
    """
    moves, repeated, judged = responses(planted), repeats(planted), labelled(planted)
    runs = int(planted.loc[(planted["run"] != SCORED) & (planted["edit"] == BASE), "run"].nunique())
    voted = judged[judged["stage"].isin(VOTES)]
    chosen = (choose_vote(voted, runs).chosen or VOTES[0]) if len(voted) else "single"
    return pd.concat(
        criterion_trust(
            at, repeated[repeated["stage"] == stage], judged[judged["stage"] == stage], limits, level
        ).assign(stage=stage, chosen=stage == chosen)
        for stage, at in moves.groupby("stage", sort=False)
    ).assign(judge=planted["judge"].iloc[0])


def _responses(moves: pd.DataFrame, repeated: pd.DataFrame, level: float) -> dict[str, Any]:
    counts, test = targets(moves), sign_test(moves)
    hard = [share for share in moved_by_hard_edits(moves, level).values() if share.share is not None]
    shares: dict[str, Share] = {
        "moved": sensitivity(moves, level),
        "stayed": stability(moves, level),
        "again": stability(repeated, level),
        "hard": min(hard, key=lambda share: share.share or 0, default=Share(0, 0, None, None, None)),
    }
    row: dict[str, Any] = {}
    for name, share in shares.items():
        row |= {f"{name}_n": share.n, name: share.share, f"{name}_low": share.low, f"{name}_high": share.high}
    row |= {"against": counts.against / counts.n if counts.n else None, "could": counts.could}
    return row | {"papers_along": test.along, "papers_against": test.against, "p": test.p}


def _mean_over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """One row for each judge, source and stage: rows of several seeds as their means."""
    keys = ["judge", "source", "stage"]
    several = rows.duplicated(keys, keep=False)
    rows.loc[several, "p"] = None  # a mean of p-values is none
    numbers = rows.columns.difference([*keys, "chosen"], sort=False)
    means = rows[several].groupby(keys, sort=False)[list(numbers)].agg(_mean)
    merged = rows.drop_duplicates(keys).astype(dict.fromkeys(numbers, object)).set_index(keys)
    merged.update(means.astype(object))
    return merged.reset_index()[list(rows.columns)].infer_objects()


def _mean(column: pd.Series) -> float:
    return float(column.astype(float).mean())


def _vote_and_leaks(judged: pd.DataFrame, statuses: pd.DataFrame, runs: int) -> Mapping[str, Any]:
    """The votes' errors, and how many criteria above NO stayed so without evidence of their own.

    Their evidence was moved to the whole circuit: `leaked` counts them as judged by one run, `audited` after the vote
    and the audit.
    """
    leaks = leak_rows(judged)
    credited = leaks[leaks["before"] > 0]
    counts = {
        "leaks": len(credited),
        "leaked": int((credited["judged"] > 0).sum()),
        "audited": int((credited["scored"] > 0).sum()),
    }
    single = statuses[statuses["stage"] == "single"]
    difference = (single["status"] - single["truth"]) / 2
    one_run = {"single_error": difference.abs().mean(), "single_bias": difference.mean()}
    voted = statuses[statuses["stage"].isin(VOTES)]
    return counts | one_run | ({} if voted.empty else choose_vote(voted, runs)._asdict())


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
            share = share_of(count_lowered(group[kind]), int((group[kind] != "").sum()), level)
            row |= {f"{kind}_n": share.n, f"{kind}_fell": share.k, kind: share.share}
            row |= {f"{kind}_low": share.low, f"{kind}_high": share.high}
        rows.append(row)
    return pd.DataFrame(rows)


def bounded_scores(
    trials: pd.DataFrame, scores: Sequence[Scores], *, draws: int, level: float, seed: int
) -> pd.DataFrame:
    """Each scored paper's CVS with the interval of `intervals.cvs_interval`, and the tiers of its ends.

    The mistakes are those of statuses that were voted and audited as those of the scores were.
    """
    judged = labelled(trials)
    counts = confusion(judged[judged["stage"] == SCORED])
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
