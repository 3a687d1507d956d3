"""Ranks detectors by how well they separate seen from unseen items, where the truth is known."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Bool

from mechaware.core.levels import significance_at
from mechaware.core.seeds import derive_seed
from mechaware.core.stats.p_values import largest_statistic_p
from mechaware.core.stats.roc import (
    area_under_roc,
    areas_under_roc,
    bootstrap_area_under_roc,
    true_positive_rate_at,
)
from mechaware.instruments.radar.detectors.detector import FALSE_POSITIVE_RATE, Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS

# Of the truth; with the observed truth these are 1,000 draws, so that p is at least 0.001.
_PERMUTATIONS = 999
RANKING_COLUMNS = (
    "detector",
    "label",
    "source",
    "auroc",
    "low",
    "high",
    "p_adjusted",
    "tpr_at_5_percent",
    "n_seen",
    "n_unseen",
)


def rank_detectors(
    scores: pd.DataFrame,
    detectors: tuple[Detector, ...] = DETECTORS,
    *,
    resamples: int,
    seed: int,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """One row per detector that has a column in `scores`, the largest AUROC first.

    Ties keep the order of `detectors`. `scores`: as `score_benchmark` makes them, with the truth.

    Columns (`RANKING_COLUMNS`):

    - detector, label, source: the detector's name in tables, its name in figures, and who proposed
      it.
    - auroc: the area under the ROC curve of seen against unseen items.
    - low, high: its percentile bootstrap interval over items, for the detectors as fitted. A reader
      takes the best of m rows, so the level is 1 - (1 - `confidence_level`) / m (Bonferroni).
    - p_adjusted: the p-value of the hypothesis that no score is related to the truth, adjusted for
      the choice of the best detector (`_adjusted_p_values`). Missing for detectors that are fitted
      on the truth: a user, who does not know the truth, could not choose them.
    - tpr_at_5_percent: the share of seen items above a threshold that at most 5% of the unseen
      items exceed. With fewer than 20 unseen items no unseen item may exceed the threshold.
    - n_seen, n_unseen: the numbers of items.
    """
    seen = scores["seen"].to_numpy(bool)
    scored = [detector for detector in detectors if detector.name in scores]
    level_of_interval = 1 - significance_at(confidence_level) / len(scored)
    unfitted = [detector.name for detector in scored if "seen" not in detector.needs]
    p_adjusted = _adjusted_p_values(scores, unfitted, seen, seed)

    rows = []
    for detector in scored:
        values = scores[detector.name].to_numpy(float)
        interval = bootstrap_area_under_roc(
            values,
            seen,
            scores["id"],
            resamples=resamples,
            seed=seed,
            confidence_level=level_of_interval,
        )
        rows.append(
            {
                "detector": detector.name,
                "label": detector.label,
                "source": detector.source,
                "auroc": area_under_roc(values[seen], values[~seen]),
                "low": interval.low,
                "high": interval.high,
                "p_adjusted": p_adjusted.get(detector.name, np.nan),
                "tpr_at_5_percent": true_positive_rate_at(
                    values[seen], values[~seen], FALSE_POSITIVE_RATE
                ),
                "n_seen": int(seen.sum()),
                "n_unseen": int((~seen).sum()),
            }
        )
    return pd.DataFrame(rows).sort_values(
        "auroc", ascending=False, kind="stable", ignore_index=True
    )


def _adjusted_p_values(
    scores: pd.DataFrame, names: Sequence[str], seen: Bool[np.ndarray, " item"], seed: int
) -> dict[str, float]:
    """The p-value of each detector in `names`, by permutation of the truth.

    Its AUROC is compared with the largest AUROC of all detectors in `names` in each draw
    (`stats.largest_statistic_p`).
    """
    # The first draw is the observed truth, and each of the others permutes it.
    generator = np.random.default_rng(derive_seed(seed, "permuted"))
    draws = [seen]
    for _ in range(_PERMUTATIONS):
        draws.append(generator.permutation(seen))
    truths = np.stack(draws, axis=1).astype(float)  # item x draw, 1 where the item was seen

    areas = [areas_under_roc(scores[[name]].to_numpy(float), truths) for name in names]
    # The statistic has mean 0 if scores and truth are unrelated.
    p_values = largest_statistic_p(np.stack(areas) - 0.5)
    return dict(zip(names, p_values.tolist(), strict=True))
