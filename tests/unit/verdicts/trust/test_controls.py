"""The truth responds to every edit and no floor is trusted; what a judge is asked, and what that costs."""

from functools import cache
from typing import Any
from unittest.mock import Mock, patch

import pandas as pd
import pytest

from exhibits.claims.tables import claims_trust
from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Fault, Judgement, PaperText, Run, Usage
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.trust import trials
from mechaware.verdicts.trust.papers import plan_trial_papers
from mechaware.verdicts.trust.responses import judged_statuses, responses, sensitivity, stability
from mechaware.verdicts.trust.trials import (
    CEILING,
    FLOOR,
    Trial,
    answer_trial,
    controls,
    judge_trial,
    plan_trials,
    planted_trial,
)
from mechaware.verdicts.trust.verdicts import Limits, trust_summary

PAPERS: list[PlantedPaper] = plan_trial_papers(12, 31)
CONFIDENCE_LEVEL = 0.95
LIMITS = Limits(0.5, 0.9, 0.5)
ABOUT = trials._about("trust", "A text.")


@cache
def all_trials() -> list[Trial]:
    # Controls do not read the record of a text, which takes a second a paper to make.
    with patch.object(trials, "_about", return_value=ABOUT):
        return [planted_trial(paper) for paper in PAPERS]


@cache
def answers() -> pd.DataFrame:
    rows = []
    for name, answer in controls(5).items():
        for trial in all_trials():
            rows += [row | {"judge": name} for row in answer_trial(answer, trial)]
    return pd.DataFrame(rows)


def moves_of(name: str) -> pd.DataFrame:
    rows = answers()
    return responses(judged_statuses(rows[rows["judge"] == name]))


@cache
def summaries() -> pd.DataFrame:
    return trust_summary(answers(), LIMITS, CONFIDENCE_LEVEL)


def summary() -> dict[str, Any]:
    return {row["judge"]: row for row in summaries().to_dict("records")}


def test_the_truth_moves_every_target_and_nothing_else() -> None:
    moves = moves_of(CEILING)
    planned = 0
    for trial in all_trials():
        for edit in trial.edits:
            for expected in edit.expected.values():
                planned += expected.count("f") + expected.count("r")
    assert planned > 600
    assert sensitivity(moves, CONFIDENCE_LEVEL)[:3] == (planned, planned, 1)
    assert stability(moves, CONFIDENCE_LEVEL).share == 1


def test_every_text_is_judged_on_both_claims_and_the_other_claim_should_stay() -> None:
    for trial in all_trials():
        for variant in trial.edits:
            assert list(variant.claims) == [0, 1]
            if variant.edited is not None:
                assert variant.expected[1 - variant.edited] == "." * len(CRITERIA)
                # A contradicted claim may also lose V3, C5 and V4.
                n_may_move = 4 if variant.edit == "negated" else 1
                n_should_stay = len(CRITERIA) - n_may_move
                assert variant.expected[variant.edited].count(".") == n_should_stay


def test_a_constant_judge_moves_nothing_so_that_its_locality_alone_is_perfect() -> None:
    row = summary()[FLOOR]
    assert (row["moved"], row["stayed"], row["hard"]) == (0, 1, 0)
    assert row["could"] == row["moved_n"]


def test_a_random_judge_moves_a_third_of_its_targets_and_two_thirds_of_the_others() -> None:
    """Of two uniform statuses the second is lower with 1/3: means of five seeds of 380 targets."""
    row = summary()["at random"]
    assert row["moved"] == pytest.approx(1 / 3, abs=0.04)  # 3 standard errors of about 1900
    assert row["stayed"] == pytest.approx(1 / 3, abs=0.02)
    assert row["right"] == pytest.approx(1 / 3, abs=0.04)
    alone = [
        sensitivity(moves_of(f"at random, seed {number}"), CONFIDENCE_LEVEL).share or 0
        for number in range(5)
    ]
    assert row["moved"] == pytest.approx(sum(alone) / 5)


def test_the_truth_is_trusted_on_every_criterion_with_claims_enough_and_no_floor_on_any() -> None:
    """Six claims are the fewest whose lower bound can be above one half; every criterion has them here."""
    verdicts = {name: (row["trusted"], row["tested"]) for name, row in summary().items()}
    assert verdicts == {CEILING: (27, 27), FLOOR: (0, 27), "at random": (0, 27)}


def test_the_table_shows_a_verdict_as_counts_and_what_could_move() -> None:
    limits = {"least_sensitivity": 0.5, "least_locality": 0.9, "least_right": 0.5}
    with patch.object(claims_trust, "trust_summary", return_value=summaries()):
        table = claims_trust.fill(
            trials=answers(), judge_labels={}, confidence_level=CONFIDENCE_LEVEL, **limits
        ).shown
    assert table["Trusted criteria"].tolist() == ["27 of 27", "0 of 27", "0 of 27"]
    planned = sensitivity(moves_of(CEILING), CONFIDENCE_LEVEL).n
    assert table["Could move"].iloc[0] == f"{planned} of {planned}"


# A judge


def reader(fault: Fault | None = None) -> Mock:
    """A judge with NO throughout in its first run and PARTIAL in its second; with a fault it has no claims."""

    def judge_claims(_text: str, about: PaperText, claims: Any, run: int) -> Run:
        criteria = {code: Judgement(status=("NO", "PARTIAL")[run]) for code in CRITERIA}
        judged = (
            [] if fault else [claim.model_copy(update={"criteria": criteria}) for claim in claims]
        )
        return Run(
            judge="reader", paper=about.paper, run=run, claims=judged, usage=Usage(), fault=fault
        )

    judge = Mock(spec=Judge)
    judge.judge_claims = judge_claims
    return judge


def test_each_text_is_judged_once_and_the_unedited_one_twice() -> None:
    (trial,) = plan_trials(12, edits=3, seed=1)
    rows = pd.DataFrame(judge_trial(reader(), trial))
    assert rows["edit"].tolist()[:2] == ["base", "again"]
    assert rows["statuses"].tolist() == ["N" * 27, "P" * 27, "N" * 27, "N" * 27, "N" * 27]


def test_the_statuses_of_a_text_that_a_judge_cannot_read_are_missing() -> None:
    (trial,) = plan_trials(12, edits=1, seed=1)
    rows = pd.DataFrame(judge_trial(reader(Fault(kind="too long", message="too long")), trial))
    assert set(rows["statuses"]) == {"?" * 27}


def test_a_few_edits_are_those_of_the_first_claim() -> None:
    (short,) = plan_trials(12, edits=5, seed=1)
    assert len(short.edits) == 5
    assert all(list(variant.claims) == [0] for variant in [short.base, *short.edits])
    assert all(variant.edited in (0, None) for variant in short.edits)
    assert plan_trials(12, edits=5, seed=1) == [short]
