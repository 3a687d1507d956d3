"""Synthetic scores and surface features of planted twins: noise, except that the loss and the last
surface feature show which items a twin has seen.
"""

from itertools import product

import numpy as np
import pandas as pd

from mechaware.instruments.radar.detectors.logit_lens import LIKELIHOODS, SURFACE_COLUMNS

ITEMS = 10  # in each half of a kind


def planted_scores(
    *seeds: int, kinds: tuple[str, ...] = ("recall", "reasoning"), sign: float = 1.0
) -> pd.DataFrame:
    """The scores of all items under both twins, one row for each seed, twin and item.

    The items of a kind are in two halves, A and B. Twin A has seen half A, twin B half B. All
    features and likelihoods are standard normal noise except two:

    - `loss` is higher by 0.7 for a seen item, before it is scaled by a factor of its seed and kind.
    - The last surface feature is higher by `sign` times 1.3 for a seen item.

    In `shuffled_seen`, four of the ten items of a half (0, 3, 6 and 9) have the wrong truth.
    """
    numbers = np.arange(ITEMS)
    tables = []
    for seed in seeds:
        generator = np.random.default_rng([seed, len(kinds)])
        for twin, (kind_number, kind), half in product("AB", enumerate(kinds), "AB"):
            seen = half == twin
            rows = pd.DataFrame({"seed": seed, "twin": twin, "kind": kind}, index=numbers)
            rows["id"] = [f"{kind}-{number}{half}" for number in numbers]
            rows["form"] = np.where(numbers < 6, "verbatim", "paraphrase")
            rows["dose"] = 16
            rows["seen"] = seen
            rows["shuffled_seen"] = (numbers % 3 == 0) ^ seen
            for column in (*LIKELIHOODS, *SURFACE_COLUMNS):
                rows[column] = generator.normal(size=ITEMS)
            rows["loss"] = (rows["loss"] + 0.7 * seen) * 10.0 ** (kind_number + seed)
            rows[SURFACE_COLUMNS[-1]] += sign * 1.3 * seen
            tables.append(rows)
    return pd.concat(tables, ignore_index=True)
