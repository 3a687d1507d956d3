"""Rules that read nothing, or only count words: what share of labels, or of a judge, they predict.

Each rule is fitted to the statuses of some groups and predicts the statuses of the others, so that
it knows no item on which it is tested. Fitted to the labels, it is a baseline that the judge must
beat. Fitted to the judge's own statuses, it shows whether the judge is such a rule itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from jaxtyping import Int

from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.verdicts.judge_cards.agreement import MISSING, Ranks

CONSTANT = "one status for all"
COMMONEST = "each criterion's commonest status"
LENGTH = "length"
WORDS = "bag of words"
FOLDS = 10  # with at most 10 groups, each group is a fold of its own
_LEAVES_PER_STATUS = 2  # in the decision tree on lengths


class _Split(NamedTuple):
    """Items on which a rule is fitted, their ranks, and the other items, which it predicts."""

    items: Sequence[LabelledItem]
    ranks: Ranks
    others: Sequence[LabelledItem]


def _constant(split: _Split) -> Ranks:
    """The commonest status of all fitted items."""
    return np.full(len(split.others), _commonest(split.ranks))


def _commonest_of_criterion(split: _Split) -> Ranks:
    """The commonest status of the item's criterion; of all if no fitted item has it."""
    codes = np.array([item.criterion for item in split.items])
    by_code = {}
    for code in set(codes.tolist()):
        by_code[code] = _commonest(split.ranks[codes == code])

    commonest_of_all = _commonest(split.ranks)
    return np.array([by_code.get(item.criterion, commonest_of_all) for item in split.others])


def _by_length(split: _Split) -> Ranks:
    """By characters and words of the text: a tree with at most two leaves for each status."""
    from sklearn.tree import DecisionTreeClassifier

    leaves = _LEAVES_PER_STATUS * len(np.unique(split.ranks))
    tree = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0)
    tree.fit(_lengths(split.items), split.ranks)
    return np.asarray(tree.predict(_lengths(split.others)), dtype=int)


def _by_words(split: _Split) -> Ranks:
    """By the words of claim and text: logistic regression on TF-IDF weights."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    if len(np.unique(split.ranks)) == 1:
        return _constant(split)
    words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")  # noqa: S106 - no password
    model = make_pipeline(words, LogisticRegression(max_iter=1000))
    model.fit(_texts(split.items), split.ranks)
    return np.asarray(model.predict(_texts(split.others)), dtype=int)


RULES: Mapping[str, Callable[[_Split], Ranks]] = {
    CONSTANT: _constant,
    LENGTH: _by_length,
    WORDS: _by_words,
    COMMONEST: _commonest_of_criterion,
}


def held_out(rule: str, items: Sequence[LabelledItem], ranks: Ranks) -> Ranks:
    """The rank that a rule predicts for each item, fitted to the statuses of other groups.

    Args:
        rule: A key of `RULES`.
        items: The items.
        ranks: The statuses to fit and to predict, one for each item.

    Returns:
        A rank for each item; `MISSING` where no item of another fold has a status. Of equally
        common statuses the lowest is predicted.
    """
    predicted = np.full(len(items), MISSING)
    for fold in _folds([item.group for item in items]):
        is_in_fold = np.zeros(len(items), dtype=bool)
        is_in_fold[fold] = True
        fitted = np.flatnonzero(~is_in_fold & (ranks != MISSING)).tolist()
        if not fitted:
            continue

        split = _Split(
            items=[items[index] for index in fitted],
            ranks=ranks[fitted],
            others=[items[index] for index in fold],
        )
        predicted[fold] = RULES[rule](split)
    return predicted


def chance_of_stretches(items: Sequence[LabelledItem], ranks: Ranks) -> float:
    """The chance that the same statuses in random order are sorted by the lengths of the texts.

    Statuses are sorted by length if, with the items in order of their characters or of their words,
    the items of each status are one unbroken stretch. Of n texts, let n(k) have status k, for K
    different statuses. Then K! of the n! / (n(1)! ... n(K)!) different orders are sorted, and for
    two measures of length at most twice as many.

    1 if the statuses are not sorted. Items without a status are left out. A text that is judged by
    several criteria counts once: if statuses are sorted by length, it has one status.

    The chance also exposes a judge that goes by length where items are few, and where cuts that are
    learned from the other groups miss some: of 30 texts with 10 of each status perhaps 27 are
    predicted, but the chance is 2 x 3! / 5.6e12.
    """
    has_status = ranks != MISSING
    lengths = _lengths(items)[has_status]
    if not any(_in_stretches(measure, ranks[has_status]) for measure in lengths.T):
        return 1.0

    status_of: dict[str, int] = {}
    for item, rank in zip(items, ranks.tolist(), strict=True):
        if rank != MISSING:
            status_of[item.text] = rank
    counts = Counter(status_of.values())

    # Counted among all n! orders of the texts, in Python's integers, which do not overflow.
    within_stretches = prod(factorial(count) for count in counts.values())
    sorted_orders = factorial(len(counts)) * within_stretches
    chance = sorted_orders / factorial(len(status_of))
    n_measures = len(lengths.T)
    return min(1.0, n_measures * chance)


def _in_stretches(lengths: Int[np.ndarray, " item"], ranks: Ranks) -> bool:
    """Whether the ranges of lengths of the statuses are disjoint; ranges with a common end are not.

    For instance the lengths 1, 3 of one status and 5, 6 of another are in stretches; 1, 5 and 3, 6
    are not.
    """
    ranges = []
    for status in np.unique(ranks):
        status_lengths = lengths[ranks == status]
        ranges.append((status_lengths.min(), status_lengths.max()))

    in_order = sorted(ranges)
    return all(longest < next_shortest for (_, longest), (next_shortest, _) in pairwise(in_order))


def _folds(groups: Sequence[str]) -> list[list[int]]:
    """The indices of the items of each fold.

    Groups are kept whole, and dealt to the folds in order of their names.

    With two folds, items of the groups b, a, c, b are in the folds [1, 2] (a and c) and [0, 3] (b).
    """
    names, group_of_item = np.unique(groups, return_inverse=True)
    n_folds = min(FOLDS, len(names))
    fold_of_item = group_of_item % n_folds
    return [np.flatnonzero(fold_of_item == fold).tolist() for fold in range(n_folds)]


def _commonest(ranks: Ranks) -> int:
    """The commonest rank; the lowest on a tie."""
    return int(np.bincount(ranks).argmax())


def _lengths(items: Sequence[LabelledItem]) -> Int[np.ndarray, "item 2"]:
    """The length of each item's text in characters and in words."""
    return np.array([[len(item.text), len(item.text.split())] for item in items])


def _texts(items: Sequence[LabelledItem]) -> list[str]:
    return [f"{item.claim}\n{item.text}" for item in items]
