"""The cards' instruments of claims: each judge, by planted papers and by edits of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.instruments.claims.rubric.criteria import CRITERIA, RANK, STATUSES
from mechaware.planted.papers.judged import judged_at
from mechaware.verdicts.cards.card import CHANCE, Instrument
from mechaware.verdicts.cards.names import BLIND_JUDGE
from mechaware.verdicts.trust.edits import PLACEBOS
from mechaware.verdicts.trust.responses import judged_statuses, repeats, responses
from mechaware.verdicts.trust.trials import RETEST


def judges(
    criteria: Path,
    levels: Path,
    papers: Path,
    trials: Sequence[Path],
    labels: Mapping[str, str],
    on_prose: Mapping[str, str],
) -> Iterator[Instrument]:
    """Each judge, by its audited statuses of planted claims and its responses to edits.

    A unit is a criterion of a claim, and papers are groups. The last judge is blind, it reads no
    text: it answers YES where most other planted papers have YES.

    Args:
        criteria: The summary's table of judged statuses.
        levels: The summary's table of planted statuses.
        papers: The summary's table of papers.
        trials: The trials of judges, one file each, named as the judge.
        labels: By judge, its label; cards are made of these judges, in this order.
        on_prose: By judge, how it does on real prose, in sentences; a judge may be missing.
    """
    statuses = pd.read_parquet(criteria)
    planted = pd.read_parquet(levels)
    judged_papers = pd.read_parquet(papers)
    made_by = dict.fromkeys(
        [str(criteria), str(levels), str(papers)], "scripts/claims/summarise_claims.py"
    )
    trials_of = {path.stem: path for path in trials}
    for name, label in labels.items():
        scored = judged_at(statuses, name, "audited")
        scored = scored[scored["status"].isin(STATUSES)]
        papers_of_judge = judged_papers.loc[judged_papers["judge"] == name, "paper"]
        n_planted = planted["paper"].isin(papers_of_judge).sum()
        missing = [
            f"{n_planted - len(scored)} of {n_planted} planted statuses, of claims that it did not "
            "find"
        ]
        parts = [_planted_units(scored, scored["status"] == "YES")]
        sources = dict(made_by)

        if name in trials_of:
            edited, n_stuck = _edited_units(pd.read_parquet(trials_of[name]))
            parts.append(edited)
            sources[str(trials_of[name])] = "scripts/claims/measure_trust.py"
            missing.append(
                f"{n_stuck} edited statuses that could not move, as they were at that end before"
            )
        else:
            missing.append(f"edits (snakemake results/claims/trust/{name} measures them)")
        if name not in on_prose:
            missing.append("real prose (mechaware judge measures it)")

        judge = _judge(name, label, parts, sources, "; ".join(missing))
        yield judge._replace(not_planted=on_prose.get(name, ""))

    yield _judge(
        BLIND_JUDGE,
        "most frequent status (blind)",
        [_planted_units(planted, _usually_yes(planted))],
        made_by,
        "edits",
    )


def _judge(
    name: str, label: str, parts: list[pd.DataFrame], sources: Mapping[str, str], missing: str
) -> Instrument:
    """A judge, by the units of each part; `sources` and `missing` as in `Instrument`."""
    rows = pd.concat(parts, ignore_index=True)
    return Instrument(
        kind="judge",
        name=name,
        label=label,
        claims="Does a paper's text meet a criterion for its claim? The truth is YES; PARTIAL "
        "counts as NO. And does a status move where its evidence was edited, and nowhere else?",
        units="statuses",
        rows=rows.assign(group=rows["paper"], score=rows["score"].astype(float), length=np.nan),
        cut=CHANCE,
        sources=sources,
        missing=missing,
    )


def _planted_units(statuses: pd.DataFrame, says_yes: pd.Series) -> pd.DataFrame:
    """Units of statuses with their truth, in the order of the rubric.

    There is a row for each criterion of a claim.
    """
    index_in_rubric = {code: index for index, code in enumerate(CRITERIA)}
    units = statuses.assign(
        unit=statuses["paper"] + "/" + statuses["claim"].astype(str) + "/" + statuses["criterion"],
        part="planted claims",
        condition=statuses["criterion"],
        truth=statuses["truth"] == "YES",
        score=says_yes,
    )
    return units.sort_values(
        "condition", key=lambda codes: codes.map(index_in_rubric), kind="stable"
    )


def _usually_yes(planted: pd.DataFrame) -> pd.Series:
    """For each planted status, whether YES is the truth more often than not in the other papers.

    Only the other papers' statuses on the same criterion count. A tie counts as NO.
    """
    is_yes = (planted["truth"] == "YES").astype(float)
    by_criterion = is_yes.groupby(planted["criterion"])
    by_criterion_and_paper = is_yes.groupby([planted["criterion"], planted["paper"]])
    n_yes = by_criterion.transform("sum") - by_criterion_and_paper.transform("sum")
    n_claims = by_criterion.transform("size") - by_criterion_and_paper.transform("size")
    return n_yes / n_claims > CHANCE


def _edited_units(trials: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The units of edits, and how many edited statuses could not move.

    The verdict is whether a status moved, in either direction; the truth that its evidence was
    edited. A text that is judged again without an edit is also a condition.
    """
    judged = judged_statuses(trials)
    moves = pd.concat([responses(judged), repeats(judged)], ignore_index=True)
    cannot_fall = (moves["expected"] < 0) & (moves["before"] == 0)
    cannot_rise = (moves["expected"] > 0) & (moves["before"] == max(RANK.values()))
    is_stuck = cannot_fall | cannot_rise
    moves = moves[~is_stuck]

    is_placebo = moves["edit"].isin(PLACEBOS)
    conditions = moves["edit"].mask(is_placebo, "nothing edited, other words")
    units = moves.assign(
        unit=np.arange(len(moves)).astype(str),
        part="edits",
        condition=conditions.replace(RETEST, "read again"),
        truth=moves["expected"] != 0,
        score=moves["after"] != moves["before"],
    )
    return units, int(is_stuck.sum())
