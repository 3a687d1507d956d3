"""Votes over errors of known rates: the arithmetic by hand, and who wins where."""

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES, TIERS, tier_index
from mechaware.instruments.claims.rubric.scoring import cvs, tier
from mechaware.planted.papers.plan import plan_papers
from mechaware.planted.papers.vote_errors import (
    MAX_DOWNWARD,
    NO_PASS,
    Errors,
    LoweringPass,
    PlantedStatuses,
    break_even,
    compare_votes,
    draw_runs,
    lower_statuses,
    planted_statuses,
    scores_of,
    tiers_of,
    vote_over,
)

PAPERS = plan_papers(12, 5)
PLANTED = planted_statuses(PAPERS)
PLACE = {code: place for place, code in enumerate(CRITERIA)}


def generator() -> np.random.Generator:
    return np.random.default_rng(8)


def uniform(*ranks: int, system: tuple[bool, ...]) -> PlantedStatuses:
    """Claims of one paper, each with one rank on all criteria; its circuit is at YES, no leaks."""
    truth = np.repeat(np.array(ranks)[:, np.newaxis], len(CRITERIA), axis=1)
    return PlantedStatuses(
        truth=truth,
        offered=np.full_like(truth, 2),
        leaks=np.zeros(truth.shape, dtype=bool),
        system=np.array(system),
        paper=np.zeros(len(ranks), dtype=int),
    )


def test_scores_of_many_claims_are_those_of_the_rubric_one_by_one() -> None:
    # Half of the statuses are YES, so that high levels are reached.
    drawn = generator().choice([0, 1, 2, 2], size=(400, len(CRITERIA)))
    scores = []
    for ranks in drawn:
        statuses = {code: STATUSES[rank] for code, rank in zip(CRITERIA, ranks, strict=True)}
        scores.append(cvs(statuses))

    assert scores_of(drawn).tolist() == scores
    assert tiers_of(drawn).tolist() == [tier_index(tier(score).name) for score in scores]


def test_planted_claims_are_in_every_tier() -> None:
    assert set(tiers_of(PLANTED.truth)) == set(range(len(TIERS)))


def test_planted_statuses_are_those_of_the_papers() -> None:
    second = PAPERS[1]
    rows = np.flatnonzero(PLANTED.paper == 1)
    assert len(rows) == len(second.claims)
    assert PLANTED.system[rows].tolist() == [claim.system for claim in second.claims]
    for row, claim in zip(rows, second.claims, strict=True):
        assert [STATUSES[rank] for rank in PLANTED.truth[row]] == list(claim.levels.values())
        leaks = {code for code in CRITERIA if PLANTED.leaks[row, PLACE[code]]}
        assert leaks == set(claim.leaks)


def test_runs_err_at_the_given_rates_and_by_one_step() -> None:
    planted = uniform(*[0, 1, 2] * 400, system=(True,) * 1200)
    runs = draw_runs(planted, Errors(up=0.3, down=0.1), generator())
    steps = runs - planted.truth
    assert set(np.unique(steps)) == {-1, 0, 1}
    # 3 runs x 400 claims x 27 criteria = 32,400 statuses of each rank: the standard error is at
    # most sqrt(0.3 x 0.7 / 32,400) = 0.0025.
    for rank, (up, down) in enumerate([(0.3, 0), (0.3, 0.1), (0, 0.1)]):
        errors = steps[:, planted.truth[:, 0] == rank]
        assert (errors > 0).mean() == pytest.approx(up, abs=0.01)
        assert (errors < 0).mean() == pytest.approx(down, abs=0.01)


@pytest.mark.parametrize(("shared", "all_three"), [(0.0, 0.2**3), (0.5, 0.5 * 0.2 + 0.5 * 0.2**3)])
def test_shared_errors_are_of_all_runs_at_once(shared: float, all_three: float) -> None:
    planted = uniform(*[0] * 1200, system=(True,) * 1200)
    runs = draw_runs(planted, Errors(up=0.2, down=0.0, shared=shared), generator())
    assert (runs > 0).mean() == pytest.approx(0.2, abs=0.01)
    assert (runs > 0).all(axis=0).mean() == pytest.approx(all_three, abs=0.01)


def test_a_credited_leak_has_the_status_of_its_circuit() -> None:
    runs = draw_runs(PLANTED, Errors(up=0.0, down=0.0, leaked=1.0), generator())
    assert PLANTED.leaks.sum() > 10
    assert (runs[:, PLANTED.leaks] == PLANTED.offered[PLANTED.leaks]).all()
    assert (PLANTED.offered[PLANTED.leaks] > 0).all()
    assert (runs[:, ~PLANTED.leaks] == PLANTED.truth[~PLANTED.leaks]).all()


def test_votes_take_the_least_the_middle_and_the_first_of_three() -> None:
    # Columns: votes YES NO PARTIAL, NO YES YES, PARTIAL PARTIAL NO.
    runs = np.array([[[2, 0, 1]], [[0, 2, 1]], [[1, 2, 0]]])
    assert vote_over(runs, "minimum").tolist() == [[0, 0, 0]]
    assert vote_over(runs, "median").tolist() == [[1, 2, 1]]
    assert vote_over(runs, "one run").tolist() == [[2, 0, 1]]


def test_the_leak_audit_lowers_parts_to_no_and_the_devils_advocate_every_claim_by_a_step() -> None:
    # A circuit and a part, both planted at PARTIAL and called YES.
    planted = uniform(1, 1, system=(True, False))
    voted = np.full_like(planted.truth, 2)

    leak_audit = LoweringPass("leak audit", finds=1.0)
    audited = lower_statuses(voted, planted, leak_audit, generator())
    for code, place in PLACE.items():
        is_leak_prone = code in ("I2", "I3", "I5", "E2", "E5")
        assert audited[:, place].tolist() == ([2, 0] if is_leak_prone else [2, 2]), code

    devils_advocate = LoweringPass("devil's advocate", finds=1.0)
    challenged = lower_statuses(voted, planted, devils_advocate, generator())
    assert challenged[:, PLACE["I3"]].tolist() == [1, 1]
    assert challenged[:, PLACE["I4"]].tolist() == [2, 2]


def test_a_pass_harms_right_statuses_at_its_own_rate() -> None:
    planted = uniform(*[2] * 2000, system=(False,) * 2000)
    lowering = LoweringPass("leak audit", finds=1.0, harms=0.25)
    after = lower_statuses(planted.truth, planted, lowering, generator())
    # 2,000 statuses of E2: the standard error is sqrt(0.25 x 0.75 / 2,000) = 0.0097.
    assert (after[:, PLACE["E2"]] == 0).mean() == pytest.approx(0.25, abs=0.03)
    assert (after[:, PLACE["E1"]] == 2).all()


def exact_by_vote(*errors: Errors) -> pd.DataFrame:
    table = compare_votes(errors, [NO_PASS], papers=60, repeats=2, seed=4, confidence_level=0.95)
    of_papers = table[table["claims"] == "paper"]
    return of_papers.pivot(index=["up", "down", "shared"], columns="vote", values="exact")


def test_the_minimum_wins_without_errors_downwards_and_loses_with_a_few() -> None:
    exact = exact_by_vote(Errors(0.2, 0.0), Errors(0.1, 0.05), Errors(0.2, 0.05, shared=0.5))
    none = exact.loc[(0.2, 0.0, 0.0)]
    few = exact.loc[(0.1, 0.05, 0.0)]
    shared = exact.loc[(0.2, 0.05, 0.5)]
    assert none["minimum"] > none["median"] > none["one run"]
    assert few["median"] > few["one run"] > few["minimum"]
    assert shared["median"] > shared["minimum"]


def test_no_vote_removes_errors_that_all_runs_share() -> None:
    exact = exact_by_vote(Errors(0.2, 0.05, shared=1.0)).iloc[0]
    assert exact["minimum"] == exact["median"] == exact["one run"]
    assert exact["median"] < 1


def test_the_minimum_suits_a_judge_at_max_downward_and_none_at_ten_times_that_share() -> None:
    for up in (0.1, 0.2):
        limit = exact_by_vote(Errors(up, up * MAX_DOWNWARD)).iloc[0]
        above = exact_by_vote(Errors(up, 10 * up * MAX_DOWNWARD)).iloc[0]
        assert limit["minimum"] >= limit["median"]
        assert above["median"] > above["minimum"]


def test_errors_are_counted_by_their_direction() -> None:
    table = compare_votes(
        [Errors(0.0, 0.5)], [NO_PASS], papers=10, repeats=1, seed=4, confidence_level=0.95
    ).set_index(["claims", "vote"])
    row = table.loc[("paper", "minimum")]
    assert (row["too_high"], row["n"]) == (0, 10)
    assert row["exact"] + row["too_low"] == pytest.approx(1)
    assert row["too_low"] > 0.5
    assert row["exact_low"] <= row["exact"] <= row["exact_high"]


def test_break_even_is_where_the_two_lines_cross() -> None:
    # The lead of the minimum is 0.06 at 1% and -0.02 at 5%: 0 at three quarters of the way.
    rows = pd.DataFrame(
        {
            "down": [0.05, 0.05, 0.01, 0.01, 0.0, 0.0],
            "vote": ["minimum", "median"] * 3,
            "exact": [0.88, 0.9, 0.96, 0.9, 0.99, 0.9],
        }
    )
    assert break_even(rows) == pytest.approx(0.04)
    assert break_even(rows[rows["down"] < 0.02]) is None
    assert break_even(rows[rows["down"] > 0.02]) is None


def test_a_minimum_that_is_level_without_errors_downwards_and_then_behind_is_never_ahead() -> None:
    rows = pd.DataFrame(
        {
            "down": [0.0, 0.0, 0.01, 0.01, 0.05, 0.05],
            "vote": ["minimum", "median"] * 3,
            "exact": [0.9, 0.9, 0.86, 0.9, 0.7, 0.88],
        }
    )
    assert break_even(rows) is None
