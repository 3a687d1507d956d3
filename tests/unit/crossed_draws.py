"""Every draw of the bootstrap over items and replicates, tried one by one: an independent reference for few of both."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

import numpy as np


def crossed_draws(sums: Sequence[Sequence[float]], sizes: Sequence[float] | None = None) -> list[float]:
    """The statistic of all n^n * k^k equally likely draws of n items and k replicates, in ascending order."""
    n_items, n_replicates = len(sums), len(sums[0])
    sizes = [1] * n_items if sizes is None else sizes
    drawn = []
    for items in itertools.product(range(n_items), repeat=n_items):
        for replicates in itertools.product(range(n_replicates), repeat=n_replicates):
            total = sum(Fraction(sums[item][replicate]) for item in items for replicate in replicates)
            drawn.append(float(total / (n_replicates * sum(Fraction(sizes[item]) for item in items))))
    return sorted(drawn)


def inside(drawn: Sequence[float], ends: int) -> tuple[float, tuple[float, float]]:
    """A level whose quantiles lie amid the draw number `ends` (from 0) and its mirror, and those two draws."""
    tail = (ends + 0.5) / len(drawn)
    return float(np.round(1 - 2 * tail, 12)), (drawn[ends], drawn[-1 - ends])
