"""The share of a benchmark's items that a model has seen, by Storey's estimate on their conformal p-values."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from scipy import stats

from mechaware.core.stats import Interval, clopper_pearson


class SeenShare(NamedTuple):
    """The share of items that were seen, from 0 to 1, with its interval `low` to `high` at confidence `level`.

    `threshold`: the p-value above which items count as unseen ones.
    """

    value: float
    low: float
    high: float
    level: float
    threshold: float
    method: str = "Storey"


def seen_share(p: Sequence[float], n_control: int, *, confidence_level: float) -> SeenShare:
    """Storey's estimate of the share of items that are no draws of the control's distribution.

    With m controls the p-value of an unseen item is uniform on 1/(m + 1), ..., 1, so that it exceeds the threshold t
    with probability 1 - t. Of the n items, W have a p-value above t. Then

        t = floor((m + 1) / 2) / (m + 1)
        share = 1 - (W / n) / (1 - t), at least 0

    (Storey 2002, A direct approach to false discovery rates, J. R. Stat. Soc. B 64, 479-498, equation 4, with t for
    lambda). Seen items with p above t count as unseen: the estimate errs low, and `low` is a lower bound of the true
    share; `high` is not an upper bound.

    The interval follows from the intervals of two independent shares, W / n and 1 - t (`ratio_of_shares`). For W / n it
    is the Clopper-Pearson interval. For 1 - t it allows for the draw of the control: an unseen item scores at most as
    high as the k-th highest control, k = floor((m + 1) / 2), with a probability that over draws of the control is
    distributed as Beta(m + 1 - k, k).
    """
    n_above = (n_control + 1) // 2
    threshold = n_above / (n_control + 1)
    n = len(p)
    # The p-values are whole multiples of 1/(m + 1), which a file rounds.
    unseen = sum(value > threshold + 1e-9 for value in p)

    share = unseen / n
    share_interval = clopper_pearson(unseen, n, confidence_level)
    expected = 1 - threshold
    tail = (1 - confidence_level) / 2
    below = stats.beta(n_control + 1 - n_above, n_above)
    expected_interval = Interval(float(below.ppf(tail)), float(below.ppf(1 - tail)))
    ratio = ratio_of_shares(share, share_interval, expected, expected_interval)

    return SeenShare(
        value=max(0.0, 1 - share / expected),
        low=max(0.0, 1 - ratio.high),
        high=max(0.0, 1 - ratio.low),
        level=confidence_level,
        threshold=threshold,
    )


def ratio_of_shares(
    numerator: float, over: Interval, denominator: float, under: Interval
) -> Interval:
    """The interval of a ratio of two independent estimates from their own intervals `over` and `under`.

    Donner and Zou 2012 (Stat. Methods Med. Res. 21, 347-359), equation 9. With estimates a and b, intervals (l, u) of a
    and (L, U) of b, the ends are (a b -+ sqrt(a^2 b^2 - x y (2 a - x) (2 b - y))) / (y (2 b - y)), where x and y are l
    and U at the lower end, u and L at the upper one. `under.high` is less than 2 b.
    """
    product = numerator * denominator

    def end(x: float, y: float, sign: int) -> float:
        root = product**2 - x * y * (2 * numerator - x) * (2 * denominator - y)
        root = max(0.0, root)  # rounding may leave it below 0
        return (product + sign * sqrt(root)) / (y * (2 * denominator - y))

    return Interval(end(over.low, under.high, -1), end(over.high, under.low, +1))
