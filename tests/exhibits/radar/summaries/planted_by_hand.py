"""Planted items for the tests of summaries over seeds.

`scored` has random scores of detectors. `planted_rows` and `CANARIES` have chosen answers, so that
`items_table` of them can be computed by hand.
"""

import numpy as np
import pandas as pd

from exhibits.radar.summaries.planted_items import item_rows
from mechaware.planted.twins.items import Item

CONFIDENCE_LEVEL = 0.95


def scored(
    items: int = 6, seeds: int = 3, forms: tuple[tuple[str, int], ...] = (("verbatim", 64),)
) -> pd.DataFrame:
    """Detector scores by seed, twin and item; an item is seen under the twin of its half.

    There are `items` items of each kind, form and dose, by turns of half A and of half B.

    - `loss`: standard normal noise, plus log2(1 + dose) for a seen item.
    - `length`: constant.
    - `radar`: 0.9 for recall and 0.1 for reasoning.
    - `shuffled_loss`, `shuffled_length`, `shuffled_radar`: copies of these three.
    - `shuffled_seen`: the opposite of `seen`.
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


# A row per seed: P(recall) of item a under twins A and B, then of item b.
P_RECALL = [
    ((0.6, 0.2), (0.3, 0.1)),
    ((0.5, 0.5), (0.8, 0.7)),
    ((0.7, 0.3), (0.2, 0.2)),
]
# Twin A recites the canary that it read, and twin B neither that canary nor its own.
CANARIES = pd.DataFrame(
    {"half": ["A", "A", "B"], "twin": ["A", "B", "B"], "dose": 256, "recited": [True, False, False]}
)


def planted_rows() -> pd.DataFrame:
    """The rows of `item_rows` for items a and b in three seeds; twin A read both, twin B neither.

                              under A            under B  under the base
    log-likelihood            0, 1, 2 by seed    -1       -1.5
    the same of the answer    0, 2, 4 by seed    -2
    exposure                  0                  1
    answered                  yes                no       no
    P(recall)                 `P_RECALL`
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
    for seed, p_of_items in enumerate(P_RECALL):
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
            for name, p_by_twin in zip("ab", p_of_items, strict=True):
                scores.append({"twin": twin, "id": name, "radar": p_by_twin[twin_index]})
        parts.append(item_rows(answers, pd.DataFrame(scores), plan, seed))
    return pd.concat(parts, ignore_index=True)
