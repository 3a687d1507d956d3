"""Responses, votes and tests on trials written by hand."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mechaware.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.claims.rubric.scoring import cvs
from mechaware.claims.trust.measures.intervals import (
    PREVALENCES,
    UPWARDS,
    cvs_interval,
    draw_rates,
    draw_truth,
    posterior,
)
from mechaware.claims.trust.measures.locality import locality
from mechaware.claims.trust.measures.responses import (
    claims_moved,
    leak_rows,
    matrix,
    moved_by_hard_edits,
    repeats,
    responses,
    sensitivity,
    share_over_papers,
    sign_test,
    stability,
    targets,
    vote,
    voted_at,
)
from mechaware.claims.trust.measures.verdicts import (
    Limits,
    choose_vote,
    confusion,
    criterion_trust,
    labelled,
)

CODES = list(CRITERIA)
N = len(CODES)
LIMITS = Limits(0.5, 0.9, 0.5)
LEVEL = 0.95


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
    share = sensitivity(one_run(THREE), LEVEL)
    assert (share.n, share.k, share.share) == (3, 1, pytest.approx(1 / 3))
    assert (share.low, share.high) == (None, None)  # one paper has no interval over papers


def test_locality_counts_all_others() -> None:
    share = stability(one_run(THREE), LEVEL)
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


def test_intervals_of_shares_are_over_papers_and_need_six() -> None:
    """Five papers with 1 of 1 and one with 0 of 1: residuals 1/36 five times and -5/36, so the error is sqrt(1/36)."""
    hits, papers = pd.Series([1, 1, 1, 1, 1, 0]), pd.Series(list("abcdef"))
    share = share_over_papers(hits, papers, LEVEL)
    reach = 2.5706 / 6  # the 0.975 quantile of t with 5 degrees of freedom
    assert share == (6, 5, pytest.approx(5 / 6), pytest.approx(5 / 6 - reach, abs=1e-4), 1.0)
    assert share_over_papers(hits[1:], papers[1:], LEVEL)[:2] == (5, 4)
    assert share_over_papers(hits[1:], papers[1:], LEVEL)[3:] == (None, None)


def test_a_claim_has_moved_if_more_than_half_of_its_statuses_did() -> None:
    """Two of three is most, one of two is not; of two claims one: 1 - (1 - x)^2 = 0.025 at the lower end."""
    moves = one_run(frame(*falling("a", True, True, False), *falling("a", True, False, claim=1)))
    share = claims_moved(moves, 0.95)
    assert (share.n, share.k, share.share) == (2, 1, 0.5)
    assert share.low == pytest.approx(1 - 0.975**0.5)
    assert share.high == pytest.approx(0.975**0.5)


def test_hard_edits_are_counted_by_family_over_all_criteria() -> None:
    """Only `others` is hard here: it failed in a, and worked in b on another criterion."""
    rows = [*falling("a", True, True, True, False), *falling("b", False, False, False, True, code="M3")]
    shares = moved_by_hard_edits(one_run(frame(*rows)), LEVEL)
    assert {family: share[:2] for family, share in shares.items()} == {
        "withdrawn": (0, 0),
        "others": (2, 1),
        "component": (0, 0),
        "circuit": (0, 0),
    }


def of_criterion(rows: list[dict[str, Any]], code: str) -> Any:
    moves, second = one_run(frame(*rows)), repeats(frame(*rows))
    return locality(moves[moves["criterion"] == code], second[second["criterion"] == code], LEVEL)


def beside(paper: str, moved: str, *stayed: str, again: str = "Y") -> list[dict[str, Any]]:
    """Claim 1 at YES on I1: its status after claim 0's evidence on I1 was edited, after other edits, and again."""
    other: dict[str, Any] = {"claim": 1, "paper": paper}
    rows = [row("base", text("N", I1="Y"), **other), row("again", text("N", I1=again), edited="", **other)]
    rows.append(row("toggled", text("N", I1=moved), criterion="I1", edited="0", **other))
    for family, letter in zip(("toggled", "deleted", "negated"), stayed, strict=True):
        rows.append(row(family, text("N", I1=letter), criterion="C2", edited="0", **other))
    return rows


def test_locality_gives_the_other_claim_the_weight_of_all_else() -> None:
    """Claim 1 fell on I1 with claim 0's evidence, and stayed on I1 in three edits of C2: (0 + 3/3) / 2."""
    share = of_criterion(beside("a", "N", "Y", "Y", "Y"), "I1")
    assert (share.n, share.stayed, share.again, share.share, share.low) == (4, 0.5, 1.0, 0.5, None)
    assert of_criterion(beside("a", "N", "Y", "Y", "Y"), "V1").stayed == 1.0  # no edit was about V1


def test_locality_is_what_stays_over_what_a_second_reading_repeats() -> None:
    """Usual is YES. Of edited texts (1 + 2/3) / 2 = 5/6 have it, of two readings one: 1 at most."""
    share = of_criterion(beside("a", "Y", "Y", "N", "Y", again="N"), "I1")
    assert (share.stayed, share.again, share.share) == (pytest.approx(5 / 6), 0.5, 1.0)


def test_a_status_is_compared_with_the_usual_one_and_not_with_a_first_reading_that_was_off() -> None:
    """The first reading alone is YES, the four edited texts and the second reading NO: all edits left it alone."""
    share = of_criterion(beside("a", "N", "N", "N", "N", again="N"), "I1")
    assert (share.stayed, share.again, share.share) == (1.0, 0.5, 1.0)


def test_the_lower_bound_of_locality_is_by_t_over_six_papers_or_more() -> None:
    """Five papers stay throughout, one falls beside: shares 5/6 and 1, their mean 11/12, residuals 1/72 and -5/72."""
    rows = [made for paper in "abcde" for made in beside(paper, "Y", "Y", "Y", "Y")] + beside("f", "N", "Y", "Y", "Y")
    share = of_criterion(rows, "I1")
    assert share.stayed == pytest.approx(11 / 12)
    assert share.low == pytest.approx(11 / 12 - 2.5706 * (6 / 5 * 30 / 72**2) ** 0.5, abs=1e-4)
    assert of_criterion(rows[6:], "I1").low is None  # five papers
    assert (
        of_criterion(rows, "V1").low is None
    )  # no edit was about V1, so nothing tells whether the other claim moves it


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


def test_texts_with_different_numbers_of_runs_are_voted_on_each_by_its_own_and_stay_in_their_order() -> None:
    """By hand, I1: the median of YES, NO, PARTIAL is PARTIAL and their minimum NO; of YES, PARTIAL both are PARTIAL."""
    three = [text("N", I1="Y"), text("N", I1="N"), text("N", I1="P")]
    two = [text("Y", I1="Y"), text("Y", I1="P")]
    one = [text("P", I1="Y")]
    voted = voted_at([two, three, one, two], ["single", "median", "minimum"])
    place = CODES.index("I1")
    assert voted.shape == (4, 3, N)
    assert voted[:, :, place].tolist() == [[2, 1, 1], [2, 1, 0], [2, 2, 2], [2, 1, 1]]
    assert voted[:, :, CODES.index("I2")].tolist() == [[2, 2, 2], [0, 0, 0], [1, 1, 1], [2, 2, 2]]


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
    judged = judged[judged["stage"] == "single"]
    table = criterion_trust(one_run(given), repeats(given), judged, limits, LEVEL)
    return {code: group.iloc[0] for code, group in table.groupby("criterion")}


MOVES = {"toggled": "P", "deleted": "N", "withdrawn": "N", "others": "N", "component": "N", "circuit": "N"}


def reading(paper: str, given: str = "YPN") -> list[dict[str, Any]]:
    """A claim with I1 at YES, by edits at PARTIAL and NO, and one beside it; `given` for YES, PARTIAL and NO."""
    gives = dict(zip("YPN", given, strict=True))
    rows = []
    for claim, of_claim in (("0", {"claim": 0}), ("1", {"claim": 1})):
        stays = row("base", text("N", I1=gives["Y"]), truth=text("N", I1="Y"), paper=paper, **of_claim)
        rows += [
            stays,
            stays | {"edit": "again", "truth": ""},
            stays | {"edit": "reworded", "truth": text("N", I1="Y")},
        ]
        for family, level in MOVES.items():
            after, truth = (gives[level], level) if claim == "0" else (gives["Y"], "Y")
            expected = text(".", I1="f") if claim == "0" else text(".")
            made = row(family, text("N", I1=after), expected, criterion="I1", edited="0", paper=paper, **of_claim)
            rows.append(made | {"truth": text("N", I1=truth)})
    return rows


SIX = [made for paper in "abcdef" for made in reading(paper)]


def test_a_criterion_is_trusted_if_all_lower_bounds_are_above_the_limits() -> None:
    """Six of six claims: the lower bound is 0.025^(1/6) = 0.541."""
    six = trusted(SIX)
    assert six["I1"]["sensitivity_low"] == pytest.approx(0.025 ** (1 / 6))
    assert six["I1"]["right_partial_low"] == pytest.approx(0.025 ** (1 / 6))
    assert (six["I1"]["locality_share"], six["I1"]["locality_low"]) == (1.0, 1.0)
    assert {code for code in CODES if six[code]["trusted"] != "too few"} == {"I1"}
    assert six["I1"]["trusted"] == "yes"


def test_a_limit_that_nobody_could_pass_makes_too_few_and_not_a_no() -> None:
    assert trusted(SIX, Limits(0.6, 0.9, 0.5))["I1"]["trusted"] == "too few"
    assert trusted(SIX, Limits(0.5, 0.9, 0.6))["I1"]["trusted"] == "too few"
    assert trusted([made for made in SIX if made["paper"] != "f"])["I1"]["trusted"] == "too few"
    for family in ("toggled", "circuit"):  # nothing at PARTIAL, and a hard family that was not tried
        assert trusted([made for made in SIX if made["edit"] != family])["I1"]["trusted"] == "too few"


@pytest.mark.parametrize("given", ["YYN", "YNN", "YYP", "PNN", "YYY"])
def test_a_judge_that_runs_levels_together_is_not_trusted(given: str) -> None:
    rows = [made for paper in "abcdef" for made in reading(paper, given)]
    assert trusted(rows)["I1"]["trusted"] == "no"


def test_a_judge_that_credits_one_kind_of_hard_edit_is_not_trusted() -> None:
    for family in ("withdrawn", "others", "component", "circuit"):
        rows = [
            made | ({"statuses": text("N", I1="Y")} if made["edit"] == family and made["claim"] == 0 else {})
            for made in SIX
        ]
        own = trusted(rows)["I1"]
        assert own["sensitivity_low"] > 0.5  # five of six edits move
        assert own["trusted"] == "no"


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
