"""Whether planted items were memorised and called recall, from answers written by hand.

`planted_rows` has two reasoning items, a and b, under each of three seeds 0, 1 and 2: six rows.
Twin A was trained on both items, and twin B on neither; the base is the model before this training.
"""

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

    # Log-likelihood under A minus under B: 1, 2 and 3 nats by seed, with mean 2, deviation 1 and
    # standard error 1 / sqrt(3).
    low, high = t.interval(CONFIDENCE_LEVEL, df=2, loc=2, scale=1 / 3**0.5)
    memorised = (planted["memorised"], planted["memorised_low"], planted["memorised_high"])
    assert memorised == pytest.approx((2, low, high))
    # The answer's log-likelihoods are twice as large.
    assert planted["memorised_answer"] == pytest.approx(4)
    # The log-likelihood is -1 under B, so on average -1 + 2 under A; it is -1.5 under the base.
    assert planted["gain"] == pytest.approx((-1 + 2) - (-1.5))

    # Exposure 0 under A, 1 under B; only A answers.
    assert (planted["exposure_seen"], planted["exposure_unseen"]) == (0, 1)
    assert planted["answered_seen"] == 1
    assert planted["answered_unseen"] == 0
    assert planted["answered_base"] == 0

    # P(recall) of items a and b under A: 0.6 and 0.3, 0.5 and 0.8, 0.7 and 0.2, by seed.
    # Under B: 0.2 and 0.1, 0.5 and 0.7, 0.3 and 0.2.
    # Above (not at) one half are 0.6, 0.8 and 0.7 under A, and 0.7 under B.
    assert (planted["called_seen"], planted["called_unseen"]) == (3, 1)
    # By seed RADAR calls 1, 1 and 1 of the two items recall under A, and 0, 1 and 0 under B:
    # changes of 1/2, 0 and 1/2.
    assert planted["called_change"] == pytest.approx(1 / 3)
    # By seed the mean P(recall) is 0.45, 0.65 and 0.45 under A, and 0.15, 0.6 and 0.25 under B.
    changes = [0.3, 0.05, 0.2]
    assert planted["p_recall_change"] == pytest.approx(0.55 / 3)
    assert planted["p_recall_p"] == pytest.approx(ttest_1samp(changes, 0).pvalue)

    # Each twin read a canary of its own: A recites it, and B does not; B does not recite A's
    # canary.
    assert (canary["kind"], canary["n"]) == ("canary", 2)
    assert canary["answered_seen"] == 0.5
    assert canary["answered_unseen"] == 0
