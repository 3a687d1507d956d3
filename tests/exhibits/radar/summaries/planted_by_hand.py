"""Planted items with the scores of detectors."""

import numpy as np
import pandas as pd

from exhibits.radar.summaries.memorisation import (
    item_rows,
)
from mechaware.planted.twins.items import Item

CONFIDENCE_LEVEL = 0.95


def scored(
    items: int = 6, seeds: int = 3, forms: tuple[tuple[str, int], ...] = (("verbatim", 64),)
) -> pd.DataFrame:
    """Rows of both twins, each item seen under its own twin, with a loss that is the dose when seen, and noise."""
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
                            {
                                "seed": seed,
                                "twin": twin,
                                "id": f"{kind}-{form}-{dose}-{number}{half}",
                                "kind": kind,
                            }
                            | {"form": form, "dose": dose, "seen": seen, "shuffled_seen": not seen}
                            | {
                                "loss": float(seen) * np.log2(1 + dose) + generator.normal(),
                                "length": 30.0,
                            }
                            | {"radar": 0.9 if kind == "recall" else 0.1}
                        )
    table = pd.DataFrame(rows)
    for name in ("loss", "length", "radar"):
        table[f"shuffled_{name}"] = table[name]
    return table


# P(recall) of two items of twin A by seed, as (under A, under B); the other columns are one number a twin.
P_RECALL = [((0.6, 0.2), (0.3, 0.1)), ((0.5, 0.5), (0.8, 0.7)), ((0.7, 0.3), (0.2, 0.2))]
CANARIES = pd.DataFrame(
    {"half": ["A", "A", "B"], "twin": ["A", "B", "B"], "dose": 256, "recited": [True, False, False]}
)


def planted_rows() -> pd.DataFrame:
    parts = []
    for seed, items in enumerate(P_RECALL):
        plan = [
            Item(name, "reasoning", "A", "contradicted", 64, "", (), "", "", ())
            for name in ("a", "b")
        ]
        answers, scores = {}, []
        for place, twin in enumerate("AB"):
            # Twin A has 1, 2 and 3 nats more under the three seeds.
            likelihood = -1.0 + (seed + 1) * (twin == "A")
            answers[twin] = pd.DataFrame({"id": ["a", "b"], "kind": "reasoning"}).assign(
                log_likelihood=likelihood, answer_log_likelihood=2 * likelihood, base_log_likelihood=-1.5,
                exposure=float(place), answered=twin == "A", base_answered=False,
            )  # fmt: skip
            scores += [
                {"twin": twin, "id": name, "radar": p[place]}
                for name, p in zip("ab", items, strict=True)
            ]
        parts.append(item_rows(answers, pd.DataFrame(scores), plan, seed))
    return pd.concat(parts, ignore_index=True)
