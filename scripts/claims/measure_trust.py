"""Judge texts before and after counterfactual edits, and report how far the judge can be trusted.

The report says on which criteria and by which vote, and how each edit moved each status.
"""

from pathlib import Path

import pandas as pd

from mechaware.claims.judges.kinds import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.study.trust import trust_by_criterion, trust_summary
from mechaware.claims.trust.measures.responses import matrix
from mechaware.claims.trust.measures.responses import responses as responses_to_edits
from mechaware.claims.trust.measures.verdicts import Limits
from mechaware.claims.trust.plan import plan_trials
from mechaware.claims.trust.planted.edits import FAMILIES
from mechaware.claims.trust.trials import Scoring, judge_trial
from mechaware.claims.votes.audit import DevilsAdvocate
from mechaware.files import atomic_write
from mechaware.frames import write_csv, write_parquet
from scripts.command import Output, SideOutput, run


def main(
    *,
    prompts: list[Path],
    weights: list[Path],
    passages: list[Path],
    settings: JudgeSettings,
    papers: int,
    edits: int | None,
    runs: int,
    scored_runs: int,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
    confidence_level: float,
    seed: int,
    responses: SideOutput,
    trials: Output,
    report: Output,
) -> None:
    """Write a row of `trials` for each text, claim and run, and for what a score is made from.

    `edits` limits them to one claim. The folder `report` holds summary.csv, criteria.csv (of planted papers) and
    responses.csv, all by stage.
    """
    scoring = Scoring(scored_runs, leak_audit, devils_advocate)
    planned = plan_trials(papers, passages, edits=edits, seed=seed)
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        judged = [row for trial in planned for row in judge_trial(judge, trial, runs, scoring)]
    rows = pd.DataFrame(judged).assign(judge=settings.name)
    write_parquet(rows, trials)
    limits = Limits(least_sensitivity, least_locality, least_right)
    moved = [
        matrix(at, FAMILIES).assign(source=source, stage=stage)
        for source, of_source in rows.groupby("source", sort=False)
        for stage, at in responses_to_edits(of_source).groupby("stage", sort=False)
    ]
    tables = {
        "summary": trust_summary(rows, limits, confidence_level),
        "criteria": trust_by_criterion(rows[rows["source"] == "planted"], limits, confidence_level),
        "responses": pd.concat(moved),
    }
    with atomic_write(report) as folder:
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")


if __name__ == "__main__":
    run(main)
