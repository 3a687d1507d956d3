"""A ranking of detectors on scores whose AUROCs and p-values are counted by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.detectors.ranking import rank_detectors

SEEN = [True, True, True, False, False, False]
SCORES = pd.DataFrame(
    {
        "id": list("abcdef"),
        "seen": SEEN,
        "loss": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        "zlib": [6.0, 5.0, 1.0, 4.0, 2.0, 0.0],  # 6 and 5 win three pairs each, 1 wins one: 7 of 9
        "overlap": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        "radar": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
)


def test_detectors_are_ranked_best_first_and_ties_in_the_lists_order() -> None:
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
    # Of three unseen items none may be found: the threshold is their highest score. Above 4 lie two of three seen
    # items.
    assert table["tpr_at_5_percent"].tolist() == pytest.approx([1, 2 / 3, 0, 0])
    assert (table["n_seen"] == 3).all()
    assert (table["n_unseen"] == 3).all()


def test_the_interval_holds_the_area_and_has_no_width_where_no_draw_changes_it() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1).set_index("detector")
    assert tuple(table.loc["overlap", ["low", "high"]]) == (1, 1)
    assert tuple(table.loc["loss", ["low", "high"]]) == (0.5, 0.5)
    assert table.loc["zlib", "low"] < 7 / 9 < table.loc["zlib", "high"]

    narrower = rank_detectors(SCORES, resamples=400, seed=1, confidence_level=0.5)
    narrow = narrower.set_index("detector").loc["zlib"]
    wide = table.loc["zlib"]
    assert narrow["high"] - narrow["low"] < wide["high"] - wide["low"]


def test_p_values_allow_for_the_best_of_all_detectors_that_are_not_fitted_on_the_truth() -> None:
    """Over the 20 ways to choose three seen items of six, in units of each detector's root mean square.

    - Overlap has the AUROC k / 3 if k of the three items that score 1 are seen: distances of -0.5, -1/6, 1/6 and 0.5 in
      1, 9, 9 and 1 ways, with the root mean square sqrt(0.05) = 0.224. Observed: 0.5 / 0.224 = 2.24.
    - Zlib has six distinct scores: the variance is 7 / 108 (Mann and Whitney), its root 0.255. Observed: (7/9 - 1/2) /
      0.255 = 1.09; the largest possible is 0.5 / 0.255 = 1.96.

    So one way in 20 reaches overlap's value. Four ways reach zlib's: those in which zlib's AUROC is 7/9, 8/9 or 1.
    Overlap's AUROC is 1 in one of these four.
    """
    scores = SCORES.assign(radar_refitted=SCORES["overlap"])
    table = rank_detectors(scores, resamples=400, seed=1).set_index("detector")
    # Within three standard deviations of a share of 999 permutations.
    assert table.loc["overlap", "p_adjusted"] == pytest.approx(0.05, abs=0.021)
    assert table.loc["zlib", "p_adjusted"] == pytest.approx(0.2, abs=0.038)
    assert table.loc["loss", "p_adjusted"] == 1
    assert np.isnan(table.loc["radar_refitted", "p_adjusted"])
