"""The scores of a suspected benchmark by every detector, from its evidence.

Nothing here loads torch or a model.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.instruments.radar.benchmark import SEEN, Benchmark, BenchmarkItem
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS, score_items
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.verdicts.control import CONTROL


def score_benchmark(
    evidence: Evidence,
    benchmark: Benchmark,
    detectors: tuple[Detector, ...] = DETECTORS,
    *,
    control: Benchmark | None = None,
    corpus: Sequence[str] | None = None,
    token_counts: Int[np.ndarray, " vocabulary"] | None = None,
    seed: int,
) -> pd.DataFrame:
    """One row per measured item: id, seen if the truth is known, and a column per detector whose evidence was measured.

    With a control there is a column `control`, true for the control's rows; they come last, and
    their `seen` is false. `corpus` are texts that the model was trained on, and `token_counts`
    counts each token of its vocabulary in them. Higher scores mean more likely seen. Detectors that
    are fitted on the truth are cross-fitted: no item scores itself.
    """
    measured = set(evidence.groups)
    items = [item for item in all_items(benchmark, control) if item.id in measured]
    rows = pd.DataFrame({"id": [item.id for item in items]})
    if control is not None:
        rows[CONTROL] = [item.id.startswith(f"{CONTROL}/") for item in items]
    seen = None
    if benchmark.has_truth:
        seen = np.array([bool(item.seen) for item in items])
        rows[SEEN] = seen
    known = evidence._replace(
        corpus=None if corpus is None else [corpus] * len(rows),
        token_counts=token_counts,
        seen=seen,
    )
    return pd.concat([rows, score_items(known, detectors, seed=seed)], axis=1)


def all_items(benchmark: Benchmark, control: Benchmark | None = None) -> list[BenchmarkItem]:
    """The items of a benchmark, then the items of its control with `control/` before their ids."""
    items = list(benchmark.items)
    if control is not None:
        for item in control.items:
            items.append(item._replace(id=f"{CONTROL}/{item.id}"))
    return items
