"""Detectors inside a model compared with those of its output."""

from functools import cache

import numpy as np
import pandas as pd

from exhibits.radar.summaries.inside import CELLS, OUTPUT, inside_table
from mechaware.instruments.radar.detectors.columns import FEATURE
from mechaware.instruments.radar.feature_extraction.features import FEATURES, SURFACE

CONFIDENCE_LEVEL = 0.95
N_ITEMS = 8  # of each kind and cell that a twin sees
KEYS = ["reader", "kind", "form", "dose", "seeds"]


@cache
def items(*seeds: int) -> pd.DataFrame:
    """Scores of planted items that are noise, but for two columns that belong together.

    - `log_prob`, of the answer, is 1 higher for a seen item, and has noise of deviation 2.
    - The first surface feature is half of that noise, so that a fit can subtract the noise.

    In every seed `loss` has another scale. The shuffled truth of an item differs from its truth
    with probability 1/2.
    """
    tables = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        rows = []
        for kind in ("recall", "reasoning"):
            for form, dose in CELLS:
                for number in range(2 * N_ITEMS):
                    half = "AB"[number % 2]
                    flipped = generator.random() < 0.5
                    for twin in "AB":
                        seen = twin == half
                        identity = {"twin": twin, "id": f"{kind}-{form}-{dose}-{number}{half}"}
                        identity |= {"kind": kind, "form": form, "dose": dose}
                        rows.append(identity | {"seen": seen, "shuffled_seen": seen ^ flipped})
        table = pd.DataFrame(rows).assign(seed=seed)
        for name in [*OUTPUT, *(f"{FEATURE}{name}" for name in FEATURES)]:
            table[name] = generator.normal(size=len(table))
        noise = table[f"{FEATURE}{SURFACE[0]}"]
        table["log_prob"] = table["seen"] + 2 * noise + generator.normal(size=len(table)) / 2
        table["loss"] *= 10.0**seed
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


@cache
def compared(*seeds: int) -> pd.DataFrame:
    """The comparison of these seeds' items, by `KEYS`."""
    return inside_table(items(*seeds), confidence_level=CONFIDENCE_LEVEL, seed=1).set_index(KEYS)
