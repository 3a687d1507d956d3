"""How far each judge can be trusted: what it does where evidence is edited, beside judges of known trust."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.tables.cells import count_text, interval_cells
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
    return Table(numbers, _shown(numbers[numbers["stage"] == "single"], judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """What one run alone of each judge does: a vote of runs that are alike is their copy."""
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Texts": numbers["source"].map({"planted": "planted papers", "passage": "passages"}),
            "Statuses": numbers["moved_n"].astype(str),
            "Moved as expected, %": _shares(numbers, "moved"),
            "Stayed, %": _shares(numbers, "stayed"),
            "With : against": [f"{a} : {b}" for a, b in zip(numbers["along"], numbers["against"], strict=True)],
            "p": numbers["p"].astype(float).map(p_value),
            "Trusted": [count_text(trusted, len(CRITERIA)) for trusted in numbers["trusted"]],
        }
    )


def _shares(numbers: pd.DataFrame, name: str) -> list[str]:
    """Shares with their intervals, in percent."""
    shares = numbers[name].astype(float).map(percent)
    return [
        f"{share} ({ends})" if share else "" for share, ends in zip(shares, interval_cells(numbers, name), strict=True)
    ]
