"""The numbers of the claims study in the paper's text that are cells of no table."""

from pathlib import Path

import pandas as pd

from exhibits.claims.schemas import REPORTED_PAPERS, REPORTED_REFERENCES
from exhibits.report.values import Value, value
from mechaware.core.frames import read_csv
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, TIERS
from mechaware.planted.papers.judged import POWER


def constants() -> dict[str, Value]:
    """The rubric's numbers of criteria, dimensions and tiers, and the power of a test, 0 to 1.

    It is the power with which the smallest detectable lead on planted papers would be shown.
    """
    rubric = "mechaware/instruments/claims/rubric/criteria.py"
    return {
        "rubric/criteria": value(len(CRITERIA), file=rubric),
        "rubric/dimensions": value(len(DIMENSIONS), file=rubric),
        "rubric/tiers": value(len(TIERS), file=rubric),
        "planted/power": value(POWER, file="mechaware/planted/papers/judged.py"),
    }


def mean_ranges(single_run: Path) -> dict[str, Value]:
    """By source of scores, the mean over papers of the range of CVS over single runs.

    `single_run` is the table claims_single_run; a paper without a range does not count.
    """
    table = pd.read_csv(single_run, dtype={"source": str})
    means = {}
    for source, ranges in table.groupby("source")["single_range"]:
        name = f"{single_run.stem}/{source}/single_range"
        means[name] = value(ranges.mean(), file=single_run, n=int(ranges.count()))
    return means


def tiers_alike(
    reported_papers: Path, references: Path, *, confidence_level: float
) -> dict[str, Value]:
    """How many papers have the same tier in all the author's lists, the paper's own list included.

    `reported_papers` has the paper's own list (`expected_tier`), `references` the author's other
    lists. n is the number of papers that all lists have; `low` and `high` are Clopper-Pearson
    bounds of the share.
    """
    own = read_csv(reported_papers, REPORTED_PAPERS).set_index("paper")["expected_tier"]
    listed = read_csv(references, REPORTED_REFERENCES)
    tiers = listed.pivot(index="paper", columns="reference", values="tier")
    in_all_lists = tiers.assign(own=own).dropna()
    is_alike = in_all_lists.nunique(axis=1) == 1

    n_papers = len(in_all_lists)
    n_alike = int(is_alike.sum())
    low, high = clopper_pearson(n_alike, n_papers, confidence_level)
    return {"references/alike": value(n_alike, file=references, low=low, high=high, n=n_papers)}
