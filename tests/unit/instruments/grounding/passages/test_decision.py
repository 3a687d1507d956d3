"""What follows from right answers with own, exchanged and no passages, by hand."""

import pandas as pd
import pytest

from mechaware.instruments.grounding.passages.decision import decide
from mechaware.verdicts.cases.passages import answers_table


def test_a_score_follows_passages_where_own_ones_are_answered_better() -> None:
    """40 items: 12 right with their own passage alone, 3 with another's alone, 20 with both (10 with none), 5 never.

    Own 32 of 40, exchanged 23, none 10. McNemar: 2 * P(B(15, 1/2) <= 3) = 2 * 576 / 2^15 = 0.0352. 23 / 32 = 0.719.
    """
    decision = decide(answers_table(12, 3, 20, 5), 0.95)
    assert decision.status == "follows"
    accuracies = {row.prompt: row for row in decision.accuracies}
    assert {prompt: row.value for prompt, row in accuracies.items()} == {
        "own": 0.8,
        "exchanged": 0.575,
        "none": 0.25,
    }
    # The exact interval of 32 of 40, from binomial tables.
    assert (accuracies["own"].low, accuracies["own"].high) == pytest.approx(
        (0.6435, 0.9095), abs=1e-4
    )

    to_exchanged, to_none = decision.comparisons
    assert (to_exchanged.gained, to_exchanged.lost) == (12, 3)
    assert to_exchanged.p == pytest.approx(2 * 576 / 2**15)
    assert to_exchanged.remaining == pytest.approx(23 / 32)
    assert (to_none.gained, to_none.lost, to_none.remaining) == (22, 0, 10 / 32)
    assert decision.follows == pytest.approx(9 / 32)
    assert decision.reason == (
        "28% of the score follows the passage: 80% (64% to 91%) of 40 items are right with their own passage, 57% "
        "(41% to 73%) with another item's and 25% (13% to 41%) without one (12 items only with their own, 3 only with "
        "another's, p = 0.035); 31% remains without a passage"
    )


@pytest.mark.parametrize(
    # Items that are right only with their own passage, only with another's, with both, and never.
    ("counts", "status"),
    [
        ((6, 0, 20, 0), "follows"),  # p = 2 / 2^6 = 0.031
        ((5, 0, 20, 0), "not shown"),  # p = 2 / 2^5 = 0.0625
        ((0, 6, 20, 0), "not shown"),  # better with other passages
        ((0, 6, 0, 20), "cannot tell"),  # no score
    ],
)
def test_six_of_six_items_are_enough(counts: tuple[int, int, int, int], status: str) -> None:
    assert decide(answers_table(*counts), 0.95).status == status


def test_items_that_share_a_passage_count_as_one_in_the_test() -> None:
    """Ten items that follow five passages: five of five is not enough, and the interval is that over passages."""
    decision = decide(answers_table(10, 0, 20, 0, per_passage=2), 0.95)
    assert decision.status == "not shown"
    assert decision.comparisons[0].gained == 10
    assert decision.comparisons[0].p == 2 / 2**5
    alone = decide(answers_table(10, 0, 20, 0), 0.95)
    shared = decision.accuracies[0]
    own = alone.accuracies[0]
    assert shared.value == own.value
    assert shared.high - shared.low > own.high - own.low


def test_marks_of_the_log_stand_beside_the_answers_given_anew() -> None:
    """All 20 items were right in the log, 12 are anew: 8 of 8 differences have one sign, p = 2 / 2^8."""
    answers = answers_table(6, 0, 6, 8).assign(logged=1.0)
    decision = decide(answers, 0.95)
    assert decision.accuracies[0].prompt == "logged"
    assert decision.accuracies[0].value == 1
    assert decision.logged_p == 2 / 2**8

    # Marks may be shares, such as an F1 of 0.75, and half of the items may have none.
    is_marked = answers["id"].isin([f"i{number}" for number in range(10)])
    decision = decide(answers.assign(logged=answers["logged"].where(is_marked) * 0.75), 0.95)
    assert (decision.accuracies[0].n, decision.accuracies[0].value) == (10, 0.75)

    # Numbers above 1, such as perplexities, are no marks.
    perplexities = decide(answers.assign(logged=12.5), 0.95)
    assert [row.prompt for row in perplexities.accuracies] == ["own", "exchanged", "none"]
    assert perplexities.logged_p is None


def test_the_order_of_rows_changes_nothing() -> None:
    answers = answers_table(12, 3, 20, 5, per_passage=2)
    shuffled: pd.DataFrame = answers.sample(frac=1, random_state=5)
    assert decide(shuffled, 0.95).comparisons == decide(answers, 0.95).comparisons
