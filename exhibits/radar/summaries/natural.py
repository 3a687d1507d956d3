"""How well detectors find the planted docstrings that a model has seen, compared with Min-K%++.

As with the planted names, an item has a row under each of a seed's two twins: one twin has seen it,
the other has not. The unit is the seed. Unlike names, docstrings have no kinds (recall, reasoning).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.radar.summaries.over_seeds import ALL_DOSES, areas_by_seed, mean_over_seeds
from mechaware.core.stats.intervals import Estimate
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.likelihood import MIN_K_PLUS_PLUS
from mechaware.instruments.radar.detectors.ranks import LIKELIHOOD_RANKS

RIVAL = MIN_K_PLUS_PLUS.name
# A detector that sums ranks may lead Min-K%++ merely because it sums ranks. Its fair rival is
# another sum of ranks: by loss, zlib and Min-K%++.
RIVAL_BY_RANKS = LIKELIHOOD_RANKS.name


def natural_table(
    scores: pd.DataFrame, detectors: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per detector and dose, the number of times that a twin reads an item; dose 0 is all
    doses together.

    `scores` has a row per seed, twin and item. Its columns are seed, dose, seen, shuffled_seen, the
    scores of each of `detectors` and of each rival, and, with the prefix `shuffled_`, the scores of
    each of `detectors` where all that is fitted on the truth (`seen`) is fitted on the shuffled one
    (`shuffled_seen`). In a run of one seed the intervals are missing.

    The table has the columns

    - detector, dose.
    - n: the number of items over all seeds; each is seen by one twin.
    - auroc, with its t interval over seeds (low, high).
    - lead: the AUROC minus the AUROC of Min-K%++ in the same seed, with its interval (lead_low,
      lead_high).
    - ranks_lead: the AUROC minus the AUROC of the rank sum of loss, zlib and Min-K%++ in the same
      seed, with its interval (ranks_lead_low, ranks_lead_high).
    - shuffled: the mean AUROC over seeds with the truths shuffled.
    """
    rows = []
    for name in detectors:
        for dose, part in slices_by_dose(scores):
            areas = areas_by_seed(part, name, "seen")
            auroc = mean_over_seeds(areas, confidence_level, least=0)
            lead = _lead(areas, part, RIVAL, confidence_level)
            ranks_lead = _lead(areas, part, RIVAL_BY_RANKS, confidence_level)
            shuffled = areas_by_seed(part, f"{SHUFFLED}_{name}", f"{SHUFFLED}_seen")
            rows.append(
                {
                    "detector": name,
                    "dose": dose,
                    "n": int(part["seen"].sum()),
                    "auroc": auroc.value,
                    "low": auroc.low,
                    "high": auroc.high,
                    "lead": lead.value,
                    "lead_low": lead.low,
                    "lead_high": lead.high,
                    "ranks_lead": ranks_lead.value,
                    "ranks_lead_low": ranks_lead.low,
                    "ranks_lead_high": ranks_lead.high,
                    "shuffled": float(shuffled.mean()),
                }
            )
    return pd.DataFrame(rows)


def _lead(
    areas: Float[np.ndarray, " seed"], scores: pd.DataFrame, rival: str, confidence_level: float
) -> Estimate:
    """The mean over seeds of a detector's AUROC (`areas`) minus the rival's, with its t interval.

    The rival's AUROC in a seed is computed on that seed's rows of `scores`.
    """
    leads = areas - areas_by_seed(scores, rival, "seen")
    return mean_over_seeds(leads, confidence_level)


def slices_by_dose(scores: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Pairs of a dose and its rows: all rows under dose 0, then each dose in rising order."""
    slices = [(ALL_DOSES, scores)]
    slices += [(int(str(dose)), part) for dose, part in scores.groupby("dose")]
    return slices
