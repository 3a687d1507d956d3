"""Judge texts before and after counterfactual edits."""

from pathlib import Path

import pandas as pd

from mechaware.claims.judges.kinds import open_judge
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.trust.plan import plan_trials
from mechaware.claims.trust.trials import Scoring, judge_trial
from mechaware.claims.votes.audit import DevilsAdvocate
from mechaware.frames import write_csv
from scripts.command import Output, SideOutput, run


def main(
    *,
    prompts: list[Path],
    weights: list[Path],
    passages: list[Path],
    settings: JudgeSettings,
    papers: int,
    edits: int | None = None,
    runs: int,
    scored_runs: int,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    seed: int,
    responses: SideOutput,
    out: Output,
) -> None:
    """Write a row for each text, claim and run, and for what a score is made from; `edits` limits them to one claim."""
    scoring = Scoring(scored_runs, leak_audit, devils_advocate)
    trials = plan_trials(papers, passages, edits=edits, seed=seed)
    with open_judge(settings, prompts=prompts, responses=responses, weights=weights) as judge:
        rows = pd.DataFrame([row for trial in trials for row in judge_trial(judge, trial, runs, scoring)])
    write_csv(rows.assign(judge=settings.name), out)


if __name__ == "__main__":
    run(main)
