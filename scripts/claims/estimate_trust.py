"""Estimate what measuring a judge's trust will cost."""

import json
from pathlib import Path

from mechaware.claims.judges.settings import JudgeSettings
from mechaware.claims.trust.cost import estimate_cost
from mechaware.claims.trust.plan import plan_trials
from mechaware.claims.trust.trials import Scoring
from mechaware.claims.votes.audit import DevilsAdvocate
from mechaware.files import atomic_write
from scripts.command import Output, run


def main(
    *,
    prompts: list[Path],
    passages: list[Path],
    settings: JudgeSettings,
    papers: int,
    edits: int | None,
    runs: int,
    scored_runs: int,
    leak_audit: bool,
    devils_advocate: DevilsAdvocate,
    seed: int,
    out: Output,
) -> None:
    """Print one line and write the same numbers to `out`; no call is made."""
    trials = plan_trials(papers, passages, edits=edits, seed=seed)
    cost = estimate_cost(settings, prompts, trials, runs, Scoring(scored_runs, leak_audit, devils_advocate))
    print(cost.line(settings.name))
    with atomic_write(out) as partial:
        partial.write_text(json.dumps(cost._asdict(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
