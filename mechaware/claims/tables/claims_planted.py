"""How near each judge comes to the planted truth after each stage, beside judges that always give the same status."""

from collections.abc import Mapping

import pandas as pd

from mechaware.claims.study.planted import STAGES, PlantedSummary, planted_agreement
from mechaware.claims.tables.cells import count_text, decimals_text, interval_cells
from mechaware.report.tables import Table, percent, points, with_interval

READS = {
    "papers": "results/claims/summary/papers.parquet",
    "runs": "results/claims/summary/runs.parquet",
    "claims": "results/claims/summary/claims.parquet",
    "criteria": "results/claims/summary/criteria.parquet",
    "truth": "results/claims/summary/truth.parquet",
    "levels": "results/claims/summary/levels.parquet",
}
CONFIG = {"confidence_level": "confidence_level"}


def fill(
    *,
    papers: pd.DataFrame,
    runs: pd.DataFrame,
    claims: pd.DataFrame,
    criteria: pd.DataFrame,
    truth: pd.DataFrame,
    levels: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
) -> Table:
    """One row per judge and stage, and one per baseline; the numbers have tiers and errors, too."""
    numbers = planted_agreement(
        PlantedSummary(papers, runs, claims, criteria, truth, levels),
        judge_labels,
        level=confidence_level,
    )
    return Table(numbers, _shown(numbers, judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """Claims found, and criteria right beside those of the same answer throughout; the numbers have leaks, too."""
    judges = [judge_labels.get(judge, judge) for judge in numbers["judge"]]
    over_no = (numbers[name].astype(float) for name in ("over_no", "over_no_low", "over_no_high"))
    shares = {name: numbers[name].astype(float).map(percent) for name in ("exact", "always_no", "always_yes")}
    bias = [decimals_text(bias, 2, sign="+") for bias in numbers["bias"]]
    ends = map(_bias_interval, *(numbers[name].astype(float) for name in ("bias_low", "bias_high")))
    return pd.DataFrame(
        {
            "Judge": judges,
            "Stage": numbers["stage"].map({"": "", **STAGES}),
            "Claims found": list(map(count_text, numbers["found_claims"], numbers["planted_claims"])),
            "Criteria right, %": list(map(with_interval, shares["exact"], interval_cells(numbers, "exact"))),
            "NO and YES throughout, %": shares["always_no"] + " and " + shares["always_yes"],
            "Lead over NO, points": list(map(points, *over_no)),
            "Bias": list(map(with_interval, bias, ends)),
        }
    )


def _bias_interval(low: float, high: float) -> str:
    return "" if pd.isna(low) else f"{low:+.2f} to {high:+.2f}"
