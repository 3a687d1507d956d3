"""Agreement with labels, compared with hand computations and with scikit-learn and SciPy."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from mechaware.core.stats.intervals import jackknife_over_groups
from mechaware.verdicts.judge_cards.agreement import (
    MISSING,
    GroupedEstimate,
    items_needed,
    kappa_over_groups,
    kappa_within,
    number_text,
    points_text,
    too_high_masks,
    too_low_masks,
)

LABELS = np.array([0, 0, 1, 2, 2, 2, 1, 0])
GIVEN = np.array([0, 1, 1, 2, 0, MISSING, 2, 0])


def test_kappa_of_one_criterion_is_cohens() -> None:
    expected = cohen_kappa_score(LABELS, GIVEN)
    assert kappa_within(GIVEN, LABELS, np.zeros(8, dtype=int)) == pytest.approx(expected)


def test_kappa_within_criteria_takes_chance_within_each() -> None:
    """By hand: criterion 0 has labels 0 0 1 1 and answers 0 0 1 0; criterion 1 labels 2 2 2 0,
    answers 2 2 2 2.

    P = 6/8. Chance in criterion 0: 1/2 x 3/4 + 1/2 x 1/4 = 1/2; in criterion 1: 3/4 x 1 = 3/4.
    E = 5/8.
    """
    labels = np.array([0, 0, 1, 1, 2, 2, 2, 0])
    given = np.array([0, 0, 1, 0, 2, 2, 2, 2])
    criteria = np.repeat([0, 1], 4)
    assert kappa_within(given, labels, criteria) == pytest.approx((6 / 8 - 5 / 8) / (3 / 8))
    # Kappa over all items is higher, because statuses differ between criteria.
    assert kappa_within(given, labels, criteria) < cohen_kappa_score(labels, given)


def test_a_judge_with_one_status_for_each_criterion_has_no_kappa_within_them() -> None:
    criteria = np.array([0, 0, 0, 1, 1, 1])
    labels = np.array([0, 0, 1, 2, 2, 1])
    given = np.array([0, 0, 0, 2, 2, 2])
    assert kappa_within(given, labels, criteria) == pytest.approx(0)
    assert (labels == given).mean() == pytest.approx(4 / 6)


def test_kappa_is_undefined_where_each_criterion_has_one_status_for_all() -> None:
    """Agreement by chance is then certain: six criteria of one item each,
    whose shares of 1/6 do not sum to 1.
    """
    one_each = np.arange(6)
    assert np.isnan(kappa_within(one_each, one_each, one_each))
    measured = kappa_over_groups(one_each, one_each, list("abcdef"), list("uvwxyz"), 0.95)
    assert measured == (6, None, None, None)
    assert number_text(measured) == "undefined"


def test_a_lead_is_in_points_with_as_much_of_its_interval_as_there_is() -> None:
    assert points_text(GroupedEstimate(40, 0.052, 0.008, 0.096)) == "5 points (1 to 10)"
    assert points_text(GroupedEstimate(4, -0.25, None, None)) == "-25 points"
    assert points_text(GroupedEstimate(0, None, None, None)) == ""


def test_a_status_is_too_high_or_too_low_only_where_it_could_be() -> None:
    """By hand: of the five items with a label below 2, two answers (1 and 2) are too high.

    Of the five items with a label above 0, one answer (0) is too low.
    """
    could, higher = too_high_masks(GIVEN, LABELS, top=2)
    assert (could.sum(), higher[could].sum()) == (5, 2)
    # The missing answer is neither too high nor too low.
    could, lower = too_low_masks(GIVEN, LABELS)
    assert (could.sum(), lower[could].sum()) == (5, 1)


def test_the_jackknife_of_a_mean_is_its_t_interval_over_groups_of_one_size() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=24)
    groups = [str(number // 3) for number in range(24)]
    means = values.reshape(8, 3).mean(axis=1)
    expected = stats.t.interval(0.9, 7, loc=means.mean(), scale=stats.sem(means))
    interval = jackknife_over_groups(lambda kept: float(values[kept].mean()), groups, 0.9)
    assert interval == pytest.approx(expected)
    assert jackknife_over_groups(lambda kept: float(values[kept].mean()), ["a"] * 24) is None


def test_the_items_needed_show_the_lead_with_a_power_of_80_percent() -> None:
    """With a lead of 0.1 and the number of items needed for it, 80% of draws have an interval above
    zero.
    """
    rng = np.random.default_rng(11)

    def draw(n: int, lead: float) -> np.ndarray:
        return rng.choice([-1, 0, 1], p=[0.2, 0.6 - lead, 0.2 + lead], size=n)

    pilot = draw(3000, 0.1)
    alone = [str(number) for number in range(len(pilot))]
    needed = items_needed(pilot > 0, pilot < 0, alone, 0.1, 0.95)
    assert needed is not None
    # By hand: the variance of one difference is 0.5 - 0.01, so n = 0.49
    # (1.96 + 0.84)^2 / 0.01 = 385.
    assert needed.items == pytest.approx(385, rel=0.1)
    shown = [
        stats.ttest_1samp(draw(needed.items, 0.1), 0).confidence_interval(0.95).low > 0
        for _ in range(400)
    ]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_the_items_needed_of_six_groups_of_unequal_sizes_by_hand() -> None:
    """The differences are +1 | 0 | 0 | -1 | +1 +1 | 0 0, by group, and their mean is 2/8.

    Residuals of the groups, times 8: 0.75, -0.25, -0.25, -1.25, 1.5, -0.5, with 4.75 as the sum of
    squares. So s^2 = 6/5 x 4.75/64 = 0.08906, and a lead of 0.25 needs
    8 x 0.08906 x (1.96 + 0.8416)^2 / 0.25^2 = 89.5 items.
    """
    judge = np.array([1, 1, 0, 0, 1, 1, 1, 0], dtype=bool)
    other = np.array([0, 1, 0, 1, 0, 0, 1, 0], dtype=bool)
    groups = list("abcdeeff")

    assert items_needed(judge, other, groups, 0.25, 0.95) == (0.25, 90, 68)
    # A lead of 1 needs 5.6 items, which no six groups like these have: an interval needs six
    # groups.
    assert items_needed(judge, other, groups, 1.0, 0.95) == (1.0, 8, 6)
    assert items_needed(judge, other, list("abcdeeee"), 0.25, 0.95) is None
    assert items_needed(judge, judge, groups, 0.25, 0.95) is None
