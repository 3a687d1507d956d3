"""Rules that read nothing, or only count words: how often they are right, and how much of a judge they predict.

Each is fitted to the statuses of some groups and predicts those of the others, so that it knows no item that it is
tested on. Fitted to the labels it is a bar for the judge; fitted to the judge's own statuses it shows whether the judge
is such a rule itself.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
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
FOLDS = 10  # of groups; each group alone, if there are no more
_LEAVES_PER_STATUS = 2  # of the tree of lengths


class _Split(NamedTuple):
    """The items of some groups, with statuses, and those of the others, to be predicted."""

    items: Sequence[LabelledItem]
    ranks: Ranks
    others: Sequence[LabelledItem]


def _constant(split: _Split) -> Ranks:
    return np.full(len(split.others), _commonest(split.ranks))


def _commonest_of_criterion(split: _Split) -> Ranks:
    """The commonest status of each criterion; of a criterion that no other group has, that of all."""
    codes = np.array([item.criterion for item in split.items])
    by_code = {code: _commonest(split.ranks[codes == code]) for code in set(codes.tolist())}
    rest = _commonest(split.ranks)
    return np.array([by_code.get(item.criterion, rest) for item in split.others])


def _by_length(split: _Split) -> Ranks:
    """By characters and words of the text: a decision tree with at most two leaves for each status."""
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
    """The status that a rule of `RULES` gives to each item, by the statuses `ranks` of items of other groups.

    `MISSING` where no item of another group has a status. Of statuses that are equally common the lowest counts.
    """
    predicted = np.full(len(items), MISSING)
    for fold in _folds([item.group for item in items]):
        inside = np.zeros(len(items), dtype=bool)
        inside[fold] = True
        known = np.flatnonzero(~inside & (ranks != MISSING)).tolist()
        if not known:
            continue
        split = _Split([items[at] for at in known], ranks[known], [items[at] for at in fold])
        predicted[fold] = RULES[rule](split)
    return predicted


def chance_of_stretches(items: Sequence[LabelledItem], ranks: Ranks) -> float:
    """The chance that statuses given in random order would be as sorted by length as these are.

    They are sorted if, of the items in order of their characters or of their words, each status has one stretch. With
    n texts and K different statuses, n(k) of each, that holds for K! of the n! / (n(1)! ... n(K)!) orders, and for two
    measures of length at most twice as often. 1 if they are not sorted; items without a status are left out. A text
    that is judged by several criteria counts once: sorted by length, it has one status.

    It finds a judge by length among few items, too, where cuts that are learned from the other groups miss some items:
    of 30 texts with 10 of each status perhaps 27 are predicted, but the chance is 2 x 3! / 5.6e12.
    """
    known = ranks != MISSING
    lengths = _lengths(items)[known]
    if not any(_in_stretches(measure, ranks[known]) for measure in lengths.T):
        return 1.0

    status_of: dict[str, int] = {}
    for item, rank in zip(items, ranks.tolist(), strict=True):
        if rank != MISSING:
            status_of[item.text] = rank
    counts = Counter(status_of.values())

    # Of all n! orders of the texts; whole numbers, which do not overflow.
    within_stretches = prod(factorial(count) for count in counts.values())
    sorted_orders = factorial(len(counts)) * within_stretches
    chance = sorted_orders / factorial(len(status_of))
    n_measures = len(lengths.T)
    return min(1.0, n_measures * chance)


def _in_stretches(lengths: Int[np.ndarray, " item"], ranks: Ranks) -> bool:
    """Whether no two statuses overlap in the lengths of their items; equal lengths of two statuses do."""
    ends = sorted(
        (lengths[ranks == status].min(), lengths[ranks == status].max())
        for status in np.unique(ranks)
    )
    following = ends[1:]
    return all(
        longest < shortest for (_, longest), (shortest, _) in zip(ends, following, strict=False)
    )


def _folds(groups: Sequence[str]) -> list[list[int]]:
    """The places of the items of each fold: whole groups, by their names dealt out in turn."""
    names, member = np.unique(groups, return_inverse=True)
    number = min(FOLDS, len(names))
    return [np.flatnonzero(member % number == fold).tolist() for fold in range(number)]


def _commonest(ranks: Ranks) -> int:
    return int(np.bincount(ranks).argmax())


def _lengths(items: Sequence[LabelledItem]) -> Int[np.ndarray, "item 2"]:
    return np.array([[len(item.text), len(item.text.split())] for item in items])


def _texts(items: Sequence[LabelledItem]) -> list[str]:
    return [f"{item.claim}\n{item.text}" for item in items]
