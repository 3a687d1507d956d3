"""Error rates of a judge on planted papers, the difference they could show, and scores corrected for them, by hand."""

from math import hypot, nan, sqrt

import pandas as pd
import pytest
from scipy.special import betainc

from mechaware.core.stats import clopper_pearson
from mechaware.planted.papers.correction import corrected_share
from mechaware.planted.papers.judged import _criterion_agreement, error_rates

CONFIDENCE_LEVEL = 0.95
# Quantiles of t with 5 degrees of freedom, from a table.
T_975 = 2.570582
T_80 = 0.919544


def rows(*judged: tuple[str, str | None, str], leak: tuple[bool, ...] = ()) -> pd.DataFrame:
    """Judged criteria, each of a claim of its own: paper, status, truth."""
    table = pd.DataFrame(list(judged), columns=["paper", "status", "truth"])
    return table.assign(
        leak=list(leak) or [False] * len(table), claim=range(len(table)), criterion="I2"
    )


# In each of six papers one YES and one NO is planted: three YES are found, and the sixth paper's NO is called YES.
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


def test_a_rate_counts_the_statuses_that_could_be_wrong_so() -> None:
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
    found = error_rates(judged, confidence_level=CONFIDENCE_LEVEL)
    # 1 of 2 planted YES; of the 5 others 2 are called YES, 1 of the 3 NO among them and 1 PARTIAL.
    names = ("sensitivity", "specificity", "false_yes", "wrong_yes")

    assert [found[name] for name in names] == pytest.approx([1 / 2, 3 / 5, 1 / 3, 2 / 3])
    assert [found[f"{name}_n"] for name in names] == [2, 5, 3, 3]
    # Of the 5 planted below YES, a PARTIAL and 2 NO are called higher; of the 4 above NO, a YES and a PARTIAL lower.
    assert (found["raised"], found["raised_n"]) == (pytest.approx(3 / 5), 5)
    assert (found["lowered"], found["lowered_n"]) == (pytest.approx(2 / 4), 4)
    assert (found["wrong"], found["wrong_partial"]) == (2, 1)
    assert found["informedness"] == pytest.approx(1 / 2 + 3 / 5 - 1)
    # 3 papers.
    assert (found["false_leak"], found["sensitivity_low"], found["informedness_low"]) == (
        None,
        None,
        None,
    )


def test_partial_is_a_false_leak_and_a_status_that_is_missing_is_none() -> None:
    judged = [("a", status, "NO") for status in ("YES", "PARTIAL", "NO", None, "YES")]
    found = error_rates(
        rows(*judged, leak=(True, True, True, True, False)), confidence_level=CONFIDENCE_LEVEL
    )

    assert (found["false_leak"], found["false_leak_n"], found["leaked"]) == (
        pytest.approx(2 / 3),
        3,
        2,
    )


def test_informedness_has_an_interval_over_papers() -> None:
    found = error_rates(SIX, confidence_level=CONFIDENCE_LEVEL)
    # Sensitivity 1/2 less 1/6. A paper's residual is (found - 1/2)/6 - (called - 1/6)/6: 1/9 three times, -1/18 twice,
    # -2/9. Their squares sum to 30/324, so that the standard error is sqrt(6/5 * 30/324) = 1/3.
    names = ("informedness", "informedness_low", "informedness_high")
    expected = [1 / 3, 1 / 3 - T_975 / 3, 1 / 3 + T_975 / 3]

    assert [found[name] for name in names] == pytest.approx(expected, abs=1e-6)


def test_single_runs_that_repeat_each_other_do_not_narrow_an_interval() -> None:
    """One of three YES is found in each of six papers: without variance over papers, the interval of 6 of 18."""
    judged = []
    for paper in "abcdef":
        judged += [(paper, "YES", "YES"), (paper, "NO", "YES"), (paper, "NO", "YES")]
    one_run = rows(*judged)

    for n_runs in (1, 3):
        found = error_rates(pd.concat([one_run] * n_runs), confidence_level=CONFIDENCE_LEVEL)
        interval = (found["sensitivity_low"], found["sensitivity_high"])
        assert interval == pytest.approx(clopper_pearson(6, 18))


@pytest.mark.parametrize(("status", "sensitivity", "specificity"), [("NO", 0, 1), ("YES", 1, 0)])
def test_the_same_answer_throughout_is_not_informed(
    status: str, sensitivity: int, specificity: int
) -> None:
    found = error_rates(SIX.assign(status=status), confidence_level=CONFIDENCE_LEVEL)
    assert (found["sensitivity"], found["specificity"], found["informedness"]) == (
        sensitivity,
        specificity,
        0,
    )
    assert corrected_share(0.5, 27, found, confidence_level=CONFIDENCE_LEVEL) is None


@pytest.mark.parametrize("truth", ["YES", "NO"])
def test_what_was_not_planted_is_not_tested(truth: str) -> None:
    found = error_rates(SIX[SIX["truth"] == truth], confidence_level=CONFIDENCE_LEVEL)
    untested = ("specificity", "false_yes") if truth == "YES" else ("sensitivity",)

    assert [found[name] for name in (*untested, "informedness")] == [None] * (len(untested) + 1)


RATES = {"informedness": 0.7, "informedness_low": 0.5}
RATES |= {"sensitivity": 0.8, "sensitivity_low": 0.7, "sensitivity_high": 0.9}
RATES |= {"specificity": 0.9, "specificity_low": 0.85, "specificity_high": 0.95}


def test_a_share_of_yes_is_corrected_by_rogan_and_gladen() -> None:
    found = corrected_share(0.31, 100, RATES, confidence_level=CONFIDENCE_LEVEL)
    # (0.31 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.3. Of the criteria 0.3 are true, and the sensitivity, of half-width 0.1,
    # concerns these alone; the specificity, of half-width 0.05, concerns the other 0.7.
    of_sensitivity = 0.3 * 0.1
    of_specificity = 0.7 * 0.05
    reach = hypot(1.959964 * sqrt(0.31 * 0.69 / 100), of_sensitivity, of_specificity) / 0.7

    assert found == pytest.approx((0.3, 0.3 - reach, 0.3 + reach), abs=1e-6)


@pytest.mark.parametrize(("share", "value", "end"), [(0.114, 0.02, "low"), (0.786, 0.98, "high")])
def test_the_interval_of_a_corrected_share_stays_within_0_and_1(
    share: float, value: float, end: str
) -> None:
    found = corrected_share(share, 100, RATES, confidence_level=CONFIDENCE_LEVEL)
    assert found is not None
    assert (found.value, getattr(found, end)) == (pytest.approx(value), round(value))


# Below 0.1, 1 - specificity, and above 0.8, the sensitivity, no true share fits. Of 25 criteria, 0.45 has 0.5 +- 0.29.
@pytest.mark.parametrize(("share", "n"), [(0.05, 100), (0.95, 100), (0.45, 25)])
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
    assert (
        corrected_share(0.5, 27, RATES | {f"{name}_low": low}, confidence_level=CONFIDENCE_LEVEL)
        is None
    )


def test_criteria_are_compared_on_the_scale_0_half_1() -> None:
    # Errors +1, -0.5, 0, +0.5 of four scored, one unscored.
    judged = rows(
        ("a", "YES", "NO"),
        ("a", "NO", "PARTIAL"),
        ("b", "YES", "YES"),
        ("b", "PARTIAL", "NO"),
        ("b", None, "YES"),
    )
    found = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    assert found["n"] == 4
    assert found["unscored"] == pytest.approx(1 / 5)
    assert found["exact"] == 1 / 4
    assert found["bias"] == (1 - 0.5 + 0 + 0.5) / 4
    assert found["always_no"] == 2 / 4
    assert found["always_yes"] == 1 / 4
    assert found["over_no"] == 1 / 4 - 2 / 4


def test_errors_that_cancel_within_every_paper_leave_no_width() -> None:
    """Each paper has one status too high and one too low: the bias varies between rows and not between papers."""
    judged = []
    for paper in "abcdef":
        judged += [(paper, "YES", "NO"), (paper, "NO", "YES")]

    found = _criterion_agreement(rows(*judged), CONFIDENCE_LEVEL)

    assert (found["bias_low"], found["bias_high"]) == (0, 0)


def test_intervals_are_over_whole_papers() -> None:
    """Two papers of bias 1 and four of 0, so that the bias is 1/3 and the share of exact criteria 2/3."""
    judged = rows(
        ("a", "YES", "NO"),
        ("b", "YES", "NO"),
        ("c", "NO", "NO"),
        ("d", "NO", "NO"),
        ("e", "NO", "NO"),
        ("f", "NO", "NO"),
    )

    found = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    # The deviations from 1/3 are 2/3 twice and -1/3 four times; their squares sum to 12/9. Each paper has a sixth of
    # the criteria: the standard error is sqrt(6/5 * 12/9 / 36) = sqrt(2/45), with 5 degrees of freedom.
    error = (2 / 45) ** 0.5
    assert [found["bias_low"], found["bias_high"]] == pytest.approx(
        [1 / 3 - T_975 * error, 1 / 3 + T_975 * error]
    )
    # NO throughout is always right; the lead of -1/3 has the same error.
    assert found["over_no_detectable"] == pytest.approx((T_975 + T_80) * error)
    # A share stays within 0 and 1: it counts as 2/3 of n, where its variance 2/45 is that of a binomial share,
    # 2/3 * 1/3 / n: of n = 5. Clopper and Pearson's ends of 10/3 of 5.
    tails = (
        betainc(10 / 3, 8 / 3, found["exact_low"]),
        betainc(13 / 3, 5 / 3, found["exact_high"]),
    )
    assert tails == pytest.approx((0.025, 0.975))


def test_fewer_than_six_papers_have_no_interval() -> None:
    judged = rows(("a", "YES", "NO"), ("b", "NO", "NO"), ("c", "NO", "NO"))

    found = _criterion_agreement(judged, CONFIDENCE_LEVEL)

    assert found["bias"] == pytest.approx(1 / 3)
    for name in ("bias_low", "exact_high", "over_no_detectable"):
        assert found[name] is None


def test_unscored_criteria_agree_with_nothing() -> None:
    found = _criterion_agreement(rows(("a", None, "NO"), ("a", None, "NO")), CONFIDENCE_LEVEL)
    assert (found["n"], found["unscored"], found["exact"], found["bias"]) == (0, 1.0, None, None)
    assert _criterion_agreement(rows(), CONFIDENCE_LEVEL)["unscored"] is None
