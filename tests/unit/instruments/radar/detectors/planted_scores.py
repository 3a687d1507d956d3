"""Synthetic scores and surface features of planted twins,
in which one likelihood and one layer show what was seen.
"""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.detectors.logit_lens import LIKELIHOODS, SURFACE_COLUMNS

ITEMS = 10  # of each kind, seen by each twin


def planted_scores(
    *seeds: int, kinds: tuple[str, ...] = ("recall", "reasoning"), sign: float = 1.0
) -> pd.DataFrame:
    """Items under both twins: all columns are noise except two, which are higher for seen items.

    - `loss` is higher by 0.7 for a seen item, before each seed and kind is scaled by a factor of
      its own.
    - The last surface feature is higher by `sign` times 1.3.
    - `shuffled_seen` is wrong for every third item.
    """
    tables = []
    for seed in seeds:
        generator = np.random.default_rng([seed, len(kinds)])
        for twin in "AB":
            for kind_number, kind in enumerate(kinds):
                for half in "AB":
                    numbers = np.arange(ITEMS)
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
