"""The truth responds to every edit and no floor is trusted."""

from functools import cache
from typing import Any
from unittest.mock import patch

import pandas as pd
import pytest

from exhibits.claims.tables import claims_trust
from mechaware.planted.papers.plan import PlantedPaper
from mechaware.verdicts.trust import trials
from mechaware.verdicts.trust.controls import CEILING, FLOOR, controls
from mechaware.verdicts.trust.papers import plan_trial_papers
from mechaware.verdicts.trust.responses import judged_statuses, responses, sensitivity, stability
from mechaware.verdicts.trust.trials import Trial, answer_trial, planted_trial
from mechaware.verdicts.trust.verdicts import Limits, trust_summary

PAPERS: list[PlantedPaper] = plan_trial_papers(12, 31)
CONFIDENCE_LEVEL = 0.95
LIMITS = Limits(0.5, 0.9, 0.5)
ABOUT = trials._about("trust", "A text.")


@cache
def all_trials() -> list[Trial]:
    # Making the record of a text (`_about`) takes a second for each paper, and no control reads it.
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
    moved = sensitivity(moves, CONFIDENCE_LEVEL)
    assert (moved.n, moved.k, moved.share) == (planned, planned, 1)
    assert stability(moves, CONFIDENCE_LEVEL).share == 1


def test_a_constant_judge_moves_nothing_so_that_its_locality_alone_is_perfect() -> None:
    row = summary()[FLOOR]
    assert (row["moved"], row["stayed"], row["hard"]) == (0, 1, 0)
    assert row["could"] == row["moved_n"]


def test_a_random_judge_moves_a_third_of_its_targets_and_two_thirds_of_the_others() -> None:
    """Of two uniform statuses the second is lower with 3/9, higher with 3/9 and equal with 3/9.

    Five seeds with more than 600 targets each: the share moved has a standard error of at most
    sqrt(1/3 * 2/3 / 3000) = 0.009.
    """
    row = summary()["at random"]
    assert row["moved"] == pytest.approx(1 / 3, abs=0.03)
    assert row["stayed"] == pytest.approx(1 / 3, abs=0.02)
    assert row["right"] == pytest.approx(1 / 3, abs=0.04)
    alone = [
        sensitivity(moves_of(f"at random, seed {number}"), CONFIDENCE_LEVEL).share or 0
        for number in range(5)
    ]
    assert row["moved"] == pytest.approx(sum(alone) / 5)


def test_the_truth_is_trusted_on_every_criterion_with_claims_enough_and_no_floor_on_any() -> None:
    """Six claims are the fewest whose lower bound can exceed one half; all criteria have six."""
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


def test_a_share_on_which_all_papers_agree_is_shown_without_an_interval() -> None:
    """The truth moves every target and the constant judge none; a random judge's papers differ."""
    limits = {"least_sensitivity": 0.5, "least_locality": 0.9, "least_right": 0.5}
    with patch.object(claims_trust, "trust_summary", return_value=summaries()):
        table = claims_trust.fill(
            trials=answers(), judge_labels={}, confidence_level=CONFIDENCE_LEVEL, **limits
        ).shown
    truth, constant, at_random = table["Moved as expected, %"]
    assert (truth, constant) == ("100.0", "0.0")
    assert " to " in at_random


def test_a_number_of_criteria_that_is_a_mean_over_seeds_has_a_decimal() -> None:
    limits = {"least_sensitivity": 0.5, "least_locality": 0.9, "least_right": 0.5}
    means = summaries().head(1).assign(trusted=2.4, tested=27.0)
    with patch.object(claims_trust, "trust_summary", return_value=means):
        table = claims_trust.fill(
            trials=answers(), judge_labels={}, confidence_level=CONFIDENCE_LEVEL, **limits
        ).shown
    assert table["Trusted criteria"].tolist() == ["2.4 of 27"]
