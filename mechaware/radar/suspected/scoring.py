"""Scores a measured benchmark by every detector whose needs are there."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.radar.detectors.detector import Detector
from mechaware.radar.detectors.listed import DETECTORS, score_items
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.suspected.benchmark import SEEN, Benchmark


def score_benchmark(
    evidence: Evidence,
    benchmark: Benchmark,
    detectors: tuple[Detector, ...] = DETECTORS,
    *,
    corpus: Sequence[str] | None = None,
    token_counts: Int[np.ndarray, " vocabulary"] | None = None,
    seed: int,
) -> pd.DataFrame:
    """One row per item: id, seen where the truth is known, and a column per detector whose needs are there.

    `corpus` are texts that the model was trained on, `token_counts` the counts of its vocabulary in them. Higher scores
    mean more likely seen. Detectors that learn from the truth score an item by what was fitted on other items.
    """
    rows = pd.DataFrame({"id": [item.id for item in benchmark.items]})
    seen = None
    if benchmark.has_truth:
        seen = np.array([item.seen for item in benchmark.items], dtype=bool)
        rows[SEEN] = seen
    known = evidence._replace(
        corpus=None if corpus is None else [corpus] * len(rows), token_counts=token_counts, seen=seen
    )
    return pd.concat([rows, score_items(known, detectors, seed=seed)], axis=1)
