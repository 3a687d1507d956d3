"""The detector that reads the logit lens, over seeds: its AUROC, its lead and its transfer loss.

The lead is its AUROC minus the AUROC of a classifier that reads likelihoods alone. The transfer
loss is the AUROC that it loses when it is fitted on other models than the ones it scores: on the
twins of other seeds, or on twins that were planted with names.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from exhibits.radar.summaries.over_seeds import areas_by_seed, mean_over_seeds
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.logit_lens import (
    FITS,
    FITTED_LIKELIHOODS,
    READS,
    WITHIN,
)


def lens_table(scores: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """One row per kind, form and dose of the planted items, per fit and per classifier.

    `scores` has the rows of `score_logit_lens`. Differences are taken within a seed. All numbers
    but n are means over seeds, and intervals are t intervals over seeds. Columns:

    - kind, form, dose; fit (`FITS`); reader, the classifier (`READS`)
    - n: the number of seen items of all seeds
    - auroc, with low and high
    - lead, with lead_low and lead_high: `auroc` minus the AUROC of the classifier of likelihoods
      alone in the same fit; missing for that classifier itself
    - transfer_loss, with transfer_loss_low and transfer_loss_high: the AUROC of the same classifier
      fitted within the seed, minus `auroc`; missing for the fit within the seed
    - shuffled: the AUROC if classifiers are fitted and tested on shuffled truths

    With one seed all intervals are missing, and for the fit on other seeds all numbers but n.
    """
    rows = []
    for (kind, form, dose), cell in scores.groupby(["kind", "form", "dose"], sort=False):
        rows_by_fit = {str(fit): rows_of_fit for fit, rows_of_fit in cell.groupby("fit")}
        for fit in FITS:
            if fit not in rows_by_fit:
                continue
            for reader in READS:
                row = {"kind": kind, "form": form, "dose": dose, "fit": fit, "reader": reader}
                row |= _score_columns(rows_by_fit, fit, reader, confidence_level)
                rows.append(row)
    return pd.DataFrame(rows)


def _score_columns(
    rows_by_fit: Mapping[str, pd.DataFrame], fit: str, reader: str, confidence_level: float
) -> dict[str, float]:
    """The columns from n on of `lens_table`, for one fit of one classifier.

    `rows_by_fit` has the rows of `scores` of one kind, form and dose, by fit.
    """
    rows = rows_by_fit[fit]
    areas = areas_by_seed(rows, reader, "seen")
    auroc = mean_over_seeds(areas, confidence_level, least=0)

    leads = np.array([])
    if reader != FITTED_LIKELIHOODS:
        leads = areas - areas_by_seed(rows, FITTED_LIKELIHOODS, "seen")
    lead = mean_over_seeds(leads, confidence_level)

    losses = np.array([])
    if fit != WITHIN:
        losses = areas_by_seed(rows_by_fit[WITHIN], reader, "seen") - areas
    loss = mean_over_seeds(losses, confidence_level)

    shuffled = areas_by_seed(rows, f"{SHUFFLED}_{reader}", f"{SHUFFLED}_seen")
    return {
        "n": int(rows["seen"].sum()),
        "auroc": auroc.value,
        "low": auroc.low,
        "high": auroc.high,
        "lead": lead.value,
        "lead_low": lead.low,
        "lead_high": lead.high,
        "transfer_loss": loss.value,
        "transfer_loss_low": loss.low,
        "transfer_loss_high": loss.high,
        "shuffled": float(shuffled.mean()),
    }
