"""How near each judge comes to the planted truth after each stage, beside judges that always give the same status."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.schemas import CLAIMS, JUDGED_CRITERIA, LEVELS, PAPERS, RUNS, TRUTH
from mechaware.claims.study.planted import STAGES, PlantedSummary, planted_agreement
from mechaware.claims.tables.cells import count_text, decimals_text, errors_text, interval_cells
from mechaware.report.tables import Table, p_value, percent, points

READS = {
    "papers": "results/claims/summary/papers.csv",
    "runs": "results/claims/summary/runs.csv",
    "claims": "results/claims/summary/claims.csv",
    "criteria": "results/claims/summary/criteria.csv",
    "truth": "results/claims/summary/truth.csv",
    "levels": "results/claims/summary/levels.csv",
}
CONFIG = {"confidence_level": "confidence_level", "bootstrap_resamples": "bootstrap_resamples"}


def fill(
    *,
    papers: Annotated[pd.DataFrame, PAPERS],
    runs: Annotated[pd.DataFrame, RUNS],
    claims: Annotated[pd.DataFrame, CLAIMS],
    criteria: Annotated[pd.DataFrame, JUDGED_CRITERIA],
    truth: Annotated[pd.DataFrame, TRUTH],
    levels: Annotated[pd.DataFrame, LEVELS],
    judge_labels: Mapping[str, str],
    confidence_level: float,
    bootstrap_resamples: int,
    seed: int,
) -> Table:
    """One row per judge and stage, and one per baseline: criteria, leaks and tiers against those that were planted."""
    numbers = planted_agreement(
        PlantedSummary(papers, runs, claims, criteria, truth, levels),
        judge_labels,
        level=confidence_level,
        resamples=bootstrap_resamples,
        seed=seed,
    )
    judges = [judge_labels.get(judge, judge) for judge in numbers["judge"]]
    return Table(numbers, pd.DataFrame({"Judge": judges} | _criterion_cells(numbers) | _tier_cells(numbers)))


def _criterion_cells(table: pd.DataFrame) -> dict[str, object]:
    """Claims found, and how their criteria were judged."""
    main_found = table["main_found"].astype("Int64")
    over_no = (table[name].astype(float) for name in ("over_no", "over_no_low", "over_no_high"))
    return {
        "Stage": table["stage"].map({"": "", **STAGES}),
        "Claims found": list(map(count_text, table["found_claims"], table["planted_claims"])),
        "Main claim is a planted one": list(map(count_text, main_found, table["papers"])),
        "Criteria": table["n"].astype(str),
        "Unscored, %": _percents(table["unscored"]),
        "Exact, %": _percents(table["exact"]),
        "Exact, interval, %": interval_cells(table, "exact"),
        "Always NO there, %": _percents(table["always_no"]),
        "Always YES there, %": _percents(table["always_yes"]),
        "Exact over NO, points": list(map(points, *over_no)),
        "Mean absolute error": [decimals_text(error, 3) for error in table["mae"]],
        "Bias": [decimals_text(bias, 3, sign="+") for bias in table["bias"]],
        "Bias, interval": list(map(_bias_interval, *(table[name].astype(float) for name in ("bias_low", "bias_high")))),
        "Leaks": list(map(count_text, table["leaked"], table["leaks"])),
        "Leak rate, %": _percents(table["leak_rate"]),
        "Leak rate, interval, %": interval_cells(table, "leak"),
    }


def _tier_cells(table: pd.DataFrame) -> dict[str, object]:
    """Predicted tiers of the papers beside the planted ones."""
    n = table["tier_n"]
    return {
        "Tier exact": list(map(count_text, table["tier_exact"], n)),
        "Tier exact, interval, %": interval_cells(table, "tier_exact"),
        "Within one": list(map(count_text, table["tier_within_one"], n)),
        "Quadratic kappa": table["tier_kappa_quadratic"].map(decimals_text),
        "Too high": list(map(errors_text, table["tier_up"], n)),
        "Too low": list(map(errors_text, table["tier_down"], n)),
        "p": table["tier_p"].astype(float).map(p_value),
    }


def _percents(fractions: pd.Series) -> pd.Series:
    return fractions.astype(float).map(percent)


def _bias_interval(low: float, high: float) -> str:
    return "" if pd.isna(low) else f"{low:+.3f} to {high:+.3f}"
