"""How far each judge can be trusted, by how its statuses respond where evidence is edited.

Some sentences of planted papers are edited. An edit targets certain statuses of a claim; all other
statuses should keep their value. Controls are in the same table: the plan of the papers itself, and
judges that read nothing.
"""

from collections.abc import Mapping

import pandas as pd

from exhibits.claims.tables.cells import count_text
from exhibits.report.tables import Table, percent, percent_interval, with_interval
from mechaware.verdicts.trust.verdicts import TOO_FEW, Limits, trust_summary

READS = {"trials": "results/claims/trials/{trusted}.parquet"}
CONFIG = {
    "confidence_level": "confidence_level",
    "least_sensitivity": "claims/trust/least_sensitivity",
    "least_locality": "claims/trust/least_locality",
    "least_right": "claims/trust/least_right",
}


def fill(
    *,
    trials: pd.DataFrame,
    judge_labels: Mapping[str, str],
    confidence_level: float,
    least_sensitivity: float,
    least_locality: float,
    least_right: float,
) -> Table:
    """A row for each judge, with the columns of `trust_summary`. Among them:

    - `moved`: the share of the `moved_n` targeted statuses that fell or rose as their edit should
      make them. `could` counts the targeted statuses that were not already at the end of the scale.
    - `stayed`: the share of all other statuses that kept their value.
    - `hard`: the share of claims moved by the family of hard edits that moved fewest.
    - `trusted`: on how many of the `tested` criteria the judge can be trusted.
    - `right`: the share of statuses that equal the truth.
    """
    limits = Limits(least_sensitivity, least_locality, least_right)
    numbers = trust_summary(trials, limits, confidence_level)
    return Table(numbers, _shown(numbers, judge_labels))


def _shown(numbers: pd.DataFrame, judge_labels: Mapping[str, str]) -> pd.DataFrame:
    """The printed columns; the paper's caption defines them."""
    return pd.DataFrame(
        {
            "Judge": [judge_labels.get(judge, judge) for judge in numbers["judge"]],
            "Moved as expected, %": _shares(numbers, "moved"),
            "Could move": numbers["could"].map(_number) + " of " + numbers["moved_n"].map(_number),
            "Others that stayed, %": _shares(numbers, "stayed"),
            "Worst hard edits, %": _shares(numbers, "hard"),
            "Right, %": numbers["right"].astype(float).map(percent),
            "Trusted criteria": list(map(_verdict, numbers["trusted"], numbers["tested"])),
        }
    )


def _shares(numbers: pd.DataFrame, name: str) -> list[str]:
    """Shares in percent, with their intervals where there are any.

    Where all papers agree, the interval has no width and would look certain, so it is left out.
    """
    shares = numbers[name].astype(float).map(percent)
    low = numbers[f"{name}_low"].astype(float)
    high = numbers[f"{name}_high"].astype(float)
    # `percent_interval` is empty where an end is missing.
    low = low.where(low != high)
    intervals = map(percent_interval, low, high)
    return list(map(with_interval, shares, intervals))


def _verdict(trusted: float, tested: float) -> str:
    """How many of the tested criteria are trusted; `TOO_FEW` if none had enough claims."""
    if not tested:
        return TOO_FEW
    return count_text(_number(trusted), _number(tested))


def _number(count: float) -> str:
    """A count; with one decimal where it is a mean over seeds."""
    decimals = 0 if float(count).is_integer() else 1
    return f"{count:.{decimals}f}"
