"""Responses, votes and tests on trials written by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.claims.rubric.scoring import cvs
from mechaware.claims.trust.intervals import PREVALENCES, UPWARDS, cvs_interval, draw_rates, draw_truth, posterior
from mechaware.claims.trust.responses import (
    RANK,
    balanced_locality,
    claims_moved,
    claims_moved_by_hard_edits,
    leak_rows,
    locality,
    matrix,
    responses,
    sensitivity,
    sign_test,
    targets,
    vote,
)
from mechaware.claims.trust.verdicts import Bootstrap, Limits, choose_vote, confusion, criterion_trust, labelled

CODES = list(CRITERIA)
N = len(CODES)
LIMITS = Limits(0.5, 0.9, 0.5)
DRAWS = {"level": 0.95, "resamples": 400, "seed": 1}


def text(rest: str, **letters: str) -> str:
    """27 letters: `rest`, but for the criteria named."""
    return "".join(letters.get(code, rest) for code in CODES)


def row(edit: str, statuses: str, expected: str = "", **more: Any) -> dict[str, Any]:
    known = {"paper": "a", "source": "planted", "criterion": "", "claim": 0, "run": "0", "truth": ""}
    known["edited"] = "" if edit == "base" else "0"
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


def test_sensitivity_counts_all_targets_and_those_that_moved_against() -> None:
    """I1 fell as it should; I2 should fall and is at the bottom; C2 should rise and fell."""
    assert targets(one_run(THREE)) == (3, 1, 1, 2)
    share = sensitivity(one_run(THREE), **DRAWS)
    assert (share.n, share.k, share.share) == (3, 1, pytest.approx(1 / 3))
    assert (share.low, share.high) == (None, None)  # one paper has no interval over papers


def test_locality_counts_all_others() -> None:
    share = locality(one_run(THREE), **DRAWS)
    assert (share.n, share.k) == (3 * 26, 3 * 26 - 1)  # V1 moved


def falling(paper: str, *moves: bool, claim: int = 0, code: str = "I1") -> list[dict[str, Any]]:
    """A claim of a paper with edits that should lower a criterion, some of which do."""
    own = {"paper": paper, "claim": claim}
    rows = [row("base", text("N", **{code: "Y"}), **own)]
    for family, moved in zip(("toggled", "deleted", "negated", "others"), moves, strict=False):
        after = text("N", **{code: "N" if moved else "Y"})
        expected = text(".", **{code: "f"})
        rows.append(row(family, after, expected, criterion=code, edited=str(claim), **own))
    return rows


def test_intervals_of_shares_are_over_papers() -> None:
    """Papers with 4 of 4 and 0 of 1: of four equally likely resamples the shares are 1, 4/5, 4/5 and 0."""
    share = sensitivity(one_run(frame(*falling("a", True, True, True, True), *falling("b", False))), **DRAWS)
    assert share == (5, 4, 0.8, 0.0, 1.0)


def test_a_claim_has_moved_if_more_than_half_of_its_statuses_did() -> None:
    """Two of three is most, one of two is not; of two claims one: 1 - (1 - x)^2 = 0.025 at the lower end."""
    moves = one_run(frame(*falling("a", True, True, False), *falling("a", True, False, claim=1)))
    share = claims_moved(moves, 0.95)
    assert (share.n, share.k, share.share) == (2, 1, 0.5)
    assert share.low == pytest.approx(1 - 0.975**0.5)
    assert share.high == pytest.approx(0.975**0.5)


def test_hard_edits_are_counted_over_all_criteria() -> None:
    """Only `others` is hard here: it failed in a, and worked in b on another criterion."""
    rows = [*falling("a", True, True, True, False), *falling("b", False, False, False, True, code="M3")]
    assert claims_moved_by_hard_edits(one_run(frame(*rows)), 0.95)[:3] == (2, 1, 0.5)


def test_locality_gives_the_other_claim_the_weight_of_all_else() -> None:
    """Claim 1 fell on I1 with claim 0's evidence, and stayed on I1 in three edits of C2: (0 + 3/3) / 2."""
    other = {"claim": 1, "edited": "0"}
    rows = [row("base", text("N", I1="Y"), claim=1), row("toggled", text("N"), criterion="I1", **other)]
    rows += [row(family, text("N", I1="Y"), criterion="C2", **other) for family in ("toggled", "deleted", "negated")]
    moves = one_run(frame(*rows))
    share = balanced_locality(moves[moves["criterion"] == "I1"], **DRAWS)
    assert (share.n, share.k, share.share) == (4, 3, 0.5)
    still = balanced_locality(moves[moves["criterion"] == "V1"], **DRAWS)
    assert (still.n, still.share) == (4, 1.0)  # no edit was about V1


def test_the_sign_test_is_over_papers() -> None:
    """Paper a nets 1 - 1 = 0 and is left out; of b to g both claims fall: 2 * 0.5^6 = 0.03125."""
    others = [made for paper in "bcdefg" for claim in (0, 1) for made in falling(paper, True, claim=claim)]
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
        row("base", text("Y"), run="scored"),
        row("circuit", text("Y", I2="P"), text(".", I2="f"), criterion="I2"),
        row("circuit", text("Y", I2="N"), text(".", I2="f"), criterion="I2", run="scored"),
    )
    assert leak_rows(rows)[["criterion", "before", "judged", "scored"]].to_numpy().tolist() == [["I2", 2, 1, 0]]


def trusted(rows: list[dict[str, Any]], limits: Limits = LIMITS) -> dict[str, Any]:
    given = frame(*rows)
    judged = labelled(given)
    table = criterion_trust(one_run(given), judged[judged["stage"] == "single"], limits, Bootstrap(**DRAWS))
    return {code: group.iloc[0] for code, group in table.groupby("criterion")}


def with_truth(rows: list[dict[str, Any]], truth: str, edited: str) -> list[dict[str, Any]]:
    return [made | {"truth": truth if made["edit"] == "base" else edited} for made in rows]


def reading(paper: str) -> list[dict[str, Any]]:
    """A claim whose I1 falls by all four edits, one of them hard, as it should."""
    return with_truth(falling(paper, True, True, True, True), text("N", I1="Y"), text("N"))


def test_a_criterion_is_trusted_if_all_lower_bounds_are_above_the_limits() -> None:
    """Six of six claims: the lower bound is 0.025^(1/6) = 0.541; five of five: 0.478."""
    six = trusted([made for paper in "abcdef" for made in reading(paper)])
    assert six["I1"]["sensitivity_low"] == pytest.approx(0.025 ** (1 / 6))
    assert six["I1"]["right_low"] == pytest.approx(0.025 ** (1 / 6))
    assert (six["I1"]["locality_n"], six["V1"]["locality_low"]) == (0, 1.0)
    assert [code for code in CODES if six[code]["trusted"]] == []  # no status of I1 should have stayed
    stays = [made for paper in "abcdef" for made in [*reading(paper), row("reworded", text("N", I1="Y"), paper=paper)]]
    assert [code for code, own in trusted(stays).items() if own["trusted"]] == ["I1"]
    assert not trusted(stays, Limits(0.6, 0.9, 0.5))["I1"]["trusted"]
    assert not trusted(stays, Limits(0.5, 0.9, 0.6))["I1"]["trusted"]
    assert not trusted([made for made in stays if made["paper"] != "f"])["I1"]["trusted"]


def test_a_judge_that_moves_at_the_wrong_level_or_fails_hard_edits_is_not_trusted() -> None:
    stays = [made for paper in "abcdef" for made in [*reading(paper), row("reworded", text("N", I1="Y"), paper=paper)]]
    low = [made | {"truth": made["truth"].replace("N", "P")} for made in stays]
    assert trusted(low)["I1"]["sensitivity_low"] > 0.5
    assert not trusted(low)["I1"]["trusted"]  # one status of five is right: YES of the base
    soft = [made for made in stays if made["edit"] != "others"]
    assert trusted(soft)["I1"]["sensitivity_low"] > 0.5
    assert not trusted(soft)["I1"]["trusted"]  # no hard edit was tried


# Votes against the truth


def test_the_vote_with_the_smaller_error_is_chosen_on_other_papers() -> None:
    """Errors over 27 criteria: in p and q the minimum is right and the median high on all; in r the other way round."""
    rows = [
        row("base", text(letter), paper=paper, run=str(run), truth=text(truth))
        for paper, truth in (("p", "N"), ("q", "N"), ("r", "Y"))
        for run, letter in enumerate("NYY")
    ]
    judged = labelled(frame(*rows))
    assert len(judged) == 3 * 3 * N
    choice = choose_vote(judged, 3)
    assert (choice.papers, choice.chosen) == (3, "minimum")
    assert (choice.minimum_error, choice.median_error) == pytest.approx((1 / 3, 2 / 3))
    assert (choice.minimum_bias, choice.median_bias) == pytest.approx((-1 / 3, 2 / 3))
    # Without p a tie, so the mean of its errors 0 and 1; without q the same; without r the minimum, wrong on r.
    assert choice.held_out == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)


def test_no_vote_is_chosen_in_a_tie_or_of_fewer_than_three_runs() -> None:
    tie = [row("base", text("N"), run=str(run), truth=text("Y")) for run in range(3)]
    choice = choose_vote(labelled(frame(*tie)), 3)
    assert (choice.minimum_error, choice.median_error, choice.chosen, choice.held_out) == (1.0, 1.0, None, None)
    two = [
        row("base", text(letter), paper=paper, run=str(run), truth=text("N"))
        for paper in "pq"
        for run, letter in enumerate("NY")
    ]
    assert choose_vote(labelled(frame(*two)), 2).chosen is None


def test_edited_texts_count_on_the_criterion_that_was_edited() -> None:
    rows = frame(
        row("base", text("N"), truth=text("N")),
        row("toggled", text("Y"), text(".", I1="r"), criterion="I1", truth=text("N", I1="Y")),
    )
    judged = labelled(rows)
    counts = confusion(judged[judged["stage"] == "single"])
    assert counts.sum() == N + 1
    assert counts[CODES.index("I1")].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 1]]


def test_an_edit_of_one_claim_labels_no_status_of_the_other() -> None:
    beside = row("toggled", text("N"), criterion="I1", claim=1, edited="0", truth=text("N"))
    assert labelled(frame(beside)).empty


# Scores with intervals


def test_the_posterior_is_bayes_rule_over_prevalences() -> None:
    """YES is reported of 90% of true YES, 40% of PARTIAL, 20% of NO; its chance is their mean at a prevalence."""
    rates = np.array([[[0.7, 0.1, 0.2], [0.3, 0.3, 0.4], [0.05, 0.05, 0.9]]])
    prevalence, likelihood = posterior(rates[None], np.array([2]))
    assert likelihood == pytest.approx(np.array([[[0.2, 0.4, 0.9]]]))
    chance = PREVALENCES @ np.array([0.2, 0.4, 0.9])
    assert prevalence[0] == pytest.approx(chance / chance.sum())
    even, _ = posterior(rates[None], np.array([-1]))
    assert even[0] == pytest.approx(np.full(len(PREVALENCES), 1 / len(PREVALENCES)))


def test_prevalences_are_the_simplex() -> None:
    assert PREVALENCES.sum(axis=1) == pytest.approx(np.ones(231))  # 21 * 22 / 2 points
    assert len(np.unique(PREVALENCES, axis=0)) == 231


def test_reports_of_one_claim_inform_each_other() -> None:
    """The judge says YES of half of the true YES and of no other: 13 YES among 27 make each NO likely a YES, too."""
    rates = np.broadcast_to(np.array([[1.0, 0, 0], [1.0, 0, 0], [0.5, 0, 0.5]]), (400, 27, 3, 3)).copy()
    half, none = np.array([0, 2] * 13 + [0]), np.zeros(27, dtype=int)
    generator = np.random.default_rng(1)
    assert (draw_truth(rates, half, generator)[:, -1] == 2).mean() > 0.6
    assert (draw_truth(rates, none, generator)[:, -1] == 2).mean() < 0.1
    assert (draw_truth(rates, half, generator)[:, 1] == 2).all()  # reported YES is YES


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
    assert high - low > 5
    assert UPWARDS >= 1
    assert cvs_interval(statuses, guessed, **options) == (low, high)


def test_the_ranks_are_those_of_the_rubric() -> None:
    assert [RANK[letter] for letter in "NPY"] == [0, 1, 2]
