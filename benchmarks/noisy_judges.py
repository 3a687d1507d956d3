"""On how many criteria a judge is trusted that reads every sentence but errs at random.

Run `.venv/bin/python -m benchmarks.noisy_judges` (three minutes); it writes docs/measured/noisy_judges.csv.
The judge looks each status up by the key of the plan and gives a share of them another value, drawn anew for each text
and run. It judges the default run's papers three times, by the default limits.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import STATUSES, Status
from mechaware.claims.rubric.records import Claim
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.trust.controls.judges import Control, key_of
from mechaware.claims.trust.measures.verdicts import Limits
from mechaware.claims.trust.planted.papers import plan_trial_papers
from mechaware.claims.trust.trials import Scoring, Trial, judge_trial, planted_trial
from mechaware.frames import write_csv
from mechaware.seeds import derive_seed

OUT = Path("docs/measured/noisy_judges.csv")
PAPERS, SEED = 12, derive_seed(20260, "trust")
RUNS, LIMITS, LEVEL = 3, Limits(0.5, 0.9, 0.5), 0.95
WRONG, SIMULATIONS = (0.05, 0.1), range(5)


def noisy_judge(papers: Sequence[PlantedPaper], wrong: float, seed: int) -> Control:
    """Reads by the key, but for a share of its statuses, drawn anew for each text and run."""
    key = key_of(papers)

    def decide(text: str, claim: Claim, code: str, run: int) -> Status:
        status = key.decide(text, claim, code, run)
        draw = derive_seed(seed, text, claim.statement, code, run) % 1000
        others = [other for other in STATUSES if other != status]
        return others[draw % 2] if draw < 1000 * wrong else status

    return Control(f"{wrong:.0%} wrong", decide)


def trusted(judge: Control, trials: Sequence[Trial]) -> pd.DataFrame:
    """By stage, on how many criteria the judge is trusted, and how many have claims enough to tell."""
    rows = [row for trial in trials for row in judge_trial(judge, trial, RUNS, Scoring(RUNS))]
    return trust_summary(pd.DataFrame(rows).assign(judge=judge.name), LIMITS, LEVEL)[["stage", "trusted", "tested"]]


def main() -> None:
    """Write a row for each share of errors, simulation and stage."""
    papers = plan_trial_papers(PAPERS, SEED)
    trials = [planted_trial(paper) for paper in papers]
    tables = [
        trusted(noisy_judge(papers, wrong, number), trials).assign(wrong=wrong, simulation=number)
        for wrong in WRONG
        for number in SIMULATIONS
    ]
    write_csv(pd.concat(tables)[["wrong", "simulation", "stage", "trusted", "tested"]], OUT)


if __name__ == "__main__":
    main()
