"""Judge the planted papers of the trust study by judges whose trust is known beforehand."""

import pandas as pd

from mechaware.claims.trust.controls import floors, key_of
from mechaware.claims.trust.papers import plan_trial_papers
from mechaware.claims.trust.trials import judge_trial, planted_trial
from mechaware.frames import write_csv
from scripts.command import Output, run


def main(*, papers: int, runs: int, seed: int, out: Output) -> None:
    """Write a row for each control, text, claim and run."""
    planted = plan_trial_papers(papers, seed)
    trials = [planted_trial(paper) for paper in planted]
    rows = [
        {**row, "judge": control.name}
        for control in (key_of(planted), *floors(seed))
        for trial in trials
        for row in judge_trial(control, trial, runs)
    ]
    write_csv(pd.DataFrame(rows), out)


if __name__ == "__main__":
    run(main)
