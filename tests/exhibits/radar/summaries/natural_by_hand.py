"""Planted docstrings with scores of detectors whose rightly ordered pairs are counted by hand."""

import pandas as pd

# Of two items that A saw and two that B saw, under A and then under B.
SEEN = [True, True, False, False, False, False, True, True]


def docstrings(*, seeds: int) -> pd.DataFrame:
    """Four items of each dose in each seed, under both twins.

    Min-K%++ finds most in the last seed, the sum of ranks of likelihoods least in the first.
    """
    tables = []
    for seed in range(seeds):
        for dose in (1, 4, 16, 64):
            rows = pd.DataFrame({"seed": seed, "dose": dose, "seen": SEEN})
            # The seen 4s beat the unseen 1s and 3s in 8 pairs, the seen 2s the 1s in 4: 12 of 16.
            low = [4.0, 4.0, 1.0, 1.0, 3.0, 3.0, 2.0, 2.0]
            # The seen 4s and 5s beat the unseen 1s and 3s in all 16.
            high = [4.0, 4.0, 1.0, 1.0, 3.0, 3.0, 5.0, 5.0]
            rows["min_k_plus_plus"] = high if seed == seeds - 1 else low
            rows["loss"] = [4.0, 4.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]  # 8 pairs won, 8 tied: 12 of 16
            # Where an unseen 2 takes the place of a 1, the seen 2s tie with it: 8 + 3 of 16.
            tied = [4.0, 4.0, 1.0, 2.0, 3.0, 3.0, 2.0, 2.0]
            rows["likelihood_ranks"] = tied if seed == 0 else low
            for name in ("min_k_plus_plus", "loss"):
                rows[f"shuffled_{name}"] = rows[name]
            rows["shuffled_seen"] = [not seen for seen in SEEN]
            tables.append(rows)
    return pd.concat(tables, ignore_index=True)
