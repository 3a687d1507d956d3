"""Judge planted papers before and after counterfactual edits, to see how far to trust a judge."""

from pathlib import Path

import pandas as pd

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_csv, write_parquet
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.verdicts.trust.responses import judged_statuses
from mechaware.verdicts.trust.trials import judge_trial, plan_trials
from mechaware.verdicts.trust.verdicts import Limits, criterion_trust, trust_summary
from scripts.command import Output, SideOutput


def main(
    *,
    prompts: list[Path],
    weights: list[Path],
    settings: JudgeSettings,
    papers: int,
    edits: int | None,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
    confidence_level: float,
    seed: int,
    responses: SideOutput,
    trials: Output,
    report: Output,
) -> None:
    """Write `trials`, a row for each text and claim, and `report`, a folder of two tables.

    The tables are summary.csv, one row for the judge, and criteria.csv, a row for each
    criterion. `papers` planted papers are judged with all their edits. With a number of `edits`
    only the first claim of the first paper is judged, with that number of its edits
    (`plan_trials`).
    """
    planned = plan_trials(papers, edits=edits, seed=seed)
    judged = []
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        for trial in planned:
            judged += judge_trial(judge, trial)
    rows = pd.DataFrame(judged).assign(judge=settings.name)
    write_parquet(rows, trials)

    limits = Limits(sensitivity=least_sensitivity, locality=least_locality, right=least_right)
    summary = trust_summary(rows, limits, confidence_level)
    criteria = criterion_trust(judged_statuses(rows), limits, confidence_level)
    with atomic_write(report) as folder:
        write_csv(summary, folder / "summary.csv")
        write_csv(criteria.assign(judge=settings.name), folder / "criteria.csv")
