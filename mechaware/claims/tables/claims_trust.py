"""How far each judge can be trusted: what it does where evidence is edited, beside judges of known trust."""

from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.schemas import TRIALS
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.tables.cells import count_text
from mechaware.claims.trust.controls.judges import CEILING, SEED_OF
from mechaware.claims.trust.verdicts import Bootstrap, Limits
from mechaware.report.tables import Table, bootstrap_interval, p_value, percent

READS = {"trials": "results/claims/trials/{trusted}.csv"}
CONFIG = {
    "confidence_level": "confidence_level",
    "resamples": "bootstrap_resamples",
    "least_sensitivity": "claims/trust/least_sensitivity",
    "least_locality": "claims/trust/least_locality",
    "least_right": "claims/trust/least_right",
}
# Of the controls; the others fail in the same ways.
SHOWN = (
    CEILING,
    "always PARTIAL",
    "at random",
    "one status too low",
    "blind to whose evidence",
    "blind to withdrawals and leaks",
    "length of the sentence",
)


def fill(
    *,
    trials: Annotated[pd.DataFrame, TRIALS],
    judge_labels: Mapping[str, str],
    confidence_level: float,
    resamples: int,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
    seed: int,
) -> Table:
    """A row for each judge, source of texts and stage; of passages one run alone."""
    shown = trials["judge"].str.split(SEED_OF).str[0].isin([*SHOWN, *judge_labels])
    limits = Limits(least_sensitivity, least_locality, least_right)
    numbers = trust_summary(trials[shown], limits, Bootstrap(confidence_level, resamples, seed))
    numbers = numbers[(numbers["source"] == "planted") | (numbers["stage"] == "single")].reset_index(drop=True)
    return Table(numbers, _shown(numbers[numbers["stage"] == "single"].reset_index(drop=True), judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """What one run alone of each judge does; votes, errors and leaks are in the CSV file."""
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Texts": numbers["source"].map({"planted": "planted papers", "passage": "passages"}),
            "Moved as expected, %": _shares(numbers, "moved"),
            "Moved against, %": numbers["against"].astype(float).map(percent),
            "Others that stayed, %": _shares(numbers, "stayed"),
            "Claims moved by hard edits, %": _shares(numbers, "hard"),
            "Papers with : against (p)": _signs(numbers),
            "Right, %": numbers["right"].astype(float).map(percent),
            "Trusted criteria": [
                count_text(_number(trusted), len(CRITERIA)) if source == "planted" else ""
                for trusted, source in zip(numbers["trusted"], numbers["source"], strict=True)
            ],
        }
    )


def _shares(numbers: pd.DataFrame, name: str) -> list[str]:
    """Shares in percent, with their intervals where there are some."""
    shares = numbers[name].astype(float).map(percent)
    ends = (numbers[f"{name}_{end}"].astype(float) for end in ("low", "high"))
    pairs = zip(shares, map(bootstrap_interval, *ends), strict=True)
    return [f"{share} ({interval})" if interval else share for share, interval in pairs]


def _signs(numbers: pd.DataFrame) -> list[str]:
    rows = numbers[["papers_along", "papers_against", "p"]].astype(float).itertuples(index=False)
    return [
        f"{_number(along)} : {_number(against)}" + ("" if pd.isna(p) else f" ({p_value(p)})")
        for along, against, p in rows
    ]


def _number(count: float) -> str:
    """A count; with one decimal where it is a mean over seeds."""
    return f"{count:.0f}" if float(count).is_integer() else f"{count:.1f}"
