"""What a page shows of the vote: the score by either vote, and which vote suits a judge."""

import math
from pathlib import Path

import pandas as pd
import pytest

from exhibits.claims.schemas import PLANTED
from mechaware.core.frames import read_csv
from mechaware.instruments.claims.rubric.records import Claim, VoteRule
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
    """A claim about the whole mechanism with `status` on C1, and NO on the other criteria."""
    return claim("The circuit moves the number to the verb", ["1.1"], {"C1": status}, system=True)


@pytest.mark.parametrize("rule", ["minimum", "median"])
def test_both_scores_follow_from_the_stored_votes_whichever_rule_voted(rule: VoteRule) -> None:
    runs = [run(number, stated(status)) for number, status in enumerate(("YES", "NO", "YES"))]

    voted = vote(runs, least_similarity=0.5, rule=rule)
    assert scores_by_vote(voted) == pytest.approx({"minimum": 0.0, "median": FALSIFIABLE})
    assert voted.rule == rule
    assert voted.claims[0].criteria["C1"].status == {"minimum": "NO", "median": "YES"}[rule]


def rates(*, lowered: float, low: float, high: float, raised: float = 0.2) -> dict[str, float]:
    """The rates of a row of claims_planted; `low` and `high` are the interval of `lowered`."""
    return {"raised": raised, "lowered": lowered, "lowered_low": low, "lowered_high": high}


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        # The limit is a hundredth of `raised`: 0.01 * 0.2 = 0.002.
        pytest.param(
            rates(lowered=0.0008, low=0.0002, high=0.0019),
            "the minimum suits this judge",
            id="interval below the limit",
        ),
        pytest.param(
            rates(lowered=0.0008, low=0.0002, high=0.002),
            "the minimum suits this judge",
            id="interval ends at the limit",
        ),
        pytest.param(
            rates(lowered=0.0008, low=0.0002, high=0.0021),
            "the median is the safer vote",
            id="interval contains the limit",
        ),
        pytest.param(
            rates(lowered=0.03, low=0.0021, high=0.06),
            "use the median",
            id="interval above the limit",
        ),
        pytest.param(
            rates(lowered=0.004, low=math.nan, high=math.nan), "use the median", id="no interval"
        ),
    ],
)
def test_the_advice_compares_errors_downwards_with_a_hundredth_of_those_upwards(
    row: dict[str, float], advice: str
) -> None:
    assert advise_vote(row).startswith(advice)
    assert "20.0% of the planted statuses below YES too high" in advise_vote(row)


def test_a_judge_that_is_not_measured_is_advised_to_take_the_median() -> None:
    assert advise_vote(None) == NOT_MEASURED
    unmeasured = rates(raised=math.nan, lowered=math.nan, low=math.nan, high=math.nan)
    assert advise_vote(unmeasured) == NOT_MEASURED


def test_the_measured_small_model_errs_downwards() -> None:
    table = read_csv(MEASURED, PLANTED)

    rows = table[(table["judge"] == "smollm2") & (table["stage"] == "single")]
    assert advise_vote(rows.to_dict("records")[0]).startswith(
        "use the median: single runs call 14.3%"
    )


def test_the_last_table_that_has_the_rates_counts() -> None:
    row = {"judge": "mine", "stage": "single", "criterion": ""}
    for_the_median = row | rates(lowered=0.03, low=0.011, high=0.06)
    for_the_minimum = row | rates(lowered=0.0008, low=0.0002, high=0.0019)
    first = pd.DataFrame([for_the_median])
    # Rates after the vote do not count.
    second = pd.DataFrame([for_the_minimum, for_the_median | {"stage": "voted"}])
    without_rates = pd.DataFrame([row | {"exact": 0.9}])
    tables = [first, second, without_rates]

    advice = vote_advice(["mine", "new"], tables)
    assert advice["mine"].startswith("the minimum suits")
    assert advice["new"] == NOT_MEASURED
