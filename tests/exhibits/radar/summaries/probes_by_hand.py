"""Synthetic probe evidence with a known effect of having been seen."""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.probes import ProbeEvidence

PER_DOSE = 6  # items of each dose and half


def synthetic_probes(*, seeds: int, sign: float = 1.0) -> tuple[pd.DataFrame, ProbeEvidence]:
    """Item scores and probe evidence, in the same order of rows: one per seed, twin and item.

    Each seed has two twins, A and B. Half of the items are A's, and twin A has seen them; twin B
    has seen the others.

    - `projection_norms` (row x 3) are log-normal. The logarithm of the second is lower by 1.2 for a
      seen text, in the last seed by `sign` * 1.2. With `sign` -1 it is higher there, so that a
      classifier that is fitted on the other seeds fails.
    - `min_k_plus_plus` is normal, and higher by 0.8 for a seen text. `likelihood_ranks` are its
      ranks, in reverse.
    - The other fields of the evidence are standard normal noise.
    - `shuffled_seen` is `seen` for items of odd number, and its opposite for items of even number.
    """
    generator = np.random.default_rng(8)
    tables = []
    norms = []
    for seed in range(seeds):
        is_last = seed == seeds - 1
        shift = sign * 1.2 if is_last else 1.2
        for twin in ("A", "B"):
            for half in ("A", "B"):
                seen = half == twin
                for dose in (1, 4, 16, 64):
                    ids = [f"{dose}-{number}{half}" for number in range(PER_DOSE)]
                    is_even = np.arange(PER_DOSE) % 2 == 0
                    rows = {"seed": seed, "twin": twin, "id": ids, "dose": dose, "seen": seen}
                    tables.append(pd.DataFrame(rows).assign(shuffled_seen=seen != is_even))

                    logarithms = generator.normal(size=(PER_DOSE, 3))
                    if seen:
                        logarithms[:, 1] -= shift
                    norms.append(np.exp(logarithms))
    scores = pd.concat(tables, ignore_index=True)
    scores["min_k_plus_plus"] = generator.normal(size=len(scores)) + 0.8 * scores["seen"]
    scores["shuffled_min_k_plus_plus"] = scores["min_k_plus_plus"]
    scores["likelihood_ranks"] = scores["min_k_plus_plus"].rank(ascending=False)

    noise = generator.normal(size=(4, len(scores)))
    evidence = ProbeEvidence(
        log_probs=noise[0],
        behind_others=noise[1],
        after_ascent=noise[2],
        after_fine_tuning=noise[3],
        projection_norms=np.concatenate(norms),
    )
    return scores, evidence
