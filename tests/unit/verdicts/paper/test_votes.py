"""What a page prints of the vote: both scores from the stored votes, and which vote suits a judge."""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.schemas import PLANTED
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.paper.votes import (
    NOT_MEASURED,
    advise_vote,
    scores_by_vote,
    vote_advice,
)
from tests.unit.instruments.claims.claims_by_hand import claim, run

MEASURED = Path(__file__).resolve().parents[4] / "docs/measured/claims_planted.csv"
# C1 alone gives construct 1: 1.5 of 18.
FALSIFIABLE = 10 * 1.5 / 18


def stated(status: str | None) -> Claim:
    """The paper's claim with `status` on C1, and NO on the others."""
    return claim("The circuit moves the number to the verb", ["1.1"], {"C1": status}, system=True)


@pytest.mark.parametrize("rule", ["minimum", "median"])
def test_both_scores_follow_from_the_stored_votes_whichever_rule_voted(rule) -> None:
    runs = [run(number, stated(status)) for number, status in enumerate(("YES", "NO", "YES"))]
    voted = vote(runs, least_similarity=0.5, rule=rule)
    assert scores_by_vote(voted) == pytest.approx({"minimum": 0.0, "median": FALSIFIABLE})
    assert voted.rule == rule
    assert voted.claims[0].criteria["C1"].status == {"minimum": "NO", "median": "YES"}[rule]


def rates(up: float, down: float, low: float | None, high: float | None) -> dict:
    return {"raised": up, "lowered": down, "lowered_low": low, "lowered_high": high}


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        # A hundredth of 20% is 0.2%.
        (rates(0.2, 0.0008, 0.0002, 0.0019), "the minimum suits this judge"),
        (rates(0.2, 0.0008, 0.0002, 0.002), "the minimum suits this judge"),
        (rates(0.2, 0.0008, 0.0002, 0.0021), "the median is the safer vote"),
        (rates(0.2, 0.03, 0.0021, 0.06), "use the median"),
        (rates(0.2, 0.004, float("nan"), float("nan")), "use the median"),
    ],
)
def test_the_advice_compares_errors_downwards_with_a_hundredth_of_those_upwards(
    row, advice
) -> None:
    assert advise_vote(row).startswith(advice)
    assert "20.0% of the planted statuses below YES too high" in advise_vote(row)


def test_a_judge_that_is_not_measured_is_advised_to_take_the_median() -> None:
    assert advise_vote(None) == NOT_MEASURED
    assert advise_vote(rates(float("nan"), float("nan"), None, None)) == NOT_MEASURED


def test_the_measured_small_model_errs_downwards() -> None:
    table = read_csv(MEASURED, PLANTED)
    rows = table[(table["judge"] == "smollm2") & (table["stage"] == "single")]
    assert advise_vote(rows.to_dict("records")[0]).startswith(
        "use the median: single runs call 14.3%"
    )


def test_the_last_table_that_has_the_rates_counts() -> None:
    row = {"judge": "mine", "stage": "single", "criterion": ""}
    first = pd.DataFrame([row | rates(0.2, 0.03, 0.011, 0.06)])
    second = pd.DataFrame([row | rates(0.2, 0.0008, 0.0002, 0.0019)])
    after_the_vote = pd.DataFrame([row | {"stage": "voted"} | rates(0.2, 0.03, 0.011, 0.06)])
    without_rates = pd.DataFrame([row | {"exact": 0.9}])
    tables = [first, pd.concat([second, after_the_vote]), without_rates]
    advice = vote_advice(["mine", "new"], tables)
    assert advice["mine"].startswith("the minimum suits")
    assert advice["new"] == NOT_MEASURED
