"""Report how far a judge can be trusted: on which criteria, by which vote, and how each edit moved each status."""

from pathlib import Path

import pandas as pd

from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.trust.edits import FAMILIES
from mechaware.claims.trust.responses import STAGES, matrix, responses
from mechaware.claims.trust.verdicts import criterion_trust
from mechaware.files import replacing
from mechaware.frames import read_csv, write_csv
from scripts.command import Output, run


def main(
    *, trials: Path, least_sensitivity: float, least_locality: float, confidence_level: float, out: Output
) -> None:
    """Write summary.csv, criteria.csv and responses.csv (edit by criterion), all by stage, into the folder `out`."""
    rows = read_csv(trials, TRIALS)
    thresholds = {"least_sensitivity": least_sensitivity, "least_locality": least_locality}
    moves = responses(rows)
    stages = {stage: moves[moves["stage"] == stage] for stage in STAGES}
    trust = {stage: criterion_trust(at, level=confidence_level, **thresholds) for stage, at in stages.items()}
    tables = {
        "summary": trust_summary(rows, level=confidence_level, **thresholds),
        "criteria": pd.concat([table.assign(stage=stage) for stage, table in trust.items()]),
        "responses": pd.concat([matrix(at, FAMILIES).assign(stage=stage) for stage, at in stages.items()]),
    }
    with replacing(out) as folder:
        for name, table in tables.items():
            write_csv(table, folder / f"{name}.csv")


if __name__ == "__main__":
    run(main)
