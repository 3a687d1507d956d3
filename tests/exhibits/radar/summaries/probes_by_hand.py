"""Probes with what they measure."""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.probes import ProbeEvidence

PER_DOSE = 6  # items of each dose and half


def measured(*, seeds: int, sign: float = 1.0) -> tuple[pd.DataFrame, ProbeEvidence]:
    """Items under two twins: the gradient of a seen text is smaller in one of three projections.

    With the `sign` -1 it is larger in the last seed alone, to which the classifiers of the others do not transfer.
    """
    generator = np.random.default_rng(8)
    tables, norms = [], []
    for seed in range(seeds):
        for twin in ("A", "B"):
            for half in ("A", "B"):
                for dose in (1, 4, 16, 64):
                    ids = [f"{dose}-{number}{half}" for number in range(PER_DOSE)]
                    seen = half == twin
                    truth = pd.DataFrame({"seed": seed, "twin": twin, "id": ids, "dose": dose})
                    tables.append(truth.assign(seen=seen))
                    logarithms = generator.normal(size=(PER_DOSE, 3))
                    logarithms[:, 1] -= 1.2 * seen * (sign if seed == seeds - 1 else 1)
                    norms.append(np.exp(logarithms))
    scores = pd.concat(tables, ignore_index=True)
    scores["shuffled_seen"] = scores["id"].str[-2].isin(list("024")) ^ scores["seen"]
    scores["min_k_plus_plus"] = generator.normal(size=len(scores)) + 0.8 * scores["seen"]
    scores["shuffled_min_k_plus_plus"] = scores["min_k_plus_plus"]
    alone, others, ascent, tuned = generator.normal(size=(4, len(scores)))
    return scores, ProbeEvidence(alone, others, ascent, tuned, np.concatenate(norms))
