"""Blind rules know no status of the group they are tested on; the chance of sorted statuses."""

import numpy as np
import pytest

from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.verdicts.judge_cards.agreement import MISSING
from mechaware.verdicts.judge_cards.blind import (
    COMMONEST,
    CONSTANT,
    LENGTH,
    RULES,
    WORDS,
    chance_of_stretches,
    held_out,
)


def item(name: str, group: str, criterion: str, text: str) -> LabelledItem:
    """An item without a claim or labels: statuses are given beside the items, as ranks."""
    return LabelledItem(
        id=name, group=group, criterion=criterion, claim="", text=text, label="", second=""
    )


NO = 0
PARTIAL = 1
YES = 2
# C1 is YES in two of three papers, I1 is NO in all; V1 and M1 are in one paper each.
PAPERS = {
    "P1": [("C1", YES), ("I1", NO)],
    "P2": [("C1", YES), ("I1", NO), ("V1", YES)],
    "P3": [("C1", NO), ("I1", NO), ("M1", PARTIAL)],
}


def items_of_papers() -> tuple[list[LabelledItem], np.ndarray]:
    """The items of `PAPERS`, and the rank of each."""
    items = []
    ranks = []
    for paper, statuses in PAPERS.items():
        for criterion, rank in statuses:
            items.append(item(f"{paper}-{criterion}", paper, criterion, "short words"))
            ranks.append(rank)
    return items, np.array(ranks)


ITEMS, RANKS = items_of_papers()


def test_one_status_for_all_is_the_commonest_of_the_other_groups() -> None:
    # Without P1: YES 2, NO 3, PARTIAL 1. Without P2: YES 1, NO 3, PARTIAL 1.
    # Without P3: YES 3, NO 2.
    assert held_out(CONSTANT, ITEMS, RANKS).tolist() == [NO] * 5 + [YES] * 3


def test_a_criterion_has_the_commonest_status_of_its_items_in_other_groups() -> None:
    # C1 without P1, and without P2: YES and NO, of which NO is the lower. V1 and M1 are in no other
    # group, and have the commonest status of all items in other groups.
    expected = [NO, NO, NO, NO, NO, YES, NO, YES]
    assert held_out(COMMONEST, ITEMS, RANKS).tolist() == expected


@pytest.mark.parametrize("rule", RULES)
def test_an_item_without_a_status_teaches_nothing_and_is_predicted(rule: str) -> None:
    is_known = [item.id == "P3-C1" for item in ITEMS]
    ranks = np.where(is_known, RANKS, MISSING)
    # The one known status, NO, is predicted for P1 and P2; for P3 no other group has a status.
    assert held_out(rule, ITEMS, ranks).tolist() == [NO] * 5 + [MISSING] * 3


def items_in_six_groups(text: dict[int, str]) -> tuple[list[LabelledItem], np.ndarray]:
    """Four items in each of six papers, and their ranks; `text` is by rank."""
    ranks = [NO, PARTIAL, YES, YES] * 6
    items = []
    for number, rank in enumerate(ranks):
        items.append(item(str(number), f"paper {number // 4}", "C1", text[rank]))
    return items, np.array(ranks)


def test_the_rule_by_length_finds_statuses_that_follow_length() -> None:
    text = {NO: "a b c", PARTIAL: "a b c " * 5, YES: "a b c " * 20}
    items, ranks = items_in_six_groups(text)
    assert (held_out(LENGTH, items, ranks) == ranks).all()


def test_the_rule_by_words_finds_statuses_that_follow_words_and_length_does_not() -> None:
    text = {NO: "never tested", PARTIAL: "hardly tested", YES: "fairly tested"}
    items, ranks = items_in_six_groups(text)
    assert (held_out(WORDS, items, ranks) == ranks).all()
    # "hardly" and "fairly" have as many letters, so their length tells nothing, and YES is the
    # commoner.
    by_length = held_out(LENGTH, items, ranks)
    assert by_length.tolist() == [NO, YES, YES, YES] * 6


def items_of_lengths(statuses: list[int]) -> tuple[list[LabelledItem], np.ndarray]:
    """Items of 1, 2, 3 ... characters, all of one word, with these statuses."""
    items = []
    for length in range(1, len(statuses) + 1):
        items.append(item(str(length), "paper", "C1", "a" * length))
    return items, np.array(statuses)


@pytest.mark.parametrize(
    ("statuses", "chance"),
    [
        # 8! / (3! 5!) = 56 orders, of which two are sorted, by either of two measures of length.
        pytest.param([YES] * 3 + [NO] * 5, 2 * 2 / 56, id="two statuses"),
        # An item without a status counts for nothing.
        pytest.param([YES] * 3 + [MISSING] + [NO] * 5, 2 * 2 / 56, id="one item without a status"),
        # 6! / (2! 2! 2!) = 90 orders, of which 3! = 6 are sorted, by either of two measures.
        pytest.param([YES] * 2 + [NO] * 2 + [PARTIAL] * 2, 2 * 6 / 90, id="three statuses"),
        pytest.param([NO, YES, YES, NO, NO, NO, NO, NO], 1.0, id="not sorted"),
        # The only order is sorted: 2 * 1 / 1, but no chance is above 1.
        pytest.param([NO] * 9, 1.0, id="one status"),
        # 1000! / (200!)^5 orders are more than a float can hold.
        pytest.param(np.arange(5).repeat(200).tolist(), 0.0, id="more orders than a float holds"),
    ],
)
def test_statuses_sorted_by_length_are_as_unlikely_as_counted_by_hand(
    statuses: list[int], chance: float
) -> None:
    items, ranks = items_of_lengths(statuses)
    assert chance_of_stretches(items, ranks) == chance


def test_a_text_that_several_criteria_judge_counts_once() -> None:
    """Six texts, each with three criteria; three texts have either status.

    Of 6! / (3! 3!) = 20 orders two are sorted.
    """
    items, ranks = items_of_lengths([YES] * 3 + [NO] * 3)
    items_by_criteria = []
    for one_text in items:
        items_by_criteria += [one_text._replace(criterion=code) for code in ("C1", "I1", "M1")]
    assert chance_of_stretches(items_by_criteria, ranks.repeat(3)) == pytest.approx(2 * 2 / 20)


def test_equal_lengths_with_two_statuses_are_not_sorted() -> None:
    items, ranks = items_of_lengths([YES] * 6 + [NO] * 6)
    assert chance_of_stretches(items, ranks) < 0.01
    items[6] = items[6]._replace(text=items[5].text)
    assert chance_of_stretches(items, ranks) == 1.0
