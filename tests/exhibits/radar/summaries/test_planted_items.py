"""Whether planted items were memorised and called recall, from answers written by hand."""

import pytest
from scipy.stats import t, ttest_1samp

from exhibits.radar.summaries.planted_items import items_table
from tests.exhibits.radar.summaries.planted_by_hand import (
    CANARIES,
    CONFIDENCE_LEVEL,
    planted_rows,
)


def test_the_table_of_items_equals_the_hand_computation() -> None:
    planted, canary = items_table(planted_rows(), CANARIES, CONFIDENCE_LEVEL).to_dict("records")

    assert (planted["kind"], planted["form"]) == ("reasoning", "contradicted")
    assert (planted["dose"], planted["n"]) == (64, 6)
    # 1, 2 and 3 nats: mean 2, deviation 1; two degrees of freedom.
    low, high = t.interval(CONFIDENCE_LEVEL, 2, 2, 1 / 3**0.5)
    memorised = (planted["memorised"], planted["memorised_low"], planted["memorised_high"])
    assert memorised == pytest.approx((2, low, high))
    assert planted["memorised_answer"] == pytest.approx(4)
    # On average -1 + 2 under A, minus -1.5 under the base.
    assert planted["gain"] == pytest.approx(2.5)
    assert (planted["exposure_seen"], planted["exposure_unseen"]) == (0, 1)
    assert planted["answered_seen"] == 1
    assert planted["answered_unseen"] == 0
    assert planted["answered_base"] == 0
    # Above (not at) one half are 0.6, 0.8 and 0.7 under A, and 0.7 under B. By seed the shares differ by 1/2, 0, 1/2.
    assert (planted["called_seen"], planted["called_unseen"]) == (3, 1)
    assert planted["called_change"] == pytest.approx(1 / 3)
    # By seed P(recall) changes by 0.3, 0.05 and 0.2.
    assert planted["p_recall_change"] == pytest.approx(0.55 / 3)
    assert planted["p_recall_p"] == pytest.approx(ttest_1samp([0.3, 0.05, 0.2], 0).pvalue)

    # Each twin read a canary of its own: A recites it, and B does not; B does not recite the canary of A.
    assert (canary["kind"], canary["n"]) == ("canary", 2)
    assert canary["answered_seen"] == 0.5
    assert canary["answered_unseen"] == 0
