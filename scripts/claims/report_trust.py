"""Report how far a judge can be trusted: on which criteria, by which vote, and how each edit moved each status."""

from pathlib import Path

import pandas as pd

from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.trust.edits import FAMILIES
from mechaware.claims.trust.responses import matrix, responses
from mechaware.claims.trust.verdicts import Bootstrap, Limits, criterion_trust, labelled
from mechaware.files import replacing
from mechaware.frames import read_csv, write_csv
from scripts.command import Output, run


def main(
    *,
    trials: Path,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
    confidence_level: float,
    resamples: int,
    seed: int,
    out: Output,
) -> None:
    """Write summary.csv, criteria.csv (of planted papers) and responses.csv, all by stage, into the folder `out`."""
    rows = read_csv(trials, TRIALS)
    limits = Limits(least_sensitivity, least_locality, least_right)
    options = Bootstrap(confidence_level, resamples, seed)
    planted = rows[rows["source"] == "planted"]
    moves, own, judged = responses(rows), responses(planted), labelled(planted)
    trust = [
        criterion_trust(at, judged[judged["stage"] == stage], limits, options).assign(stage=stage)
        for stage, at in own.groupby("stage", sort=False)
    ]
    counted = [matrix(at, FAMILIES).assign(stage=stage) for stage, at in moves.groupby("stage", sort=False)]
    tables = {
        "summary": trust_summary(rows, limits, options),
        "criteria": pd.concat(trust).assign(judge=rows["judge"].iloc[0]),
        "responses": pd.concat(counted),
    }
    with replacing(out) as folder:
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")


if __name__ == "__main__":
    run(main)
