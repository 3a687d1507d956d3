"""How far each judge can be trusted: what it does where evidence is edited, beside judges of known trust."""

from collections.abc import Mapping

import pandas as pd

from mechaware.claims.study.trust import trust_summary
from mechaware.claims.tables.cells import count_text
from mechaware.claims.trust.controls.judges import CEILING, SEED_OF, WORDINGS
from mechaware.claims.trust.measures.verdicts import TOO_FEW, Limits
from mechaware.report.tables import Table, p_value, percent, percent_interval, with_interval

READS = {"trials": "results/claims/trials/{trusted}.parquet"}
CONFIG = {
    "confidence_level": "confidence_level",
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
    "PARTIAL as YES",
    "credits other authors",
    "blind to whose evidence",
    "blind to withdrawals and leaks",
    "length of the sentence",
    WORDINGS,
)


def fill(
    *,
    trials: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
) -> Table:
    """A row for each judge, source of texts and stage; of passages one run alone."""
    shown = trials["judge"].str.split(SEED_OF).str[0].isin([*SHOWN, *judge_labels])
    limits = Limits(least_sensitivity, least_locality, least_right)
    numbers = trust_summary(trials[shown], limits, confidence_level)
    numbers = numbers[(numbers["source"] == "planted") | (numbers["stage"] == "single")].reset_index(drop=True)
    return Table(numbers, _shown(numbers[numbers["stage"] == "single"].reset_index(drop=True), judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """What one run alone of each judge does; votes, second readings, errors and leaks are in the CSV file."""
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Texts": numbers["source"].map({"planted": "planted papers", "passage": "passages"}),
            "Moved as expected, %": _shares(numbers, "moved"),
            "Could move": numbers["could"].map(_number) + " of " + numbers["moved_n"].map(_number),
            "Others that stayed, %": _shares(numbers, "stayed"),
            "Worst hard edits, %": _shares(numbers, "hard"),
            "Papers with : against (p)": _signs(numbers),
            "Right, %": numbers["right"].astype(float).map(percent),
            "Trusted criteria": [
                _verdict(*row) for row in zip(numbers["source"], numbers["trusted"], numbers["tested"], strict=True)
            ],
        }
    )


def _shares(numbers: pd.DataFrame, name: str) -> list[str]:
    """Shares in percent, with their intervals where there are some."""
    shares = numbers[name].astype(float).map(percent)
    low, high = (numbers[f"{name}_{end}"].astype(float) for end in ("low", "high"))
    varies = low != high  # where all papers agree the interval says nothing about the uncertainty
    return list(map(with_interval, shares, map(percent_interval, low.where(varies), high)))


def _signs(numbers: pd.DataFrame) -> list[str]:
    rows = numbers[["papers_along", "papers_against", "p"]].astype(float).itertuples(index=False)
    return [
        f"{_number(along)} : {_number(against)}" + ("" if pd.isna(p) else f" ({p_value(p)})")
        for along, against, p in rows
    ]


def _verdict(source: str, trusted: float, tested: float) -> str:
    """The trusted of the tested criteria; nothing is tested on passages."""
    if source != "planted":
        return ""
    return count_text(_number(trusted), _number(tested)) if tested else TOO_FEW


def _number(count: float) -> str:
    """A count; with one decimal where it is a mean over seeds."""
    return f"{count:.0f}" if float(count).is_integer() else f"{count:.1f}"
