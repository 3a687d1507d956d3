"""Report how far a judge can be trusted: on which criteria, by which vote, and how each edit moved each status."""

from pathlib import Path

import pandas as pd

from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_by_criterion, trust_summary
from mechaware.claims.trust.measures.responses import matrix, responses
from mechaware.claims.trust.measures.verdicts import Limits
from mechaware.claims.trust.planted.edits import FAMILIES
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
    out: Output,
) -> None:
    """Write summary.csv, criteria.csv (of planted papers) and responses.csv, all by stage, into the folder `out`."""
    rows = read_csv(trials, TRIALS)
    limits = Limits(least_sensitivity, least_locality, least_right)
    counted = [
        matrix(at, FAMILIES).assign(source=source, stage=stage)
        for source, of_source in rows.groupby("source", sort=False)
        for stage, at in responses(of_source).groupby("stage", sort=False)
    ]
    tables = {
        "summary": trust_summary(rows, limits, confidence_level),
        "criteria": trust_by_criterion(rows[rows["source"] == "planted"], limits, confidence_level),
        "responses": pd.concat(counted),
    }
    with replacing(out) as folder:
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")


if __name__ == "__main__":
    run(main)
