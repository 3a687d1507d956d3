"""Committed cases of a judge's card: items labelled by formula, judges of known habits, replies."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mechaware.core.levels import MIN_GROUPS
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.rubric.rubric import Criterion, Rubric
from mechaware.verdicts.judge_cards.agreement import (
    kappa_over_groups,
    lead_over,
    share_of,
    too_high_masks,
    too_low_masks,
)
from mechaware.verdicts.judge_cards.blind import (
    COMMONEST,
    CONSTANT,
    LENGTH,
    chance_of_stretches,
    held_out,
)
from mechaware.verdicts.judge_cards.decision import BlindRow, decide
from mechaware.verdicts.procedure import digest

_CONFIDENCE_LEVEL = 0.95
_STATUSES = ("bad", "needs work", "good")
_HIGHEST_RANK = len(_STATUSES) - 1
_RUBRIC = Rubric(
    name="cases",
    statuses=_STATUSES,
    guidance="",
    criteria={code: Criterion(code, code, code, {}) for code in ("A", "B")},
)
# Statuses in other spellings, and replies that name no status of the rubric.
_REPLIES = ("good", " Needs_Work.", "**BAD**", "goodish", "", "needs  work")
_N_ITEMS = 72


def _right(_number: int, label: int) -> int:
    """The label of each item."""
    return label


def _mostly_right(number: int, label: int) -> int:
    """The label, but another status on every fifth item."""
    return label if number % 5 else (label + 1) % len(_STATUSES)


def _lowest(_number: int, _label: int) -> int:
    """The lowest status throughout."""
    return 0


def _by_length(number: int, _label: int) -> int:
    """The lowest status for the shortest texts, the highest for the longest (`_length_rank`)."""
    return _length_rank(number)


def _higher(_number: int, label: int) -> int:
    """One status above the label, or the highest."""
    return min(_HIGHEST_RANK, label + 1)


# The committed judges: each gives the rank of the status of item `number`, whose label has the rank
# `label`.
_JUDGES: tuple[Callable[[int, int], int], ...] = (
    _right,
    _mostly_right,
    _lowest,
    _by_length,
    _higher,
)


@cache
def card_decisions() -> str:
    """The digest of what is decided on the committed cases.

    The blind rule "bag of words" is left out: its predictions differ between versions of libraries.
    """
    statuses = [_RUBRIC.status_named(reply) for reply in _REPLIES]
    cards = [_card(judge) for judge in _JUDGES]
    return digest([statuses, *cards])


def _card(judge: Callable[[int, int], int]) -> list[Any]:
    """What is decided on a judge.

    In order: the status of the judge (`decide`), the share of labels that it has right, its kappa,
    the blind rows, the shares of its statuses that are too high and too low among those that could
    be, and `chance_of_stretches`.
    """
    items = [_item(number) for number in range(_N_ITEMS)]
    criteria = [item.criterion for item in items]
    groups = [item.group for item in items]
    labels = np.array([_RUBRIC.rank(item.label) for item in items])
    judged = np.array([judge(number, int(label)) for number, label in enumerate(labels)])

    kappa = kappa_over_groups(judged, labels, criteria, groups, _CONFIDENCE_LEVEL)
    exact = share_of(judged == labels, groups, _CONFIDENCE_LEVEL)
    could_rise, higher = too_high_masks(judged, labels, _HIGHEST_RANK)
    could_fall, lower = too_low_masks(judged, labels)
    # On a real card, `lowered` is the share of statuses that fall when the text is removed. Here no
    # text is removed: among the statuses above the lowest, the highest count as fallen.
    above_lowest = judged > 0
    lowered = share_of(judged[above_lowest] > 1, np.array(groups)[above_lowest], _CONFIDENCE_LEVEL)

    blind = []
    for rule in (CONSTANT, LENGTH, COMMONEST):
        is_right = held_out(rule, items, labels) == labels
        lead = lead_over(judged == labels, is_right, groups, _CONFIDENCE_LEVEL)
        predicts = float((held_out(rule, items, judged) == judged).mean())
        right = share_of(is_right, groups, _CONFIDENCE_LEVEL)
        blind.append(BlindRow(row=rule, right=right, lead=lead, predicts=predicts))

    sorted_by_chance = chance_of_stretches(items, judged)
    decision = decide(
        groups=len(set(groups)),
        answered=len(items),
        exact=exact,
        kappa=kappa,
        blind=blind,
        lowered=lowered,
        sorted_by_chance=sorted_by_chance,
    )
    return [
        decision.status,
        list(exact),
        list(kappa),
        [[list(row.right), list(row.lead), row.predicts] for row in blind],
        [float(higher[could_rise].mean()), float(lower[could_fall].mean())],
        sorted_by_chance,
    ]


def _length_rank(number: int) -> int:
    """The rank of the length of an item's text, 0 to 2."""
    return number % 7 % 3


def _item(number: int) -> LabelledItem:
    """An item of one of eight groups and two criteria, with a text of its own.

    The label is (number^2 mod 11) mod 3. It depends neither on the group, nor on the criterion, nor
    on the length of the text, so no blind rule predicts all labels.
    """
    label = _STATUSES[number**2 % 11 % 3]
    n_words = 1 + 10 * _length_rank(number)
    words = [f"w{number:03d}", *["word"] * (n_words - 1)]
    group = str(number % (MIN_GROUPS + 2))
    return LabelledItem(
        id=str(number),
        group=group,
        criterion="AB"[number % 2],
        claim="",
        text=" ".join(words),
        label=label,
        second="",
    )
