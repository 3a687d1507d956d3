"""A ranking of detectors by scores whose AUROCs and p-values can be computed by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.detectors.ranking import rank_detectors

SEEN = [True, True, True, False, False, False]
# Overlap separates seen from unseen items, loss and RADAR are constant. Zlib's AUROC is 7/9: of the
# seen scores, 6 and 5 are above all three unseen scores, and 1 is above one of them.
SCORES = pd.DataFrame(
    {
        "id": list("abcdef"),
        "seen": SEEN,
        "loss": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "zlib": [6.0, 5.0, 1.0, 4.0, 2.0, 0.0],
        "overlap": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        "radar": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
)


def test_detectors_are_ranked_by_auroc_and_ties_keep_the_order_of_the_list() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1)
    assert table["detector"].tolist() == ["overlap", "zlib", "loss", "radar"]
    assert table["label"].tolist() == ["8-gram overlap", "zlib", "loss", "RADAR"]
    assert table["source"].tolist() == [
        "ours",
        "Carlini et al. 2021",
        "Yeom et al. 2018",
        "Kattamuri et al. 2025",
    ]
    assert table["auroc"].tolist() == pytest.approx([1, 7 / 9, 1 / 2, 1 / 2])
    # 5% of three unseen items is less than one item, so no unseen score may exceed the threshold.
    # The threshold is the highest unseen score: zlib's is 4, below two of its three seen scores.
    assert table["tpr_at_5_percent"].tolist() == pytest.approx([1, 2 / 3, 0, 0])
    assert (table["n_seen"] == 3).all()
    assert (table["n_unseen"] == 3).all()


def test_the_interval_holds_the_auroc_and_has_no_width_if_no_resample_changes_it() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1).set_index("detector")
    assert tuple(table.loc["overlap", ["low", "high"]]) == (1, 1)
    assert tuple(table.loc["loss", ["low", "high"]]) == (0.5, 0.5)
    assert table.loc["zlib", "low"] < 7 / 9 < table.loc["zlib", "high"]


def test_the_interval_is_narrower_at_a_lower_confidence_level() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1).set_index("detector")
    narrower = rank_detectors(SCORES, resamples=400, seed=1, confidence_level=0.5)
    narrow = narrower.set_index("detector").loc["zlib"]
    wide = table.loc["zlib"]
    assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"]


def test_p_values_allow_for_the_best_of_all_detectors_that_are_not_fitted_on_the_truth() -> None:
    """The three seen items of six can be chosen in 20 ways, all equally likely if scores are noise.

    A detector's statistic is its AUROC - 1/2 over the root mean square of this difference in the 20
    ways.

    - Overlap: if k of the three items that score 1 are seen, its AUROC is k / 3. So the differences
      are -1/2, -1/6, 1/6 and 1/2 in 1, 9, 9 and 1 ways, and their root mean square is
      sqrt(0.05) = 0.224. Observed: 0.5 / 0.224 = 2.24.
    - Zlib: its six scores are distinct, so the variance of the AUROC is
      (3 + 3 + 1) / (12 * 3 * 3) = 7 / 108 (Mann and Whitney), of which the root is 0.255.
      Observed: (7/9 - 1/2) / 0.255 = 1.09. The largest possible value is 0.5 / 0.255 = 1.96.
    - Loss and RADAR are constant: their AUROC is 1/2 in all ways, and their p-value is 1.

    A p-value is the share of ways in which the largest of the statistics reaches the observed
    one. Overlap's 2.24 is reached in one way of 20, by overlap itself. Zlib's 1.09 is reached in
    four ways: those in which zlib's AUROC is 7/9 (two ways), 8/9 or 1. Overlap's only statistic
    above 1.09 is 2.24, which belongs to one of these four ways.
    """
    scores = SCORES.assign(radar_refitted=SCORES["overlap"])
    table = rank_detectors(scores, resamples=400, seed=1).set_index("detector")
    # Tolerances: three standard deviations of a share of 999 permutations.
    assert table.loc["overlap", "p_adjusted"] == pytest.approx(0.05, abs=0.021)
    assert table.loc["zlib", "p_adjusted"] == pytest.approx(0.2, abs=0.038)
    assert table.loc["loss", "p_adjusted"] == 1
    assert np.isnan(table.loc["radar_refitted", "p_adjusted"])
