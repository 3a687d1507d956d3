"""Scores of planted items written by hand, for tests of what is made of them."""

import numpy as np
import pandas as pd

from mechaware.radar.study.memorisation import BootstrapSettings

DRAWS = BootstrapSettings(resamples=400, seed=7, level=0.95)


def scored(items: int = 6, seeds: int = 2, forms: tuple[tuple[str, int], ...] = (("verbatim", 64),)) -> pd.DataFrame:
    """Rows of both twins, each item seen under its own twin, with a score that is the dose when seen, else noise."""
    generator = np.random.default_rng(0)
    rows = []
    for seed in range(seeds):
        for kind in ("recall", "reasoning"):
            for form, dose in forms:
                for number in range(items):
                    half = "AB"[number % 2]
                    for twin in "AB":
                        seen = twin == half
                        rows.append(
                            {"seed": seed, "twin": twin, "id": f"{kind}-{form}-{dose}-{number}{half}", "kind": kind}
                            | {"form": form, "dose": dose, "seen": seen, "shuffled_seen": not seen}
                            | {"loss": float(seen) * np.log2(1 + dose) + generator.normal(), "length": 30.0}
                            | {"radar": 0.9 if kind == "recall" else 0.1}
                        )
    table = pd.DataFrame(rows)
    for name in ("loss", "length", "radar"):
        table[f"shuffled_{name}"] = table[name]
    return table
