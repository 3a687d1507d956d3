"""Detectors compared on scores whose areas are counted by hand."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.suspected.ranking import rank_detectors

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


def test_a_row_per_detector_with_the_best_first_and_equal_ones_in_the_lists_order() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1)
    assert table["detector"].tolist() == ["overlap", "zlib", "loss", "radar"]
    assert table["label"].tolist() == ["8-gram overlap", "zlib", "loss", "RADAR"]
    assert table["source"].tolist() == ["ours", "Carlini et al. 2021", "Yeom et al. 2018", "Kattamuri et al. 2025"]
    assert table["auroc"].tolist() == pytest.approx([1, 7 / 9, 1 / 2, 1 / 2])
    # No unseen item may be found: the threshold is the highest of their scores. Above 4 lie two of three.
    assert table["tpr_at_5_percent"].tolist() == pytest.approx([1, 2 / 3, 0, 0])
    assert (table["n_seen"] == 3).all()
    assert (table["n_unseen"] == 3).all()


def test_the_interval_holds_the_area_and_has_no_width_where_no_draw_changes_it() -> None:
    table = rank_detectors(SCORES, resamples=400, seed=1).set_index("detector")
    assert tuple(table.loc["overlap", ["low", "high"]]) == (1, 1)
    assert tuple(table.loc["loss", ["low", "high"]]) == (0.5, 0.5)
    assert table.loc["zlib", "low"] < 7 / 9 < table.loc["zlib", "high"]
    narrower = rank_detectors(SCORES, resamples=400, seed=1, confidence_level=0.5).set_index("detector")
    assert np.ptp(narrower.loc["zlib", ["low", "high"]]) < np.ptp(table.loc["zlib", ["low", "high"]])
