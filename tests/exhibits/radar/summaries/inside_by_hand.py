"""Planted items with generated scores, and the table that `inside_table` makes of them."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from exhibits.radar.summaries.inside import CELLS, OUTPUT, inside_table
from mechaware.instruments.radar.detectors.columns import FEATURE
from mechaware.instruments.radar.feature_extraction.features import FEATURES, SURFACE

CONFIDENCE_LEVEL = 0.95
N_ITEMS = 8  # that each twin sees, of each kind and cell
KEYS = ["reader", "kind", "form", "dose", "seeds"]


@cache
def items(*seeds: int) -> pd.DataFrame:
    """Planted items with their scores, which are noise except for two related columns.

    With `seen` 0 or 1, and independent standard normal x and e in each row,

        log_prob of the answer    = seen + 2 x + e / 2
        the first surface feature = x

    so that a classifier of both can subtract the noise 2 x.

    The unit of `loss` differs between seeds: it is multiplied by 10^seed.
    """
    tables = []
    for seed in seeds:
        generator = np.random.default_rng(seed)
        table = planted_items(generator).assign(seed=seed)
        features = [f"{FEATURE}{name}" for name in FEATURES]
        for column in (*OUTPUT, *features):
            table[column] = generator.normal(size=len(table))
        x = table[f"{FEATURE}{SURFACE[0]}"]
        table["log_prob"] = table["seen"] + 2 * x + generator.normal(size=len(table)) / 2
        table["loss"] *= 10.0**seed
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def planted_items(generator: np.random.Generator) -> pd.DataFrame:
    """The items of one seed, with a row under each twin; one of the two twins sees an item.

    The shuffled truth of an item differs from its truth with probability 1/2, under both twins
    alike.
    """
    rows = []
    for kind, (form, dose), number in product(("recall", "reasoning"), CELLS, range(2 * N_ITEMS)):
        seen_by = "AB"[number % 2]
        name = f"{kind}-{form}-{dose}-{number}{seen_by}"
        is_flipped = generator.random() < 0.5
        for twin in "AB":
            seen = twin == seen_by
            rows.append(
                {
                    "twin": twin,
                    "id": name,
                    "kind": kind,
                    "form": form,
                    "dose": dose,
                    "seen": seen,
                    "shuffled_seen": seen ^ is_flipped,
                }
            )
    return pd.DataFrame(rows)


@cache
def compared(*seeds: int) -> pd.DataFrame:
    """`inside_table` of the items of these seeds, with the columns `KEYS` as its index."""
    return inside_table(items(*seeds), confidence_level=CONFIDENCE_LEVEL, seed=1).set_index(KEYS)
