"""Answer for the planted papers of the trust study as controls do:
how far to trust each is known beforehand.
"""

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.verdicts.trust.controls import controls
from mechaware.verdicts.trust.trials import answer_trial, plan_trials
from scripts.command import Output


def main(*, papers: int, seed: int, trials: Output) -> None:
    """Write a row of `trials` for each control, text and claim."""
    planned = plan_trials(papers, edits=None, seed=seed)
    rows = []
    for name, answer in controls(seed).items():
        for trial in planned:
            for row in answer_trial(answer, trial):
                rows.append({**row, "judge": name})
    write_parquet(pd.DataFrame(rows), trials)
