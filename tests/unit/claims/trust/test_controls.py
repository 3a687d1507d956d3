"""Judges of known trust: the ceiling proves that the edits say what is planned, the floors that not reading fails."""

from functools import cache

import pandas as pd
import pytest

from mechaware.claims.planting.records import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.study.trust import trust_summary
from mechaware.claims.trust.controls import floors, key_of
from mechaware.claims.trust.papers import plan_trial_papers
from mechaware.claims.trust.responses import locality, responses, sensitivity, sign_test
from mechaware.claims.trust.trials import Trial, judge_trial, planted_trial, shortened

PAPERS: list[PlantedPaper] = plan_trial_papers(3, 17)
TRIALS: list[Trial] = [planted_trial(paper) for paper in PAPERS]


CONTROLS = {control.name: control for control in [key_of(PAPERS), *floors(5)]}


@cache
def judged(name: str) -> pd.DataFrame:
    rows = pd.DataFrame([row for trial in TRIALS for row in judge_trial(CONTROLS[name], trial, 1)])
    return rows.assign(judge=name)


@cache
def moves_of(name: str) -> pd.DataFrame:
    return responses(judged(name))


def at(name: str, stage: str = "single") -> pd.DataFrame:
    return moves_of(name)[moves_of(name)["stage"] == stage]


@cache
def summary() -> pd.DataFrame:
    every = pd.concat([judged(name) for name in CONTROLS])
    return trust_summary(every, level=0.95, least_sensitivity=0.2, least_locality=0.8)


@pytest.mark.parametrize("stage", ["single", "minimum", "median"])
def test_a_judge_that_knows_the_key_moves_every_target_and_nothing_else(stage: str) -> None:
    moves = at("key of the plan", stage)
    assert sensitivity(moves, 0.95).share == 1
    assert locality(moves, 0.95).share == 1
    targets = sum(
        text.count("f") + text.count("r") for trial in TRIALS for v in trial.edits for text in v.expected.values()
    )
    assert sensitivity(moves, 0.95).n == targets > 100
    assert sign_test(moves)[:2] == (6, 0)  # two claims of three papers


def test_a_constant_judge_moves_nothing_so_that_its_locality_alone_is_perfect() -> None:
    for name in ("always NO", "always YES"):
        moves = at(name)
        assert sensitivity(moves, 0.95)[1:3] == (0, 0.0)
        assert locality(moves, 0.95).share == 1
        assert sign_test(moves) == (0, 0, None)


def test_a_random_judge_moves_half_of_its_targets_and_two_thirds_of_the_others() -> None:
    """Of uniform statuses above the bottom one, 1/2 * 1/3 + 1/2 * 2/3 fall; a third stays."""
    moves = at("at random")
    assert sensitivity(moves, 0.95).share == pytest.approx(1 / 2, abs=0.15)  # 3 standard errors of about 100
    assert locality(moves, 0.95).share == pytest.approx(1 / 3, abs=0.03)


def test_a_judge_by_length_is_caught_by_locality() -> None:
    moves = at("by length of text")
    assert locality(moves, 0.95).share < 0.6


def test_a_trusted_criterion_needs_both_bounds() -> None:
    trusted = summary()[summary()["stage"] == "minimum"].set_index("judge")["trusted"]
    assert trusted["key of the plan"] > 20
    assert trusted.drop("key of the plan").tolist() == [0, 0, 0, 0]


def test_evidence_moved_to_the_circuit_is_credited_by_a_judge_that_does_not_read() -> None:
    leaks = summary()[summary()["stage"] == "single"].set_index("judge")[["leaks", "leaked", "audited"]].astype(int)
    moved = sum(variant.edit == "circuit" for trial in TRIALS for variant in trial.edits)
    assert leaks.loc["key of the plan"].tolist() == [moved, 0, 0]
    assert leaks.loc["always YES"].tolist() == [moved, moved, moved]


def test_a_shortened_trial_has_the_first_claim_and_a_few_of_its_edits() -> None:
    short = shortened(TRIALS[0], 5, 1)
    assert len(short.edits) == 5
    assert all(list(variant.claims) == [0] for variant in [short.base, *short.edits])
    assert shortened(TRIALS[0], 5, 1) == short
    rows = list(judge_trial(key_of(PAPERS[:1]), short, 2))
    assert len([row for row in rows if row["run"] != "audited"]) == 2 * 6
    assert all(row["statuses"] == row["truth"] for row in rows)
    assert all(len(str(row["statuses"])) == len(CRITERIA) for row in rows)
