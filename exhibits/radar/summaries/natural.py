"""How well detectors find the planted docstrings that a model has seen, beside Min-K%++.

As with the planted names, every item is a row under each twin, and the unit is the seed. Docstrings
are of one kind.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.radar.summaries.over_seeds import ALL_DOSES, areas_by_seed, mean_over_seeds
from mechaware.core.stats import Estimate
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.likelihood import MIN_K_PLUS_PLUS
from mechaware.instruments.radar.detectors.ranks import LIKELIHOOD_RANKS

RIVAL = MIN_K_PLUS_PLUS.name
# A sum of ranks may lead Min-K%++ merely because it is a sum of ranks. This rival is one as well.
RIVAL_BY_RANKS = LIKELIHOOD_RANKS.name


def natural_table(
    scores: pd.DataFrame, detectors: Sequence[str], confidence_level: float
) -> pd.DataFrame:
    """One row per detector and dose; the row of dose 0 is of all doses together.

    `scores` has the columns seed, dose, seen and shuffled_seen, a column for each of `detectors`
    and each rival, and for each of `detectors` a column with the prefix `shuffled_`. One seed has
    no intervals. Columns:

    - detector, dose; n, the items of all seeds.
    - auroc, with its t interval over seeds (low, high).
    - lead: the AUROC minus the AUROC of Min-K%++ in the same seed, with its interval (lead_low,
      lead_high).
    - ranks_lead: the AUROC minus the AUROC of the rank sum of loss, zlib and Min-K%++ in the same
      seed, with its interval (ranks_lead_low, ranks_lead_high).
    - shuffled: the AUROC with the truths shuffled.
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
    areas: Float[np.ndarray, " seed"], rows: pd.DataFrame, rival: str, confidence_level: float
) -> Estimate:
    """The mean over seeds of `areas` minus the rival's AUROC on the `rows` of the same seed."""
    return mean_over_seeds(areas - areas_by_seed(rows, rival, "seen"), confidence_level)


def slices_by_dose(scores: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """All rows, as the dose 0, and the rows of each dose."""
    slices = [(ALL_DOSES, scores)]
    slices += [(int(str(dose)), part) for dose, part in scores.groupby("dose")]
    return slices
