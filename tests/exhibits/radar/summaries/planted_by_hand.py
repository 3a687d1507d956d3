"""Planted items with random scores of detectors, and with answers whose table is computed by hand."""

import numpy as np
import pandas as pd

from exhibits.radar.summaries.planted_items import item_rows
from mechaware.planted.twins.items import Item

CONFIDENCE_LEVEL = 0.95


def scored(
    items: int = 6, seeds: int = 3, forms: tuple[tuple[str, int], ...] = (("verbatim", 64),)
) -> pd.DataFrame:
    """Detector scores by seed, twin and item; an item is seen under the twin of its half.

    `loss` is standard normal noise, plus log2(1 + dose) for a seen item. `length` is constant, and `radar` depends on
    the kind alone. The `shuffled_` scores are copies of these three, and `shuffled_seen` is the opposite of `seen`.
    """
    generator = np.random.default_rng(0)
    rows = []
    for seed in range(seeds):
        for kind in ("recall", "reasoning"):
            for form, dose in forms:
                for number in range(items):
                    half = "AB"[number % 2]
                    for twin in "AB":
                        seen = twin == half
                        score = float(seen) * np.log2(1 + dose) + generator.normal()
                        rows.append(
                            {
                                "seed": seed,
                                "twin": twin,
                                "id": f"{kind}-{form}-{dose}-{number}{half}",
                                "kind": kind,
                                "form": form,
                                "dose": dose,
                                "seen": seen,
                                "shuffled_seen": not seen,
                                "loss": score,
                                "length": 30.0,
                                "radar": 0.9 if kind == "recall" else 0.1,
                            }
                        )
    table = pd.DataFrame(rows)
    for name in ("loss", "length", "radar"):
        table[f"shuffled_{name}"] = table[name]
    return table


# By seed and item (a, b, both read by twin A): P(recall) under A and under B.
P_RECALL = [((0.6, 0.2), (0.3, 0.1)), ((0.5, 0.5), (0.8, 0.7)), ((0.7, 0.3), (0.2, 0.2))]
CANARIES = pd.DataFrame(
    {"half": ["A", "A", "B"], "twin": ["A", "B", "B"], "dose": 256, "recited": [True, False, False]}
)


def planted_rows() -> pd.DataFrame:
    """The rows of three seeds: what twin A reads is more likely under A than under B, by 1, 2 and 3 nats.

    Under B the log-likelihood is -1, under the base -1.5. The exposure is 0 under A and 1 under B, and only A answers.
    """
    plan = []
    for name in ("a", "b"):
        item = Item(
            id=name,
            kind="reasoning",
            half="A",
            form="contradicted",
            dose=64,
            operation="",
            slots=(),
            answer="",
            foil="",
            counterfactual=(),
        )
        plan.append(item)

    parts = []
    for seed, items in enumerate(P_RECALL):
        answers = {}
        scores = []
        for twin_index, twin in enumerate("AB"):
            likelihood = -1.0 + (seed + 1) * (twin == "A")
            answers[twin] = pd.DataFrame({"id": ["a", "b"], "kind": "reasoning"}).assign(
                log_likelihood=likelihood,
                answer_log_likelihood=2 * likelihood,
                base_log_likelihood=-1.5,
                exposure=float(twin_index),
                answered=twin == "A",
                base_answered=False,
            )
            for name, p_recall in zip("ab", items, strict=True):
                scores.append({"twin": twin, "id": name, "radar": p_recall[twin_index]})
        parts.append(item_rows(answers, pd.DataFrame(scores), plan, seed))
    return pd.concat(parts, ignore_index=True)
