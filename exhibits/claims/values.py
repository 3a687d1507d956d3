"""The numbers of the claims study in the paper's text that are cells of no table."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import REPORTED_PAPERS, REPORTED_REFERENCES
from exhibits.report.values import Value, value
from mechaware.core.frames import read_csv
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, TIERS
from mechaware.planted.papers.judged import POWER


def constants() -> dict[str, Value]:
    """The number of criteria, dimensions and tiers, and the power at which planted papers show a lead."""
    power = value(POWER, file="mechaware/planted/papers/judged.py")
    sizes = {"criteria": len(CRITERIA), "dimensions": len(DIMENSIONS), "tiers": len(TIERS)}
    rubric = {
        name: value(size, file="mechaware/instruments/claims/rubric/criteria.py")
        for name, size in sizes.items()
    }
    return {f"rubric/{name}": size for name, size in rubric.items()} | {"planted/power": power}


def mean_ranges(single_run: Path) -> dict[str, Value]:
    """By source of scores, the mean over papers of the range of single runs, from the table claims_single_run."""
    ranges = pd.read_csv(single_run, dtype={"source": str}).groupby("source")["single_range"]
    return {
        f"{single_run.stem}/{source}/single_range": value(
            known.mean(), file=single_run, n=int(known.count())
        )
        for source, known in ranges
    }


def tiers_alike(reported_papers: Path, references: Path, *, level: float) -> dict[str, Value]:
    """How many papers have one tier in all lists of references and in the paper's own, of those that all lists have.

    The interval is Clopper and Pearson's, of the share of such papers.
    """
    own = read_csv(reported_papers, REPORTED_PAPERS).set_index("paper")["expected_tier"]
    listed = read_csv(references, REPORTED_REFERENCES).pivot(
        index="paper", columns="reference", values="tier"
    )
    tiers = listed.assign(own=own).dropna().nunique(axis=1)
    count, papers = int((tiers == 1).sum()), len(tiers)
    low, high = clopper_pearson(count, papers, level)
    return {"references/alike": value(count, file=references, low=low, high=high, n=papers)}
