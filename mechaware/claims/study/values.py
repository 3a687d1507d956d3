"""The numbers of the claims study in the paper's text that are cells of no table."""

from pathlib import Path

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA, DIMENSIONS, TIERS
from mechaware.report.values import Value, value


def rubric_sizes() -> dict[str, Value]:
    """The number of criteria, dimensions and tiers."""
    sizes = {"criteria": len(CRITERIA), "dimensions": len(DIMENSIONS), "tiers": len(TIERS)}
    return {f"rubric/{name}": value(size, file="mechaware/claims/rubric/criteria.py") for name, size in sizes.items()}


def mean_ranges(single_run: Path) -> dict[str, Value]:
    """By source of scores, the mean over papers of the range of single runs, from the table claims_single_run."""
    ranges = pd.read_csv(single_run, dtype={"source": str}).groupby("source")["single_range"]
    return {
        f"{single_run.stem}/{source}/single_range": value(known.mean(), file=single_run, n=int(known.count()))
        for source, known in ranges
    }
