"""The status of a judge by its shares, kappa and leads, also where a number is at its limit."""

from typing import Any

import pytest

from mechaware.verdicts.judge_cards.agreement import GroupedEstimate
from mechaware.verdicts.judge_cards.decision import BlindRow, decide


def estimate(value: float, low: float | None, high: float | None) -> GroupedEstimate:
    """A number that was estimated from 80 items."""
    return GroupedEstimate(80, value, low, high)


def blind_row(
    row: str = "length", *, lead: float = 0.3, low: float | None = 0.1, predicts: float = 0.6
) -> BlindRow:
    """A blind rule with 50% of the labels right, over which the judge has this lead.

    `low` is the lower end of the lead's interval; None without an interval.
    """
    high = None if low is None else 2 * lead - low
    return BlindRow(row, estimate(0.5, 0.4, 0.6), estimate(lead, low, high), predicts)


def status_of(**changes: Any) -> str:
    """The status of a judge of seven groups that agrees, but for the `changes`."""
    shown: dict[str, Any] = {
        "groups": 7,
        "answered": 80,
        "exact": estimate(0.8, 0.7, 0.9),
        "kappa": estimate(0.6, 0.4, 0.8),
        "blind": [blind_row()],
        "lowered": estimate(0.9, 0.8, 1.0),
        "sorted_by_chance": 1.0,
    }
    return decide(**(shown | changes)).status


# A judge that does not agree, because its lead over one of two rules is not shown.
NO_LEAD = {"blind": [blind_row(), blind_row("bag of words", low=-0.02)]}


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        pytest.param({}, "agrees", id="all is shown"),
        pytest.param(NO_LEAD, "no lead", id="a lead is not shown"),
        pytest.param({"blind": [blind_row(low=0.001)]}, "agrees", id="a lead just above 0"),
        pytest.param({"blind": [blind_row(low=0.0)]}, "no lead", id="a lead of at least 0"),
        pytest.param({"blind": [blind_row(low=None)]}, "no lead", id="a lead without an interval"),
        pytest.param({"kappa": estimate(0.3, 0.001, 0.6)}, "agrees", id="a kappa just above 0"),
        pytest.param({"kappa": estimate(0.3, 0.0, 0.6)}, "no lead", id="a kappa of at least 0"),
        pytest.param(
            {"kappa": estimate(0.3, None, None)}, "no lead", id="a kappa without an interval"
        ),
        pytest.param({"groups": 6}, "agrees", id="six groups"),
        pytest.param({"groups": 5}, "cannot tell", id="five groups"),
        pytest.param({"answered": 0}, "cannot tell", id="no usable status"),
    ],
)
def test_a_judge_agrees_if_its_kappa_and_all_leads_are_shown_to_be_above_zero(
    changes: dict[str, Any], status: str
) -> None:
    assert status_of(**changes) == status


@pytest.mark.parametrize(
    ("predicts", "status"),
    [
        pytest.param(19 / 20, "answers blindly", id="19 of 20 statuses"),
        pytest.param(94 / 100, "no lead", id="94 of 100 statuses"),
    ],
)
def test_a_judge_is_a_blind_rule_that_predicts_95_percent_of_its_statuses_or_more(
    predicts: float, status: str
) -> None:
    blind = [blind_row(), blind_row("bag of words", low=-0.02, predicts=predicts)]
    assert status_of(blind=blind) == status


@pytest.mark.parametrize(
    ("chance", "status"),
    [
        pytest.param(0.01, "answers blindly", id="a chance of 1%"),
        pytest.param(0.011, "no lead", id="a chance of 1.1%"),
    ],
)
def test_a_judge_goes_by_length_if_chance_sorts_its_statuses_in_one_of_100_orders_or_fewer(
    chance: float, status: str
) -> None:
    assert status_of(**NO_LEAD, sorted_by_chance=chance) == status


@pytest.mark.parametrize(
    ("lowered", "status"),
    [
        pytest.param(estimate(0.3, 0.1, 0.499), "answers blindly", id="fewer than half are shown"),
        pytest.param(estimate(0.3, 0.1, 0.5), "agrees", id="perhaps half"),
        pytest.param(estimate(0.3, None, None), "agrees", id="without an interval"),
    ],
)
def test_a_judge_answers_blindly_if_fewer_than_half_of_its_statuses_are_shown_to_need_the_text(
    lowered: GroupedEstimate, status: str
) -> None:
    assert status_of(lowered=lowered) == status


def test_the_reason_names_the_unbeaten_rule_over_which_the_lead_is_smallest() -> None:
    """The lead over one status for all is smaller, and is shown."""
    blind = [
        blind_row("one status for all", lead=0.02, low=0.01),
        blind_row("length", lead=0.12, low=-0.1),
        blind_row("bag of words", lead=0.08, low=-0.05),
    ]
    decision = decide(
        groups=7,
        answered=80,
        exact=estimate(0.8, 0.7, 0.9),
        kappa=estimate(0.6, 0.4, 0.8),
        blind=blind,
        lowered=estimate(0.9, 0.8, 1.0),
        sorted_by_chance=1.0,
    )
    assert decision == (
        "no lead",
        "it has 80% of the labels right, bag of words 50%: no lead is shown",
    )
