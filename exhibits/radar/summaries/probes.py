"""How well probes and gradients find the planted docstrings that a model has seen, over seeds.

A probe is a detector that changes what a model is asked or what it knows. GDS (Gradient Deviation
Scores) is a classifier of gradients that is fitted on known members: within a planted seed, or on
all other seeds and transferred.
"""

import pandas as pd

from exhibits.radar.summaries.natural import (
    RIVAL,
    RIVAL_BY_RANKS,
    natural_table,
    slices_by_dose,
)
from exhibits.radar.summaries.over_seeds import areas_by_seed, mean_over_seeds
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
    """The table of `natural_table` for `PROBES` and GDS, and how much AUROC GDS loses in transfer.

    Args:
        scores: A row per seed, twin and item, with the columns seed, twin, id, dose, seen and
            shuffled_seen, and with the scores of both rivals of `natural_table`: Min-K%++, and the
            rank sum of loss, zlib and Min-K%++.
        evidence: The evidence of the same rows.
        confidence_level: The confidence level of intervals.
        seed: The seed of the folds in which GDS is fitted within a planted seed.

    Returns:
        A row per detector and dose; dose 0 is all doses together. The detectors are each probe, GDS
        fitted within the seed, GDS fitted on other seeds, and the sum of the ranks by Min-K%++ and
        by GDS fitted on other seeds. The columns are those of `natural_table`, and transfer_loss
        with its t interval over seeds (transfer_loss_low, transfer_loss_high): the AUROC of GDS
        fitted within the seed minus the AUROC of GDS fitted on other seeds. Only the rows of GDS
        fitted on other seeds have a transfer_loss. With one seed nothing is transferred, and these
        rows have no numbers.
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
    """Add the columns of GDS to `rows`; with `prefix` shuffled_, fitted on the shuffled truth."""
    models = (rows["seed"].astype(str) + rows["twin"]).tolist()
    features = gradient_features(required(evidence.projection_norms), models)
    seen = rows[f"{prefix}seen"].to_numpy(bool)

    planted_seeds = rows["seed"].to_numpy(int)
    items = rows["id"].tolist()
    rows[f"{prefix}{GDS_WITHIN}"] = score_within(features, seen, items, planted_seeds, seed=seed)
    rows[f"{prefix}{GDS_TRANSFERRED}"] = score_transferred(features, seen, planted_seeds)

    # The sum of both scores' ranks among the rows of a seed, divided by the number of rows. The
    # detector of Min-K%++ with the gradient norm combines its scores in the same way.
    by_seed = rows.groupby("seed")
    rank_sums = by_seed[RIVAL].rank() + by_seed[f"{prefix}{GDS_TRANSFERRED}"].rank()
    rows[f"{prefix}{MIN_K_PLUS_PLUS_WITH_GDS}"] = rank_sums / by_seed[RIVAL].transform("size")


def _transfer_losses(rows: pd.DataFrame, confidence_level: float) -> pd.DataFrame:
    """A row per dose, with the columns transfer_loss, its interval, and detector (GDS_TRANSFERRED).

    The loss of a seed is the AUROC of GDS fitted within it minus the AUROC of GDS fitted on others.
    """
    losses = []
    for dose, rows_of_dose in slices_by_dose(rows):
        within = areas_by_seed(rows_of_dose, GDS_WITHIN, "seen")
        transferred = areas_by_seed(rows_of_dose, GDS_TRANSFERRED, "seen")
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
