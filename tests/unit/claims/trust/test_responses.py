"""Responses, votes and tests on trials written by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.claims.rubric.scoring import cvs
from mechaware.claims.trust.intervals import cvs_interval, draw_rates, posterior
from mechaware.claims.trust.responses import (
    RANK,
    leak_rows,
    locality,
    matrix,
    responses,
    sensitivity,
    sign_test,
    vote,
)
from mechaware.claims.trust.verdicts import choose_vote, confusion, criterion_trust, labelled

CODES = list(CRITERIA)
N = len(CODES)


def text(rest: str, **letters: str) -> str:
    """27 letters: `rest`, but for the criteria named."""
    return "".join(letters.get(code, rest) for code in CODES)


def row(edit: str, statuses: str, expected: str = "", **more: Any) -> dict[str, Any]:
    known = {"paper": "a", "source": "planted", "criterion": "", "claim": 0, "run": "0", "truth": ""}
    return known | {"edit": edit, "statuses": statuses, "expected": expected or "." * N} | more


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(rows)


def one_run(rows: pd.DataFrame) -> pd.DataFrame:
    moves = responses(rows)
    return moves[moves["stage"] == "single"]


# Three edits of one claim: I1 falls as it should and V1 moves with it; I2 cannot fall; C2 should rise and falls.
THREE = frame(
    row("base", text("N", I1="Y", C2="P", V1="Y")),
    row("deleted", text("N", I1="P", C2="P"), text(".", I1="f"), criterion="I1"),
    row("toggled", text("N", I1="Y", C2="P", V1="Y"), text(".", I2="f"), criterion="I2"),
    row("toggled", text("N", I1="Y", V1="Y"), text(".", C2="r"), criterion="C2"),
)


def test_sensitivity_counts_the_targets_that_could_move() -> None:
    share = sensitivity(one_run(THREE), 0.95)
    assert (share.n, share.moved, share.share) == (2, 1, 0.5)  # I1 did, C2 did not, I2 could not
    assert (share.low, share.high) == pytest.approx((0.0126, 0.9874), abs=1e-4)  # Clopper-Pearson of 1 in 2
    # 1 - (1 - x)^2 = 0.025 has the lower end 1 - sqrt(0.975)
    assert share.low == pytest.approx(1 - 0.975**0.5)


def test_locality_counts_all_others() -> None:
    share = locality(one_run(THREE), 0.95)
    assert (share.n, share.moved) == (3 * 26, 3 * 26 - 1)  # V1 moved


def test_the_sign_test_is_over_claims() -> None:
    """Claim a:0 nets 1 - 1 = 0 and is left out; claims b to g fall as they should: 2 * 0.5^6 = 0.03125."""
    others = [
        made
        for paper in "bcdefg"
        for made in (
            row("base", text("N", I1="Y"), paper=paper),
            row("deleted", text("N"), text(".", I1="f"), paper=paper, criterion="I1"),
        )
    ]
    test = sign_test(one_run(pd.concat([THREE, frame(*others)])))
    assert (test.along, test.against, test.p) == (6, 0, pytest.approx(0.03125))
    assert sign_test(one_run(THREE)) == (0, 0, None)


def test_an_unscored_status_is_no_response() -> None:
    rows = frame(row("base", text("?", I1="Y")), row("deleted", text("N", I1="?"), text(".", I1="f"), criterion="I1"))
    assert one_run(rows).empty


def test_votes_are_the_least_and_the_lower_median_of_what_was_cast() -> None:
    cast = np.array([[2, 2, 2, 2, 2], [0, 0, 1, np.nan, np.nan], [1, 2, np.nan, 1, np.nan]])
    assert vote(cast, "single").tolist() == [2, 2, 2, 2, 2]
    assert vote(cast, "minimum")[:4].tolist() == [0, 0, 1, 1]
    assert vote(cast, "median")[:4].tolist() == [1, 2, 1, 1]
    assert np.isnan([vote(cast, stage)[4] for stage in ("minimum", "median")]).all()  # half has none, or more


def test_a_vote_on_either_side_makes_one_response() -> None:
    runs = [("Y", "N"), ("Y", "Y"), ("P", "N")]
    rows = frame(
        *(row("base", text("N", I1=before), run=str(number)) for number, (before, _) in enumerate(runs)),
        *(
            row("deleted", text("N", I1=after), text(".", I1="f"), criterion="I1", run=str(number))
            for number, (_, after) in enumerate(runs)
        ),
    )
    moves = responses(rows)
    target = moves[moves["expected"] < 0].set_index("stage")[["before", "after"]]
    assert target.loc["single"].tolist() == [2, 0]  # the first run
    assert target.loc["minimum"].tolist() == [1, 0]
    assert target.loc["median"].tolist() == [2, 0]


def test_the_matrix_counts_targets_apart() -> None:
    table = matrix(one_run(THREE), {"toggled": "", "deleted": ""}).set_index(["edit", "criterion", "targeted"])
    assert table.loc[("toggled", "C2", True)].tolist() == [1, 1, 0]  # n, fell, rose
    assert table.loc[("toggled", "C2", False)].tolist() == [1, 0, 0]
    assert table.loc[("deleted", "V1", False)].tolist() == [1, 1, 0]
    assert len(table) == 26 + 1 + 27 + 2  # I2 and C2 are targets of one toggle each and bystanders of the other


def test_leaks_are_compared_before_and_after_the_audit() -> None:
    rows = frame(
        row("base", text("Y")),
        row("base", text("Y"), run="audited"),
        row("circuit", text("Y", I2="P"), text(".", I2="f"), criterion="I2"),
        row("circuit", text("Y", I2="N"), text(".", I2="f"), criterion="I2", run="audited"),
    )
    assert leak_rows(rows)[["criterion", "before", "judged", "audited"]].to_numpy().tolist() == [["I2", 2, 1, 0]]


def test_a_criterion_is_trusted_if_both_lower_bounds_are_above_the_thresholds() -> None:
    """Six of six: the lower bound is 0.025^(1/6) = 0.541; five of five: 0.478."""
    rows = []
    for number in range(6):
        rows += [
            row("base", text("N", I1="Y", I2="Y"), paper=f"p{number}"),
            row("toggled", text("N", I2="Y"), text(".", I1="f"), paper=f"p{number}", criterion="I1"),
        ]
        if number < 5:
            rows.append(row("toggled", text("N", I1="Y"), text(".", I2="f"), paper=f"p{number}", criterion="I2"))
    options = {"level": 0.95, "least_sensitivity": 0.5, "least_locality": 0.4}
    table = criterion_trust(one_run(frame(*rows)), **options).set_index("criterion")
    assert table.loc["I1", "sensitivity_low"] == pytest.approx(0.025 ** (1 / 6))
    assert table["trusted"].to_dict() == {code: code == "I1" for code in CODES}
    strict = criterion_trust(one_run(frame(*rows)), **options | {"least_locality": 0.6})
    assert not strict["trusted"].any()  # five of five stayed: 0.478


# Votes against the truth


def test_the_vote_with_the_smaller_error_is_chosen_on_other_papers() -> None:
    """Errors over 27 criteria: in p and q the minimum is right and the median high on all; in r the other way round."""
    rows = [
        row("base", text(letter), paper=paper, run=str(run), truth=text(truth))
        for paper, truth in (("p", "N"), ("q", "N"), ("r", "Y"))
        for run, letter in enumerate("NYY")
    ]
    judged = labelled(frame(*rows))
    assert len(judged) == 3 * 2 * N
    choice = choose_vote(judged)
    assert (choice.papers, choice.chosen) == (3, "minimum")
    assert (choice.minimum_error, choice.median_error) == pytest.approx((1 / 3, 2 / 3))
    assert (choice.minimum_bias, choice.median_bias) == pytest.approx((-1 / 3, 2 / 3))
    # Without p: a tie of 1/2, so the minimum, right on p; without q the same; without r the minimum, wrong on r.
    assert choice.held_out == pytest.approx(1 / 3)


def test_edited_texts_count_on_the_criterion_that_was_edited() -> None:
    rows = frame(
        row("base", text("N"), truth=text("N")),
        row("toggled", text("Y"), text(".", I1="r"), criterion="I1", truth=text("N", I1="Y")),
    )
    judged = labelled(rows)
    counts = confusion(judged[judged["stage"] == "minimum"])
    assert counts.sum() == N + 1
    assert counts[CODES.index("I1")].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


# Scores with intervals


def test_the_posterior_is_bayes_rule_with_equal_priors() -> None:
    """YES is reported of 90% of true YES, 40% of PARTIAL, 20% of NO: probabilities 0.9, 0.4 and 0.2, over 1.5."""
    rates = np.array([[[0.7, 0.1, 0.2], [0.3, 0.3, 0.4], [0.05, 0.05, 0.9]]])
    assert posterior(rates, np.array([2])) == pytest.approx(np.array([[0.2, 0.4, 0.9]]) / 1.5)
    assert posterior(rates, np.array([-1])) == pytest.approx(np.full((1, 3), 1 / 3))
    assert posterior(np.stack([rates, rates]), np.array([0])).shape == (2, 1, 3)


def test_a_criterion_that_was_judged_seldom_leans_on_all() -> None:
    """Nothing counted on the first: the pooled rates 101/103, 1/103, 1/103 of the second, in the mean over draws."""
    counts = np.zeros((2, 3, 3), dtype=int)
    counts[1, 0, 0] = 100
    rates = draw_rates(counts, 4000, np.random.default_rng(1)).mean(axis=0)
    assert rates[0, 0] == pytest.approx([101 / 103, 1 / 103, 1 / 103], abs=0.01)
    assert rates.sum(axis=-1) == pytest.approx(np.ones((2, 3)))


def test_a_judge_without_mistakes_has_a_point_and_one_that_guesses_has_all() -> None:
    statuses = dict(zip(CODES, (STATUSES[number % 3] for number in range(N)), strict=True))
    exact = np.broadcast_to(np.eye(3, dtype=int) * 10**7, (N, 3, 3))
    options = {"draws": 300, "level": 0.95, "seed": 3}
    assert cvs_interval(statuses, exact, **options) == (cvs(statuses), cvs(statuses))
    guessed = np.full((N, 3, 3), 1000)
    low, high = cvs_interval(statuses, guessed, **options)
    assert cvs_interval(dict.fromkeys(CODES, "YES"), guessed, **options)[0] < 3
    assert high - low > 2
    assert cvs_interval(statuses, guessed, **options) == (low, high)


def test_the_ranks_are_those_of_the_rubric() -> None:
    assert [RANK[letter] for letter in "NPY"] == [0, 1, 2]
