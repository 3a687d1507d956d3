"""Corrects the statements of the paper for how many there are.

A statement's outcome follows from the intervals of all its tests. Were they computed at a higher
confidence level, they would be wider, and from some level on the outcome would be another. The
p-value of a statement is one minus the highest confidence level at which its intervals still give
its outcome, and Holm's correction is over all statements.

A wider interval is not computed anew: each half of an interval is stretched by the ratio of two
quantiles, of the t distribution where the statement's entry in claims.yaml says over how many seeds
its intervals are, and of the normal distribution elsewhere.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from exhibits.report.values import Value
from mechaware.core.errors import UserError
from mechaware.core.stats.p_values import holm


def corrected(p: Mapping[str, float | None]) -> dict[str, float | None]:
    """p-values by the statement's name after Holm's correction;
    a statement without one is not among those counted.
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
        outcome: `yes`, `reversed`, `no` or `undecided`.
        tests: The tests of the statement (`exhibits.report.ledger.Test`).
        smallest_effect: The least difference from a bound that would matter.
        seeds: Over how many seeds the intervals are; None for intervals over many items.
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
    """Over how many seeds an entry's intervals are.

    The entry's `seeds` names a list of seeds, or a value whose n is their number. None if it names
    none, or if that value has no n. Raises `UserError` if the run has no such value.
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
