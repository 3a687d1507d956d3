"""What follows from right answers with own, exchanged and no passages, by hand.

`answers_table` has items that are right only with their own passage (`own`), only with another's
(`exchanged`), with both, and with neither. The first half of those with both are also right without
a passage.
"""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.grounding.passages.decision import Decision, decide, sign_test
from mechaware.verdicts.cases.passages import answers_table

# 2 * P(B(15, 1/2) <= 3) for the 15 items that are right with one of the two passages:
# 1 + 15 + 105 + 455 = 576 of 2^15.
P_OF_12_AND_3 = 2 * 576 / 2**15


@pytest.fixture(scope="module")
def forty_items() -> Decision:
    """Right are 32 of 40 items with their own passage, 23 with another's, 10 without a passage."""
    return decide(answers_table(own=12, exchanged=3, both=20, neither=5), 0.95)


def test_a_score_follows_passages_where_own_ones_are_answered_better(forty_items: Decision) -> None:
    assert forty_items.status == "follows"
    # 1 - 23 / 32
    assert forty_items.follows == pytest.approx(9 / 32)


def test_accuracies_are_the_shares_of_right_items(forty_items: Decision) -> None:
    by_condition = {accuracy.prompt: accuracy for accuracy in forty_items.accuracies}

    values = {condition: accuracy.value for condition, accuracy in by_condition.items()}
    assert values == {"own": 32 / 40, "exchanged": 23 / 40, "none": 10 / 40}
    # The exact interval of 32 of 40, from binomial tables.
    own = by_condition["own"]
    assert (own.low, own.high) == pytest.approx((0.6435, 0.9095), abs=1e-4)


def test_own_passages_are_compared_with_exchanged_ones_by_mcnemars_test(
    forty_items: Decision,
) -> None:
    to_exchanged, _ = forty_items.comparisons

    assert to_exchanged.prompt == "exchanged"
    assert (to_exchanged.gained, to_exchanged.lost) == (12, 3)
    assert to_exchanged.p == pytest.approx(P_OF_12_AND_3)
    assert to_exchanged.remaining == pytest.approx(23 / 32)


def test_own_passages_are_compared_with_none(forty_items: Decision) -> None:
    _, to_none = forty_items.comparisons

    assert to_none.prompt == "none"
    # Of the 32 items that are right with their own passage, 10 are also right without one.
    assert (to_none.gained, to_none.lost, to_none.remaining) == (22, 0, 10 / 32)


def test_the_reason_has_the_numbers_of_the_decision(forty_items: Decision) -> None:
    assert forty_items.reason == (
        "28% of the score follows the passage: 80% (64% to 91%) of 40 items are right with their "
        "own passage, 57% (41% to 73%) with another item's and 25% (13% to 41%) without one (12 "
        "items only with their own, 3 only with another's, p = 0.035); 31% remains without a "
        "passage"
    )


@pytest.mark.parametrize(
    ("own", "exchanged", "both", "neither", "status"),
    [
        pytest.param(6, 0, 20, 0, "follows", id="6 of 6: p = 2 / 2^6 = 0.031"),
        pytest.param(5, 0, 20, 0, "not shown", id="5 of 5: p = 2 / 2^5 = 0.0625"),
        pytest.param(0, 6, 20, 0, "not shown", id="6 of 6 better with another's"),
        pytest.param(0, 6, 0, 20, "cannot tell", id="none is right with its own"),
    ],
)
def test_six_of_six_items_are_enough(
    own: int, exchanged: int, both: int, neither: int, status: str
) -> None:
    answers = answers_table(own=own, exchanged=exchanged, both=both, neither=neither)

    assert decide(answers, 0.95).status == status


def test_items_that_share_a_passage_count_as_one_in_the_test() -> None:
    """Ten items follow five passages: p is that of five of five passages, not of ten items."""
    decision = decide(answers_table(own=10, exchanged=0, both=20, neither=0, per_passage=2), 0.95)

    to_exchanged, _ = decision.comparisons
    assert decision.status == "not shown"
    assert to_exchanged.gained == 10
    assert to_exchanged.p == 2 / 2**5


def test_a_passage_whose_differences_sum_to_0_but_for_rounding_does_not_count() -> None:
    # In floating point -0.3 + 0.1 + 0.2 is above 0, also in pandas' compensated sum. The other five
    # passages have one sign.
    difference = np.array([-0.3, 0.1, 0.2, 1.0, 1.0, 0.5, 0.5, 0.25])
    assert sign_test(difference, np.array(list("aaabcdef"))) == 2 / 2**5


def test_items_that_share_a_passage_have_a_wider_interval() -> None:
    two_per_passage = decide(
        answers_table(own=10, exchanged=0, both=20, neither=5, per_passage=2), 0.95
    )
    one_per_passage = decide(answers_table(own=10, exchanged=0, both=20, neither=5), 0.95)

    shared = two_per_passage.accuracies[0]
    single = one_per_passage.accuracies[0]
    assert shared.prompt == single.prompt == "own"
    assert shared.value == single.value
    assert shared.high - shared.low > single.high - single.low


def test_marks_of_the_log_are_compared_with_the_answers_given_anew() -> None:
    """All 20 items were right in the log, and 12 are now: 8 of 8 differences have one sign."""
    answers = answers_table(own=6, exchanged=0, both=6, neither=8).assign(logged=1.0)

    decision = decide(answers, 0.95)

    assert decision.accuracies[0].prompt == "logged"
    assert decision.accuracies[0].value == 1
    assert decision.logged_p == 2 / 2**8


def test_marks_of_the_log_may_be_shares_and_may_be_missing() -> None:
    """An F1 of 0.75 for each of the first ten items."""
    answers = answers_table(own=6, exchanged=0, both=6, neither=8)
    is_marked = answers["id"].isin([f"i{number}" for number in range(10)])

    decision = decide(answers.assign(logged=is_marked.map({True: 0.75, False: None})), 0.95)

    assert decision.accuracies[0].prompt == "logged"
    assert decision.accuracies[0].n == 10
    assert decision.accuracies[0].value == 0.75


def test_numbers_above_1_such_as_perplexities_are_no_marks() -> None:
    answers = answers_table(own=6, exchanged=0, both=6, neither=8)

    decision = decide(answers.assign(logged=12.5), 0.95)

    assert [accuracy.prompt for accuracy in decision.accuracies] == ["own", "exchanged", "none"]
    assert decision.logged_p is None


def test_the_order_of_rows_changes_nothing() -> None:
    answers = answers_table(own=12, exchanged=3, both=20, neither=5, per_passage=2)
    shuffled: pd.DataFrame = answers.sample(frac=1, random_state=5)

    assert decide(shuffled, 0.95).comparisons == decide(answers, 0.95).comparisons
