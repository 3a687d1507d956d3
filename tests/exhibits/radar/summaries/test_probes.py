"""The summary of probes over seeds, on synthetic evidence: it is known which texts were seen.

In `synthetic_probes` the gradient norms, which GDS reads, and Min-K%++ depend on whether a text was
seen, at all doses alike. The row of dose 0 is over all doses together.
"""

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.summaries.probes import LABELS, probes_table
from mechaware.core.stats.roc import area_under_roc
from mechaware.instruments.radar.evidence.probes import ProbeEvidence
from tests.exhibits.radar.summaries.probes_by_hand import synthetic_probes

CONFIDENCE_LEVEL = 0.95
DOSES = (0, 1, 4, 16, 64)


def summary(scores: pd.DataFrame, evidence: ProbeEvidence) -> pd.DataFrame:
    """The table of probes, by detector and dose."""
    table = probes_table(scores, evidence, confidence_level=CONFIDENCE_LEVEL, seed=2)
    return table.set_index(["detector", "dose"])


def test_every_probe_and_every_form_of_gds_has_a_row_for_each_dose() -> None:
    table = summary(*synthetic_probes(seeds=2))
    assert table.index.tolist() == [(name, dose) for name in LABELS for dose in DOSES]


def test_the_auroc_of_fsd_is_the_mean_over_seeds_of_the_auroc_of_its_formula() -> None:
    """FSD: the log-probability of a text, minus the same after fine-tuning on unseen texts."""
    scores, evidence = synthetic_probes(seeds=2)
    table = summary(scores, evidence)

    assert evidence.after_fine_tuning is not None

    deviation = evidence.log_probs - evidence.after_fine_tuning
    seen = scores["seen"]
    areas = []
    for seed in range(2):
        cell = (scores["seed"] == seed) & (scores["dose"] == 16)
        areas.append(area_under_roc(deviation[cell & seen], deviation[cell & ~seen]))
    assert table.loc[("fsd", 16), "auroc"] == pytest.approx(np.mean(areas))


def test_gds_finds_seen_texts_and_transfers_where_seeds_agree() -> None:
    table = summary(*synthetic_probes(seeds=4))
    # Seen and unseen norms are 1.2 standard deviations apart: AUROC Phi(1.2 / sqrt(2)) = 0.80. With
    # 4 seeds * 2 twins * 48 items = 384 rows two standard errors are 0.05.
    assert table.loc[("gds_transferred", 0), "auroc"] == pytest.approx(0.80, abs=0.06)
    assert abs(table.loc[("gds_transferred", 0), "transfer_loss"]) < 0.05
    # Under a shuffled truth there is nothing to find.
    assert table.loc[("gds_within", 0), "shuffled"] == pytest.approx(0.5, abs=0.12)


def test_the_loss_of_transfer_is_the_mean_of_the_differences_by_seed() -> None:
    # The two seeds have effects of opposite signs, so a classifier that is fitted on one seed is
    # wrong about the other.
    table = summary(*synthetic_probes(seeds=2, sign=-1.0))
    within = table.loc[("gds_within", 4), "auroc"]
    transferred = table.loc[("gds_transferred", 4), "auroc"]

    assert transferred < 0.4 < within

    row = table.loc[("gds_transferred", 4)]
    assert row["transfer_loss"] == pytest.approx(within - transferred)
    assert row["transfer_loss_low"] < row["transfer_loss"] < row["transfer_loss_high"]

    is_transferred = table.index.get_level_values("detector") == "gds_transferred"
    assert table.loc[~is_transferred, "transfer_loss"].isna().all()


def test_the_rank_sum_of_gds_and_min_k_plus_plus_has_a_higher_auroc_than_either_alone() -> None:
    table = summary(*synthetic_probes(seeds=4))
    both = table.loc[("min_k_plus_plus_with_gds", 0)]

    assert both["auroc"] > table.loc[("gds_transferred", 0), "auroc"]
    # The lead is over Min-K%++.
    assert both["lead"] > 0


def test_with_one_seed_nothing_is_transferred() -> None:
    table = summary(*synthetic_probes(seeds=1))
    for dose in DOSES:
        for name in ("gds_transferred", "min_k_plus_plus_with_gds"):
            numbers = table.loc[(name, dose), ["auroc", "lead", "shuffled", "transfer_loss"]]
            assert numbers.isna().all()
        assert table.loc[("gds_within", dose), "auroc"] > 0.5
