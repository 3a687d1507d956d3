"""The logit lens over layers over planted seeds: what it adds to likelihoods, and what it loses in transfer."""

import numpy as np
import pandas as pd

from exhibits.radar.summaries.natural import areas_by_seed
from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.logit_lens import (
    FITS,
    FITTED_LIKELIHOODS,
    READS,
    WITHIN,
)


def lens_table(scores: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """One row per kind, form and dose of the planted items, per fit and per classifier.

    `scores` has the rows of `score_logit_lens`. Columns: kind, form, dose, fit, reader; n, the seen items of all seeds;
    auroc with its t interval over seeds (low, high); lead, the AUROC less that of the likelihoods, fitted alike, in the
    same seed, with its own (lead_low, lead_high), missing for the likelihoods themselves; transfer_loss, the AUROC of
    the classifier fitted within the seed less this one, with its own (transfer_loss_low, transfer_loss_high), missing
    for the fit within; shuffled, the AUROC where classifiers are fitted and tested with the truths shuffled.

    One seed has no intervals, and no numbers for a fit on other seeds.
    """
    rows = []
    for (kind, form, dose), cell in scores.groupby(["kind", "form", "dose"], sort=False):
        rows_by_fit = dict(list(cell.groupby("fit")))
        for fit in FITS:
            if fit not in rows_by_fit:
                continue
            for reader in READS:
                row = {"kind": kind, "form": form, "dose": dose, "fit": fit, "reader": reader}
                row |= _numbers(rows_by_fit[fit], rows_by_fit[WITHIN], reader, confidence_level)
                rows.append(row)
    return pd.DataFrame(rows)


def _numbers(
    rows: pd.DataFrame, within: pd.DataFrame, reader: str, confidence_level: float
) -> dict[str, float]:
    """The columns of a classifier's numbers in one cell, from its rows in one fit and in the fit within the seed."""
    areas = areas_by_seed(rows, reader, "seen")
    auroc = mean_over_seeds(areas, confidence_level, least=0)

    leads = np.array([])
    if reader != FITTED_LIKELIHOODS:
        leads = areas - areas_by_seed(rows, FITTED_LIKELIHOODS, "seen")
    lead = mean_over_seeds(leads, confidence_level)

    losses = np.array([])
    if rows is not within:
        losses = areas_by_seed(within, reader, "seen") - areas
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
