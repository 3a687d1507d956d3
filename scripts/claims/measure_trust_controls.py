"""Judge the planted papers of the trust study by judges whose trust is known beforehand."""

import pandas as pd

from mechaware.claims.trust.controls.judges import cheats, floors, key_of
from mechaware.claims.trust.controls.wordings import wordings_judge
from mechaware.claims.trust.planted.papers import plan_trial_papers
from mechaware.claims.trust.trials import Scoring, judge_trial, planted_trial
from mechaware.frames import write_parquet
from scripts.command import Output, run


def main(*, papers: int, seed: int, trials: Output) -> None:
    """Write a row of `trials` for each control, text and claim, of one run, and for what a score would be made from."""
    planted = plan_trial_papers(papers, seed)
    planned = [planted_trial(paper) for paper in planted]
    rows = [
        {**row, "judge": control.name}
        for control in (key_of(planted), *floors(seed), *cheats(planted), wordings_judge(planted, seed))
        for trial in planned
        for row in judge_trial(control, trial, 1, Scoring(1))
    ]
    write_parquet(pd.DataFrame(rows), trials)


if __name__ == "__main__":
    run(main)
