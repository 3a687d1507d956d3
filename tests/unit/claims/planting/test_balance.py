"""No rule that looks at a sentence's length, numbers or negations alone tells met from unmet wordings."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import numpy as np
import pytest

from mechaware.claims.planting.manuscript import Author
from mechaware.claims.planting.phrases import phrases
from mechaware.claims.planting.plan import plan_papers

NEGATION = re.compile(r"\b(no|not|none|never|neither|nor|nothing|without|cannot|only|alone|hardly)\b", re.IGNORECASE)
FEATURES: dict[str, Callable[[str], int]] = {
    "length": len,
    "digits": lambda text: sum(character.isdigit() for character in text),
    "negations": lambda text: len(NEGATION.findall(text)),
}
PHRASED = tuple(phrases()["phrases"])
# The best share right of a threshold chosen with both lists in hand. One half is chance.
POOLED, ALONE = 0.53, 0.63
DRAWS = 3


@cache
def filled(code: str, block: str) -> list[str]:
    """Every phrasing of a level, filled in for a circuit and a group of each of twelve papers."""
    lines = [line.rpartition("| ")[2] for line in phrases()["phrases"][code][block]]
    drawn = product(range(len(AUTHORS)), range(2), lines, range(DRAWS))
    return [AUTHORS[number].evidence([line], claim, code, line, draw) for number, claim, line, draw in drawn]


AUTHORS = [Author(paper) for paper in plan_papers(12, 3)]


def unmet(code: str) -> list[str]:
    """What an edit puts in place of met wordings: E1 falls to PARTIAL where anything was intervened on."""
    return filled(code, "weaker" if code == "E1" else "pitfall")


def best_threshold(some: Sequence[int], others: Sequence[int]) -> float:
    """The greatest share right, of as many of either kind, of a rule "at most v" or its opposite."""
    cuts = np.union1d(some, others)
    below = [np.searchsorted(np.sort(values), cuts, side="right") / len(values) for values in (some, others)]
    return float(0.5 + np.abs(below[0] - below[1]).max() / 2)


def test_the_best_threshold_by_hand() -> None:
    assert best_threshold([1, 2], [3, 4]) == 1
    assert best_threshold([3, 4], [1, 2]) == 1
    assert best_threshold([1, 2], [1, 2]) == 0.5
    assert best_threshold([1, 1, 2, 2], [1, 2, 2, 2]) == 0.625  # "at most 1": 1/2 of the first, 1/4 of the others


@pytest.mark.parametrize("feature", FEATURES)
def test_no_threshold_tells_met_from_unmet_over_all_criteria(feature: str) -> None:
    met, other = (
        [FEATURES[feature](text) for code in PHRASED for text in texts(code)]
        for texts in (lambda code: filled(code, "met"), unmet)
    )
    assert best_threshold(met, other) < POOLED
    assert sum(met) / len(met) == pytest.approx(sum(other) / len(other), rel=0.1)


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("code", PHRASED)
def test_no_threshold_tells_met_from_unmet_of_a_criterion(code: str, feature: str) -> None:
    met, other = ([FEATURES[feature](text) for text in texts] for texts in (filled(code, "met"), unmet(code)))
    assert best_threshold(met, other) < ALONE
    if feature == "length":
        assert sum(met) / len(met) == pytest.approx(sum(other) / len(other), rel=0.1)


def test_wordings_of_a_lesser_thing_are_about_as_long_as_the_others() -> None:
    met, weaker = ([len(text) for code in PHRASED for text in filled(code, block)] for block in ("met", "weaker"))
    assert sum(met) / len(met) == pytest.approx(sum(weaker) / len(weaker), rel=0.1)
