"""The probes of planted docstrings over the seeds, and how much a classifier of gradients loses between seeds."""

import pandas as pd

from exhibits.radar.summaries.natural import (
    RIVAL,
    RIVAL_BY_RANKS,
    areas_by_seed,
    natural_table,
    slices_by_dose,
)
from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.instruments.radar.detectors.columns import SHUFFLED
from mechaware.instruments.radar.detectors.detector import required
from mechaware.instruments.radar.detectors.gradient_deviation import (
    GDS_LABELS,
    GDS_TRANSFERRED,
    GDS_WITHIN,
    MIN_K_PLUS_PLUS_WITH_GDS,
    gradient_features,
)
from mechaware.instruments.radar.detectors.logistic import score_transferred, score_within
from mechaware.instruments.radar.detectors.probes import PROBE_LABELS, PROBES
from mechaware.instruments.radar.evidence.probes import ProbeEvidence

LABELS = PROBE_LABELS | GDS_LABELS


def probes_table(
    scores: pd.DataFrame, evidence: ProbeEvidence, *, confidence_level: float, seed: int
) -> pd.DataFrame:
    """The rows of `natural_table` for `PROBES` and for the forms of GDS, and what GDS loses in transfer.

    Args:
        scores: A row per seed, twin and item, with the columns seed, twin, id, dose, seen and shuffled_seen, and with
            the scores of both rivals of `natural_table`, Min-K%++ and the rank sum of loss, zlib and Min-K%++.
        evidence: The evidence of the same rows.
        confidence_level: The confidence level of intervals.
        seed: The seed of the folds in which GDS is fitted within a planted seed.

    Returns:
        The columns of `natural_table`, and transfer_loss with its t interval over seeds (transfer_loss_low,
        transfer_loss_high): in the rows of the transferred GDS, the AUROC of GDS fitted within the seed minus the AUROC
        of GDS fitted on other seeds. With one seed nothing is transferred, and these rows have no numbers.
    """
    rows = scores[["seed", "twin", "id", "dose", "seen", f"{SHUFFLED}_seen"]].copy()
    for rival in (RIVAL, RIVAL_BY_RANKS):
        rows[rival] = scores[rival]
    for probe in PROBES:
        rows[probe.name] = probe.score(evidence)
        # No probe is fitted on the truth, so that a shuffled truth leaves its scores as they are.
        rows[f"{SHUFFLED}_{probe.name}"] = rows[probe.name]
    for prefix in ("", f"{SHUFFLED}_"):
        _add_gds(rows, evidence, prefix, seed)

    table = natural_table(rows, list(LABELS), confidence_level)
    losses = _transfer_losses(rows, confidence_level)
    return table.merge(losses, how="left", on=["detector", "dose"])


def _add_gds(rows: pd.DataFrame, evidence: ProbeEvidence, prefix: str, seed: int) -> None:
    """Add the columns of GDS; with the `prefix` shuffled_ they are fitted on the shuffled truth."""
    models = (rows["seed"].astype(str) + rows["twin"]).tolist()
    features = gradient_features(required(evidence.projection_norms), models)
    seen = rows[f"{prefix}seen"].to_numpy(bool)

    planted_seeds = rows["seed"].to_numpy(int)
    items = rows["id"].tolist()
    rows[f"{prefix}{GDS_WITHIN}"] = score_within(features, seen, items, planted_seeds, seed=seed)
    rows[f"{prefix}{GDS_TRANSFERRED}"] = score_transferred(features, seen, planted_seeds)

    # As for Min-K%++ with the gradient norm: the sum of both ranks among the rows of a seed, over the number of rows.
    by_seed = rows.groupby("seed")
    ranks = by_seed[RIVAL].rank() + by_seed[f"{prefix}{GDS_TRANSFERRED}"].rank()
    rows[f"{prefix}{MIN_K_PLUS_PLUS_WITH_GDS}"] = ranks / by_seed[RIVAL].transform("size")


def _transfer_losses(rows: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """The loss of transfer by dose, in the rows of the transferred GDS."""
    losses = []
    for dose, part in slices_by_dose(rows):
        within = areas_by_seed(part, GDS_WITHIN, "seen")
        transferred = areas_by_seed(part, GDS_TRANSFERRED, "seen")
        loss = mean_over_seeds(within - transferred, confidence_level)
        losses.append(
            {
                "detector": GDS_TRANSFERRED,
                "dose": dose,
                "transfer_loss": loss.value,
                "transfer_loss_low": loss.low,
                "transfer_loss_high": loss.high,
            }
        )
    return pd.DataFrame(losses)
