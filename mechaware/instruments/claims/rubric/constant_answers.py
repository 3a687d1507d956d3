"""Whether a judge beats a constant answer on planted papers."""

from collections.abc import Mapping
from math import isnan
from typing import Any

from mechaware.core.levels import significance_at


def why_no_better(rates: Mapping[Any, Any], confidence_level: float) -> str:
    """Why a judge is not shown to be better than one answer to all, in a sentence.

    Empty if the judge is shown to be better.

    Two things must be shown, each at `confidence_level`: that the judge gets more criteria right
    than the better one of two constant answers, and that it calls supported papers supported more
    often than other papers (Fisher's exact test, one-sided).

    `rates` is the judge's row of the calibration on planted papers
    (`verdicts.supported_calibration`):

    - `exact`: the share of criteria that the judge gets right, 0 to 1; NaN if no status can be
      compared with the true one.
    - `exact_low`, `exact_high`: the interval of this share; NaN without an interval.
    - `always_yes`, `always_no`: the shares that the two constant answers get right.
    - `supported`, `others`: the number of papers that are supported, and of papers that are not.
    - `found`, `false`: how many of each the judge calls supported.
    - `p`: the p-value of the difference between these two rates.
    """
    constants = {"YES": float(rates["always_yes"]), "NO": float(rates["always_no"])}
    best_constant = max(constants, key=constants.__getitem__)
    right_by_constant = constants[best_constant]
    right = float(rates["exact"])
    low = float(rates["exact_low"])
    high = float(rates["exact_high"])
    if isnan(right):
        return "on planted papers the judge gave no status that can be compared with the true one"

    if isnan(low) or low <= right_by_constant:
        interval = "" if isnan(low) else f" ({low:.0%} to {high:.0%})"
        return (
            f"of the criteria of planted papers the judge has {right:.0%} right{interval}, which "
            f"is not shown to be better than answering {best_constant} throughout "
            f"({right_by_constant:.0%})"
        )

    p = float(rates["p"])
    if p > significance_at(confidence_level):
        return (
            f"of planted papers the judge calls supported {rates['found']} of the "
            f"{rates['supported']} that are, and {rates['false']} of the {rates['others']} that "
            f"are not, which is not shown to be better than one answer to all (p = {p:.2g})"
        )
    return ""
