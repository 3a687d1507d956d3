"""Scores the items of a suspected benchmark by every detector, from their evidence.

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
    """One row per measured item, with a column per detector whose evidence was measured.

    The columns are id; `control`, if there is a control; `seen`, if the truth is known; and the
    detectors. Higher scores mean more likely seen. Detectors that are fitted on the truth are
    cross-fitted: no item is scored by a fit that includes it. The control's rows come last; their
    `control` is true and their `seen` is false.

    `evidence` is what `measure_benchmark` returns: a row per measured item, in the order of
    `all_items`. `corpus` is the texts that the model was trained on, and `token_counts` is how
    often each token of the model's vocabulary occurs in these texts.
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
    complete_evidence = evidence._replace(
        # `Evidence` has a corpus per row; here one model was measured on all rows.
        corpus=None if corpus is None else [corpus] * len(rows),
        token_counts=token_counts,
        seen=seen,
    )
    return pd.concat([rows, score_items(complete_evidence, detectors, seed=seed)], axis=1)


def all_items(benchmark: Benchmark, control: Benchmark | None = None) -> list[BenchmarkItem]:
    """The items of a benchmark, then the items of its control with `control/` before their ids."""
    items = list(benchmark.items)
    if control is not None:
        for item in control.items:
            items.append(item._replace(id=f"{CONTROL}/{item.id}"))
    return items
