"""Which detectors find the seen items of a benchmark, where the truth is known."""

import pandas as pd

from mechaware.radar.detectors.detector import FALSE_POSITIVE_RATE, Detector
from mechaware.radar.detectors.listed import DETECTORS
from mechaware.radar.suspected.benchmark import SEEN
from mechaware.stats import area_under_roc, bootstrap_area_under_roc, true_positive_rate_at


def rank_detectors(
    scores: pd.DataFrame,
    detectors: tuple[Detector, ...] = DETECTORS,
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """One row per detector that `scores` has a column of, the best first, detectors of equal area in the list's order.

    `scores`: as `score_benchmark` makes them, with the truth. Columns: detector, label, source; auroc, the area under
    the ROC curve of seen against unseen items, with its percentile bootstrap interval over items (low, high), which
    takes what a detector learned as given; tpr_at_5_percent, the share of seen items found where at most 5% of the
    unseen ones are; n_seen, n_unseen. With fewer than 20 unseen items no false positive is allowed.
    """
    seen = scores[SEEN].to_numpy(bool)
    rows = []
    for detector in detectors:
        if detector.name not in scores:
            continue
        values = scores[detector.name].to_numpy(float)
        interval = bootstrap_area_under_roc(
            values, seen, scores["id"], resamples=resamples, seed=seed, level=confidence_level
        )
        rows.append(
            {
                "detector": detector.name,
                "label": detector.label,
                "source": detector.source,
                "auroc": area_under_roc(values[seen], values[~seen]),
                "low": interval.low,
                "high": interval.high,
                "tpr_at_5_percent": true_positive_rate_at(values[seen], values[~seen], FALSE_POSITIVE_RATE),
                "n_seen": int(seen.sum()),
                "n_unseen": int((~seen).sum()),
            }
        )
    return pd.DataFrame(rows).sort_values("auroc", ascending=False, kind="stable", ignore_index=True)
