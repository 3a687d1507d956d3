"""Error rates of a judge on planted papers, by hand.

First `error_rates`, then a share of YES that is corrected for these rates (`corrected_share`), then
the agreement of statuses with the truth (`_criterion_agreement`).
"""

from math import hypot, nan, sqrt

import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.planted.papers.correction import corrected_share
from mechaware.planted.papers.judged import _criterion_agreement, error_rates

CONFIDENCE_LEVEL = 0.95
# Quantiles of t with 5 degrees of freedom, from a table.
T_975 = 2.570582
T_80 = 0.919544


def rows(*judged: tuple[str, str | None, str], leak: tuple[bool, ...] = ()) -> pd.DataFrame:
    """Judged criteria, given as (paper, judged status, planted status), each of its own claim.

    `leak` is by row whether evidence of a whole circuit was planted with a component that it does
    not support: a status above NO is then a false leak. By default this holds for no row.
    """
    table = pd.DataFrame(list(judged), columns=["paper", "status", "truth"])
    return table.assign(
        leak=list(leak) or [False] * len(table), claim=range(len(table)), criterion="I2"
    )


# In each of six papers one YES and one NO are planted. The judge gives YES for three of the planted
# YES, and for the planted NO of the sixth paper.
SIX = rows(
    ("a", "YES", "YES"),
    ("b", "YES", "YES"),
    ("c", "YES", "YES"),
    ("d", "NO", "YES"),
    ("e", "NO", "YES"),
    ("f", "NO", "YES"),
    ("a", "NO", "NO"),
    ("b", "NO", "NO"),
    ("c", "NO", "NO"),
    ("d", "NO", "NO"),
    ("e", "NO", "NO"),
    ("f", "YES", "NO"),
)


def test_each_rate_is_a_share_of_the_statuses_that_could_be_wrong_in_its_way() -> None:
    judged = rows(
        ("a", "YES", "YES"),
        ("a", "PARTIAL", "YES"),
        ("b", "YES", "PARTIAL"),
        ("b", "NO", "PARTIAL"),
        ("b", "YES", "NO"),
        ("b", "PARTIAL", "NO"),
        ("c", "NO", "NO"),
        ("c", None, "YES"),
        ("c", None, "NO"),
    )
    rates = error_rates(judged, confidence_level=CONFIDENCE_LEVEL)
    names = ("sensitivity", "specificity", "false_yes", "wrong_yes")

    # Statuses that are None do not count. Of 2 planted YES, 1 is judged YES. Of the 5 others 2 are
    # judged YES: 1 of 3 planted NO, and 1 PARTIAL. So 2 of 3 judged YES are wrong.
    assert [rates[name] for name in names] == pytest.approx([1 / 2, 3 / 5, 1 / 3, 2 / 3])
    assert [rates[f"{name}_n"] for name in names] == [2, 5, 3, 3]
    # Of the 5 planted below YES, a PARTIAL and 2 NO are judged higher. Of the 4 planted above NO, a
    # YES and a PARTIAL are judged lower.
    assert (rates["raised"], rates["raised_n"]) == (pytest.approx(3 / 5), 5)
    assert (rates["lowered"], rates["lowered_n"]) == (pytest.approx(2 / 4), 4)
    assert (rates["wrong"], rates["wrong_partial"]) == (2, 1)
    assert rates["informedness"] == pytest.approx(1 / 2 + 3 / 5 - 1)
    # No row could be a false leak, and three papers are too few for an interval.
    assert rates["false_leak"] is None
    assert rates["sensitivity_low"] is None
    assert rates["informedness_low"] is None


def test_yes_and_partial_are_false_leaks_and_a_missing_status_does_not_count() -> None:
    """Of five planted NO the first four could be false leaks, and three of these have a status."""
    judged = [("a", status, "NO") for status in ("YES", "PARTIAL", "NO", None, "YES")]
    could_leak = (True, True, True, True, False)

    rates = error_rates(rows(*judged, leak=could_leak), confidence_level=CONFIDENCE_LEVEL)

    assert rates["false_leak"] == pytest.approx(2 / 3)
    assert rates["false_leak_n"] == 3
    assert rates["leaked"] == 2


def test_informedness_has_an_interval_over_papers() -> None:
    rates = error_rates(SIX, confidence_level=CONFIDENCE_LEVEL)
    # Of the planted YES 1/2 are judged YES, of the planted NO 1/6: informedness is 1/2 - 1/6 = 1/3.
    # Let y and n be 1 if a paper's planted YES, or NO, is judged YES, else 0. The paper's residual
    # is (y - 1/2) / 6 - (n - 1/6) / 6: 1/9 for a, b and c, -1/18 for d and e, -2/9 for f. The
    # squares sum to 30/324, so the standard error is sqrt(6/5 * 30/324) = 1/3.
    names = ("informedness", "informedness_low", "informedness_high")
    expected = [1 / 3, 1 / 3 - T_975 / 3, 1 / 3 + T_975 / 3]

    assert [rates[name] for name in names] == pytest.approx(expected, abs=1e-6)


def test_single_runs_that_repeat_each_other_do_not_narrow_an_interval() -> None:
    """In each of six papers one of three planted YES is judged YES.

    Papers do not vary, so the interval is Clopper and Pearson's of 6 of 18; three runs with the
    same statuses are not 18 of 54.
    """
    judged = []
    for paper in "abcdef":
        judged += [(paper, "YES", "YES"), (paper, "NO", "YES"), (paper, "NO", "YES")]
    one_run = rows(*judged)

    for n_runs in (1, 3):
        rates = error_rates(pd.concat([one_run] * n_runs), confidence_level=CONFIDENCE_LEVEL)
        interval = (rates["sensitivity_low"], rates["sensitivity_high"])
        assert interval == pytest.approx(clopper_pearson(6, 18))


@pytest.mark.parametrize(("status", "sensitivity", "specificity"), [("NO", 0, 1), ("YES", 1, 0)])
def test_a_judge_that_gives_one_status_throughout_has_informedness_0(
    status: str, sensitivity: int, specificity: int
) -> None:
    rates = error_rates(SIX.assign(status=status), confidence_level=CONFIDENCE_LEVEL)
    assert rates["sensitivity"] == sensitivity
    assert rates["specificity"] == specificity
    assert rates["informedness"] == 0
    assert corrected_share(0.5, 27, rates, confidence_level=CONFIDENCE_LEVEL) is None


@pytest.mark.parametrize(
    ("planted", "undefined"),
    [
        ("YES", ("specificity", "false_yes", "informedness")),
        ("NO", ("sensitivity", "informedness")),
    ],
)
def test_a_rate_over_a_status_that_was_not_planted_is_undefined(
    planted: str, undefined: tuple[str, ...]
) -> None:
    rates = error_rates(SIX[SIX["truth"] == planted], confidence_level=CONFIDENCE_LEVEL)

    for name in undefined:
        assert rates[name] is None


RATES = {
    "informedness": 0.7,
    "informedness_low": 0.5,
    "sensitivity": 0.8,
    "sensitivity_low": 0.7,
    "sensitivity_high": 0.9,
    "specificity": 0.9,
    "specificity_low": 0.85,
    "specificity_high": 0.95,
}


def test_a_share_of_yes_is_corrected_by_rogan_and_gladen() -> None:
    """If the judge gives 0.31 YES, the true share is (0.31 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.3."""
    corrected = corrected_share(0.31, 100, RATES, confidence_level=CONFIDENCE_LEVEL)

    # Half-widths: 1.96 standard errors of 0.31; 0.1 of the sensitivity, which concerns the true 0.3
    # alone; 0.05 of the specificity, which concerns the other 0.7.
    from_share = 1.959964 * sqrt(0.31 * 0.69 / 100)
    from_sensitivity = 0.3 * 0.1
    from_specificity = 0.7 * 0.05
    half_width = hypot(from_share, from_sensitivity, from_specificity) / 0.7
    assert corrected == pytest.approx((0.3, 0.3 - half_width, 0.3 + half_width), abs=1e-6)


def test_the_interval_of_a_corrected_share_stays_within_0_and_1() -> None:
    low = corrected_share(0.114, 100, RATES, confidence_level=CONFIDENCE_LEVEL)
    high = corrected_share(0.786, 100, RATES, confidence_level=CONFIDENCE_LEVEL)

    # (0.114 - 0.1) / 0.7 = 0.02 and (0.786 - 0.1) / 0.7 = 0.98.
    assert low is not None
    assert (low.value, low.low) == (pytest.approx(0.02), 0)
    assert high is not None
    assert (high.value, high.high) == (pytest.approx(0.98), 1)


@pytest.mark.parametrize(
    ("share", "n"),
    [
        pytest.param(0.05, 100, id="below 1 - specificity = 0.1, so no true share fits"),
        pytest.param(0.95, 100, id="above the sensitivity, 0.8, so no true share fits"),
        pytest.param(0.45, 25, id="0.5 +- 0.29, wider than 0.5 in all"),
    ],
)
def test_a_share_that_contradicts_the_rates_or_is_too_uncertain_is_not_corrected(
    share: float, n: int
) -> None:
    assert corrected_share(share, n, RATES, confidence_level=CONFIDENCE_LEVEL) is None


@pytest.mark.parametrize(
    ("name", "low"),
    [
        ("informedness", None),
        ("informedness", nan),
        ("informedness", -0.1),
        ("informedness", 0.0),
        ("sensitivity", None),
        ("specificity", nan),
    ],
)
def test_a_judge_that_may_not_be_informed_cannot_be_corrected(name: str, low: float | None) -> None:
    rates = RATES | {f"{name}_low": low}
    assert corrected_share(0.5, 27, rates, confidence_level=CONFIDENCE_LEVEL) is None


def test_criteria_are_compared_on_the_scale_0_half_1() -> None:
    """Judged minus true is +1, -0.5, 0 and +0.5 for four statuses; the fifth is missing."""
    judged = rows(
        ("a", "YES", "NO"),
        ("a", "NO", "PARTIAL"),
        ("b", "YES", "YES"),
        ("b", "PARTIAL", "NO"),
        ("b", None, "YES"),
    )
    agreement = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    assert agreement["n"] == 4
    assert agreement["unscored"] == pytest.approx(1 / 5)
    assert agreement["exact"] == 1 / 4
    assert agreement["bias"] == (1 - 0.5 + 0 + 0.5) / 4
    assert agreement["always_no"] == 2 / 4
    assert agreement["always_yes"] == 1 / 4
    assert agreement["over_no"] == 1 / 4 - 2 / 4


def test_the_interval_of_a_bias_has_no_width_if_errors_cancel_within_every_paper() -> None:
    """Each paper has one status too high and one too low: the bias varies only within papers."""
    judged = []
    for paper in "abcdef":
        judged += [(paper, "YES", "NO"), (paper, "NO", "YES")]

    agreement = _criterion_agreement(rows(*judged), CONFIDENCE_LEVEL)

    assert (agreement["bias_low"], agreement["bias_high"]) == (0, 0)


def test_intervals_are_over_whole_papers() -> None:
    """Two papers have the bias 1 and four 0: the bias is 1/3, the share of exact criteria 2/3."""
    judged = rows(
        ("a", "YES", "NO"),
        ("b", "YES", "NO"),
        ("c", "NO", "NO"),
        ("d", "NO", "NO"),
        ("e", "NO", "NO"),
        ("f", "NO", "NO"),
    )

    agreement = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    # The deviations from 1/3 are 2/3 twice and -1/3 four times; their squares sum to 12/9. Each
    # paper has a sixth of the criteria: the standard error is sqrt(6/5 * 12/9 / 36) = sqrt(2/45),
    # with 5 degrees of freedom.
    error = (2 / 45) ** 0.5
    assert [agreement["bias_low"], agreement["bias_high"]] == pytest.approx(
        [1 / 3 - T_975 * error, 1 / 3 + T_975 * error]
    )
    # NO throughout is always right. The lead over it, 2/3 - 1 = -1/3, has the same standard error.
    assert agreement["over_no_detectable"] == pytest.approx((T_975 + T_80) * error)
    # The interval of the exact share is Clopper and Pearson's, which stays within 0 and 1. Its n is
    # such that a binomial share has the variance 2/45: 2/3 * 1/3 / n = 2/45, so n = 5, of which
    # 10/3 are successes and 5/3 are failures. Below the lower end the distribution Beta(successes,
    # failures + 1) has 2.5%, and below the upper end Beta(successes + 1, failures) has 97.5%.
    below_low = betainc(10 / 3, 8 / 3, agreement["exact_low"])
    below_high = betainc(13 / 3, 5 / 3, agreement["exact_high"])
    assert (below_low, below_high) == pytest.approx((0.025, 0.975))


def test_fewer_than_six_papers_have_no_interval() -> None:
    judged = rows(("a", "YES", "NO"), ("b", "NO", "NO"), ("c", "NO", "NO"))

    agreement = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    assert agreement["bias"] == pytest.approx(1 / 3)
    for name in ("bias_low", "exact_high", "over_no_detectable"):
        assert agreement[name] is None


def test_without_statuses_agreement_is_undefined() -> None:
    unscored = rows(("a", None, "NO"), ("a", None, "NO"))

    agreement = _criterion_agreement(unscored, CONFIDENCE_LEVEL)

    assert agreement["n"] == 0
    assert agreement["unscored"] == 1.0
    assert agreement["exact"] is None
    assert agreement["bias"] is None
    assert _criterion_agreement(rows(), CONFIDENCE_LEVEL)["unscored"] is None
