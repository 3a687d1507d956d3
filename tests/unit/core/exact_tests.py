"""Exact tests by enumeration."""

import itertools
from collections.abc import Sequence
from fractions import Fraction


def exact_p(differences: Sequence[Fraction | int]) -> float:
    """The share of all 2^n signings whose sum is at least as far from 0 as the one seen."""
    observed = abs(sum(differences))
    signings = list(itertools.product((1, -1), repeat=len(differences)))
    n_as_far = 0
    for signs in signings:
        total = sum(sign * value for sign, value in zip(signs, differences, strict=True))
        n_as_far += abs(total) >= observed
    return n_as_far / len(signings)
