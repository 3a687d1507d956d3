"""Judge planted papers before and after counterfactual edits, and report how far the judge can be trusted."""

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
    """Write a row of `trials` for each text and claim, and the folder `report` with summary.csv and criteria.csv.

    `edits` limits them to one claim.
    """
    planned = plan_trials(papers, edits=edits, seed=seed)
    judged = []
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        for trial in planned:
            judged += judge_trial(judge, trial)
    rows = pd.DataFrame(judged).assign(judge=settings.name)
    write_parquet(rows, trials)

    limits = Limits(least_sensitivity, least_locality, least_right)
    criteria = criterion_trust(judged_statuses(rows), limits, confidence_level).assign(
        judge=settings.name
    )
    with atomic_write(report) as folder:
        write_csv(trust_summary(rows, limits, confidence_level), folder / "summary.csv")
        write_csv(criteria, folder / "criteria.csv")
