"""Synthetic probe evidence with a known effect of having been seen."""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.probes import ProbeEvidence

PER_DOSE = 6  # items of each dose and half


def synthetic_probes(*, seeds: int, sign: float = 1.0) -> tuple[pd.DataFrame, ProbeEvidence]:
    """Item scores and probe evidence of two twins, in one order of rows.

    - `projection_norms` (row, 3) are log-normal. For a seen text the logarithm of the second is lower by 1.2. In the
      last seed it is lower by `sign` * 1.2, so that with -1 the classifiers of the other seeds fail.
    - `min_k_plus_plus` is normal, and higher by 0.8 for a seen text; `likelihood_ranks` are its ranks in reverse.
    - The other fields of the evidence are noise.
    - `shuffled_seen` is `seen`, and its opposite for items of an even number.
    """
    generator = np.random.default_rng(8)
    tables = []
    norms = []
    for seed in range(seeds):
        shift = 1.2 * (sign if seed == seeds - 1 else 1)
        for twin in ("A", "B"):
            for half in ("A", "B"):
                seen = half == twin
                for dose in (1, 4, 16, 64):
                    ids = [f"{dose}-{number}{half}" for number in range(PER_DOSE)]
                    is_exchanged = np.arange(PER_DOSE) % 2 == 0
                    rows = {"seed": seed, "twin": twin, "id": ids, "dose": dose, "seen": seen}
                    tables.append(pd.DataFrame(rows).assign(shuffled_seen=is_exchanged ^ seen))

                    logarithms = generator.normal(size=(PER_DOSE, 3))
                    if seen:
                        logarithms[:, 1] -= shift
                    norms.append(np.exp(logarithms))
    scores = pd.concat(tables, ignore_index=True)
    scores["min_k_plus_plus"] = generator.normal(size=len(scores)) + 0.8 * scores["seen"]
    scores["shuffled_min_k_plus_plus"] = scores["min_k_plus_plus"]
    scores["likelihood_ranks"] = scores["min_k_plus_plus"].rank(ascending=False)
    alone, others, ascent, tuned = generator.normal(size=(4, len(scores)))
    return scores, ProbeEvidence(alone, others, ascent, tuned, np.concatenate(norms))
