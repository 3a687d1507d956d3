"""Corrects the p-values of the paper's statements for the number of statements.

A statement's outcome follows from the intervals of all its tests. Were they computed at a higher
confidence level, they would be wider, and from some level on the outcome would be another. The
p-value of a statement is one minus the highest confidence level at which its intervals still give
its outcome, and Holm's correction is over all statements.

A wider interval is not computed anew. From the confidence level c to a level c', each half of an
interval is stretched by q(c') / q(c), where q(c) is the quantile at (1 + c) / 2. The quantiles are
those of the t distribution with max(seeds - 1, 1) degrees of freedom if the number of seeds is
known from the statement's entry in claims.yaml (`seeds_of`), and of the normal distribution
otherwise.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from exhibits.report.values import Value
from mechaware.core.errors import UserError
from mechaware.core.stats.p_values import holm


def corrected(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """The p-values after Holm's correction, by the statement's name.

    A statement whose p-value is None keeps None, and is not among the statements counted.
    """
    counted = {name: value for name, value in p.items() if value is not None}
    adjusted = holm(np.array(list(counted.values()), dtype=float))
    by_name = dict(zip(counted, adjusted.tolist(), strict=True))
    return {name: by_name.get(name) for name in p}


def p_of_statement(
    outcome: str,
    tests: Sequence[Any],
    smallest_effect: float,
    seeds: int | None,
    confidence_level: float,
) -> float | None:
    """One minus the highest confidence level at which a statement keeps its outcome.

    Args:
        outcome: `yes`, `reversed`, `no` or `undecided`, as `exhibits.report.ledger` defines them.
        tests: The tests of the statement (`exhibits.report.ledger.Test`).
        smallest_effect: The least difference from a bound that would matter.
        seeds: The number of seeds over which the intervals are computed; None for intervals over
            many items.
        confidence_level: The confidence level of the intervals.

    Returns:
        The p-value, 1 for an undecided statement, and None where every interval has width zero:
        what follows from printed numbers without error is no result of chance.
    """
    if all(_is_exact(test) for test in tests):
        return None
    if outcome == "undecided":
        return 1.0

    stretches = [_stretch(outcome, test, smallest_effect) for test in tests]
    return _p_of_stretch(min(stretches), seeds, confidence_level)


def seeds_of(entry: Mapping[str, Any], values: Mapping[str, Value]) -> int | None:
    """The number of seeds over which an entry's intervals are computed.

    The entry's `seeds` names a value that lists the seeds, or a value whose n is their number. None
    if the entry has no `seeds`, or if the value is no list and has no n. Raises `UserError` if the
    run has no such value.
    """
    if "seeds" not in entry:
        return None
    if entry["seeds"] not in values:
        raise UserError(
            f"claims.yaml: the run has no value '{entry['seeds']}'; correct the name under `seeds`"
        )
    named = values[entry["seeds"]]
    if isinstance(named["value"], list):
        return len(named["value"])
    n: int | None = named["n"]
    return n


def _is_exact(test: Any) -> bool:
    """Whether a test's number and bound both have intervals of width zero, as printed numbers do.

    False if one of the two has no interval.
    """
    return (
        test.low is not None
        and test.low == test.high
        and test.bound_low is not None
        and test.bound_low == test.bound_high
    )


def _stretch(outcome: str, test: Any, smallest_effect: float) -> float:
    """The factor by which each half of a test's intervals may grow before the test no longer
    bears out `outcome`.

    Let v be the value, h_low and h_high its distances from the ends of its interval, b the middle
    of the bound's interval and h_b half its width. The factor s solves:

    - `yes`: v - s * h_low = b + s * h_b
    - `reversed`: v + s * h_high = b - s * h_b
    - `no`: v + s * h_high = b - s * h_b + smallest_effect

    It is infinite if both halves in the equation are 0.
    """
    # A number above its own interval counts papers: interval and bound are of value / n (`Test`).
    is_count = test.value > test.high
    value = test.value / test.n if is_count else test.value
    middle = (test.bound_low + test.bound_high) / 2
    half_of_bound = (test.bound_high - test.bound_low) / 2

    gaps = {
        "yes": value - middle,
        "reversed": middle - value,
        "no": middle + smallest_effect - value,
    }
    half = value - test.low if outcome == "yes" else test.high - value
    width = half + half_of_bound
    return gaps[outcome] / width if width > 0 else math.inf


def _p_of_stretch(stretch: float, seeds: int | None, confidence_level: float) -> float:
    """One minus the confidence level at which intervals of `confidence_level` are
    `stretch` times as wide.
    """
    from scipy import stats

    distribution = stats.norm() if seeds is None else stats.t(max(seeds - 1, 1))
    quantile = distribution.ppf((1 + confidence_level) / 2)
    return float(2 * distribution.sf(stretch * quantile))
