"""The share of a benchmark's items that a model has seen: Storey's estimate from p-values.

The p-values are the items' conformal ones against a control (`conformal.item_tests`).
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from scipy import stats

from mechaware.core.stats.intervals import Interval, clopper_pearson


class SeenShare(NamedTuple):
    """The share of items that were seen, from 0 to 1, with an interval.

    - `value`: the estimate.
    - `low`, `high`: the ends of its interval at the confidence `level`.
    - `threshold`: the p-value above which items count as unseen.
    """

    value: float
    low: float
    high: float
    level: float
    threshold: float
    method: str = "Storey"


def seen_share(p: Sequence[float], n_control: int, *, confidence_level: float) -> SeenShare:
    """Storey's estimate of the share of items that do not come from the control's distribution.

    With m controls the p-value of an unseen item is uniform on 1/(m + 1), ..., 1, so that it
    exceeds the threshold t with probability 1 - t. Of the n items, W have a p-value above t. Then

        t = floor((m + 1) / 2) / (m + 1)
        share = 1 - (W / n) / (1 - t), at least 0

    (Storey 2002, A direct approach to false discovery rates, J. R. Stat. Soc. B 64, 479-498,
    equation 4, with t for lambda). Seen items with p above t count as unseen. So the estimate errs
    low, and `low` is a lower bound of the true share; `high` is not an upper bound.

    The interval of the share follows from the intervals of two independent rates, W / n and 1 - t
    (`ratio_of_rates`). For W / n it is the Clopper-Pearson interval. For 1 - t it allows for the
    sampling of the control. With k = floor((m + 1) / 2), 1 - t estimates the probability that an
    unseen item scores at most as high as the k-th highest control. From one sampled control to the
    next, this probability is distributed as Beta(m + 1 - k, k).

    Args:
        p: The p-value of each item.
        n_control: The number m of controls.
        confidence_level: Of the interval, such as 0.95.
    """
    k = (n_control + 1) // 2
    threshold = k / (n_control + 1)
    n = len(p)
    # The p-values are whole multiples of 1/(m + 1), which a file rounds: 1e-9 is for rounding.
    n_above = sum(value > threshold + 1e-9 for value in p)

    rate_above = n_above / n
    interval_above = clopper_pearson(n_above, n, confidence_level)
    expected = 1 - threshold
    tail = (1 - confidence_level) / 2
    # How the probability that an unseen item exceeds the threshold varies with the control.
    unseen_above = stats.beta(n_control + 1 - k, k)
    interval_expected = Interval(float(unseen_above.ppf(tail)), float(unseen_above.ppf(1 - tail)))
    ratio = ratio_of_rates(rate_above, interval_above, expected, interval_expected)

    return SeenShare(
        value=max(0.0, 1 - rate_above / expected),
        low=max(0.0, 1 - ratio.high),
        high=max(0.0, 1 - ratio.low),
        level=confidence_level,
        threshold=threshold,
    )


def ratio_of_rates(
    numerator: float,
    numerator_interval: Interval,
    denominator: float,
    denominator_interval: Interval,
) -> Interval:
    """The interval of a ratio of two independent estimates, from the interval of each.

    Donner and Zou 2012 (Stat. Methods Med. Res. 21, 347-359), equation 9. With the numerator a and
    its interval (l, u), and the denominator b and its interval (L, U), the ends are

        (a b -+ sqrt(a^2 b^2 - x y (2 a - x) (2 b - y))) / (y (2 b - y))

    The lower end has the sign -, x = l and y = U; the upper end has the sign +, x = u and y = L.
    U has to be less than 2 b.
    """
    product = numerator * denominator

    def end(x: float, y: float, sign: int) -> float:
        root = product**2 - x * y * (2 * numerator - x) * (2 * denominator - y)
        root = max(0.0, root)  # rounding may leave it below 0
        return (product + sign * sqrt(root)) / (y * (2 * denominator - y))

    return Interval(
        low=end(numerator_interval.low, denominator_interval.high, -1),
        high=end(numerator_interval.high, denominator_interval.low, +1),
    )
