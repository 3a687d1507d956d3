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
    rubric = "mechaware/instruments/claims/rubric/criteria.py"
    return {
        "rubric/criteria": value(len(CRITERIA), file=rubric),
        "rubric/dimensions": value(len(DIMENSIONS), file=rubric),
        "rubric/tiers": value(len(TIERS), file=rubric),
        "planted/power": value(POWER, file="mechaware/planted/papers/judged.py"),
    }


def mean_ranges(single_run: Path) -> dict[str, Value]:
    """By source of scores, the mean over papers of the range of single runs, from the table claims_single_run."""
    table = pd.read_csv(single_run, dtype={"source": str})
    means = {}
    for source, ranges in table.groupby("source")["single_range"]:
        name = f"{single_run.stem}/{source}/single_range"
        means[name] = value(ranges.mean(), file=single_run, n=int(ranges.count()))
    return means


def tiers_alike(
    reported_papers: Path, references: Path, *, confidence_level: float
) -> dict[str, Value]:
    """How many papers have the same tier in all lists of references and in the paper's own list.

    Only papers that all lists have count: n. `low` and `high` are Clopper-Pearson bounds of the share.
    """
    own = read_csv(reported_papers, REPORTED_PAPERS).set_index("paper")["expected_tier"]
    listed = read_csv(references, REPORTED_REFERENCES).pivot(
        index="paper", columns="reference", values="tier"
    )
    tiers = listed.assign(own=own).dropna().nunique(axis=1)
    count = int((tiers == 1).sum())
    papers = len(tiers)
    low, high = clopper_pearson(count, papers, confidence_level)
    return {"references/alike": value(count, file=references, low=low, high=high, n=papers)}
