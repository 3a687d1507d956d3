"""Whether score intervals hold what they say, on judges whose mistakes are simulated."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.score_intervals import JUDGES, TRIAL_PAPERS, TRIAL_SEED, counted_statuses, covered, report
from mechaware.claims.planting.plan import plan_papers
from mechaware.claims.rubric.criteria import TIERS
from mechaware.claims.trust.planted.papers import plan_trial_papers

DOCUMENTS = Path(__file__).resolve().parents[4] / "docs"
MEASURED = DOCUMENTS / "measured/score_interval_coverage.csv"
NOISE = DOCUMENTS / "measured/noisy_judges.csv"


def test_simulated_judges_make_the_mistakes_that_they_are_named_for() -> None:
    truth = np.arange(3).repeat(20_000)
    for name, share in (("90% right", 0.9), ("65% right", 0.65)):
        (rates,) = JUDGES[name]
        assert (report(rates, truth, np.random.default_rng(1)) == truth).mean() == pytest.approx(share, abs=0.01)
    for name, sign in (("generous", 1), ("strict", -1)):
        (rates,) = JUDGES[name]
        assert sign * (report(rates, truth, np.random.default_rng(1)) - truth).mean() > 0.2


@pytest.mark.gate
def test_intervals_of_a_poor_judge_cover_nine_in_ten_scores() -> None:
    """Of 60 intervals that cover 95%, fewer than 51 cover with a probability below 0.001."""
    counted = np.array(list(counted_statuses(plan_trial_papers(TRIAL_PAPERS, TRIAL_SEED))))
    papers = [paper for seed in (861, 862, 863) for paper in plan_papers(20, seed)]
    found = covered(papers, JUDGES["65% right"], counted, np.random.default_rng(2), 200)
    assert found["covered"].sum() >= 51


def test_the_documents_state_the_measured_coverage() -> None:
    rows = pd.read_csv(MEASURED)
    overall = rows[rows["tier"] == "all"].set_index("judge")
    text = " ".join((DOCUMENTS / "bring-your-own.md").read_text().split())
    steady = overall.drop(index="uneven")["coverage"]
    assert f"{steady.min():.1%} or more of the scores" in text
    assert f"{rows.loc[rows['judge'] != 'uneven', 'coverage'].min():.0%} or more in every tier" in text
    assert f"{overall.loc['uneven', 'coverage']:.0%} of the scores" in text
    assert f"{rows.loc[rows['judge'] == 'uneven', 'coverage'].min():.0%} in the highest tier" in text
    assert rows.loc[rows["judge"] == "uneven"].nsmallest(1, "coverage")["tier"].item() == TIERS[-1].name
    assert f"{overall.loc['65% right', 'width']:.0f} points of 10" in text


def test_the_documents_state_the_measured_trust_in_noisy_judges() -> None:
    found = pd.read_csv(NOISE).groupby(["wrong", "stage"])["trusted"].agg(["min", "max"])
    text = " ".join((DOCUMENTS / "bring-your-own.md").read_text().split())
    one, least, median = (span(found.loc[(0.05, stage)]) for stage in ("single", "minimum", "median"))
    said = f"5% of its statuses is trusted on {one} of 27 criteria by one run, on {least} after the minimum vote "
    assert f"{said}and on {median} after the median vote of three runs" in text
    one, least, median = (span(found.loc[(0.1, stage)]) for stage in ("single", "minimum", "median"))
    assert f"with 10% on {one}, {least} and {median}." in text


def span(ends: pd.Series) -> str:
    return f"{ends['min']}" if ends["min"] == ends["max"] else f"{ends['min']} to {ends['max']}"
