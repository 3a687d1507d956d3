"""How far each judge can be trusted: what it does where evidence is edited, beside judges of known trust."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.tables.cells import count_text, decimals_text, interval_cells
from mechaware.claims.trust.controls import CEILING
from mechaware.claims.trust.responses import STAGES
from mechaware.report.tables import Table, p_value, percent

READS = {"trials": "results/claims/trials/{trusted}.csv"}
CONFIG = {
    "confidence_level": "confidence_level",
    "least_sensitivity": "claims/trust/least_sensitivity",
    "least_locality": "claims/trust/least_locality",
}


def fill(
    *,
    trials: Annotated[pd.DataFrame, TRIALS],
    judge_labels: Mapping[str, str],
    confidence_level: float,
    least_sensitivity: float,
    least_locality: float,
) -> Table:
    """A row for each judge, source of texts and stage; one run alone of a judge that is a control, and of passages."""
    numbers = trust_summary(
        trials, level=confidence_level, least_sensitivity=least_sensitivity, least_locality=least_locality
    )
    ours = numbers["judge"].isin(list(judge_labels)) & (numbers["source"] == "planted")
    numbers = numbers[ours | (numbers["stage"] == "single")].reset_index(drop=True)
    sources = numbers["source"].map({"planted": "planted papers", "passage": "passages"})
    shown = pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Knows the truth": ["yes" if judge == CEILING else "no" for judge in numbers["judge"]],
            "Texts": sources + ", " + numbers["stage"].map(STAGES),
            "Could move": numbers["moved_n"].astype(str),
            "Moved as expected, %": _shares(numbers, "moved"),
            "Others that stayed, %": _shares(numbers, "stayed"),
            "Claims with : against": [f"{a} : {b}" for a, b in zip(numbers["along"], numbers["against"], strict=True)],
            "p": numbers["p"].astype(float).map(p_value),
            "Trusted criteria": [count_text(trusted, len(CRITERIA)) for trusted in numbers["trusted"]],
            "Mean absolute error": [decimals_text(error, 3) for error in numbers["error"].astype(float)],
            "Bias": [decimals_text(bias, 3, sign="+") for bias in numbers["bias"].astype(float)],
            "Leaks credited": _counts(numbers, "leaked"),
            "After the audit": _counts(numbers, "audited"),
        }
    )
    return Table(numbers, shown)


def _shares(numbers: pd.DataFrame, name: str) -> list[str]:
    """Shares with their intervals, in percent."""
    shares = numbers[name].astype(float).map(percent)
    return [
        f"{share} ({ends})" if share else "" for share, ends in zip(shares, interval_cells(numbers, name), strict=True)
    ]


def _counts(numbers: pd.DataFrame, name: str) -> list[str]:
    return list(map(count_text, numbers[name].astype("Int64"), numbers["leaks"].fillna(0).astype(int)))
