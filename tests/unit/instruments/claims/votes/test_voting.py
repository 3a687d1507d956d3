"""Minimum voting and the matching of claims: conservative, and the same in any order of the runs."""

from itertools import permutations
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.instruments.claims.judges.lexical import _LexicalJudge
from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.instruments.claims.rubric.records import Claim, Fault, Judgement
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.similarity import ClaimComparison, _read_part
from mechaware.instruments.claims.votes.voting import _minimum_vote, match_claims, vote
from tests.unit.instruments.claims.claims_by_hand import claim, run

COMPONENTS = yaml.safe_load((Path(__file__).parent / "paraphrases.yaml").read_text())["components"]
STATEMENTS = (
    "The circuit moves the subject's number to the verb",
    "Head 3.1 moves the number to the last position",
    "Neurons of MLP 4 detect plural nouns",
    "Layer 7 writes the verb's form",
)


def similarity(first: Claim, second: Claim) -> float:
    return ClaimComparison([first, second]).similarity(first, second)


def judged(*statuses) -> list[Judgement]:
    return [Judgement(status=status, evidence=f"{status} seen") for status in statuses]


@pytest.mark.parametrize(
    ("votes", "status", "evidence"),
    [
        (("YES", "YES", "YES"), "YES", "YES seen"),
        (
            ("YES", "YES", "PARTIAL"),
            "PARTIAL",
            "[MIN-VOTE: YES→PARTIAL across 3 runs] PARTIAL seen",
        ),
        (("PARTIAL", "NO", "YES"), "NO", "[MIN-VOTE: YES→NO across 3 runs] NO seen"),
        (("NO", "NO", "NO"), "NO", "NO seen"),
        (
            (None, "YES", "PARTIAL"),
            "PARTIAL",
            "[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] PARTIAL seen",
        ),
        ((None, None, "YES"), None, "None seen"),
    ],
)
def test_the_least_vote_stands_with_a_note(votes, status, evidence: str) -> None:
    result = _minimum_vote(judged(*votes), 3)
    assert (result.status, result.evidence, result.votes) == (status, evidence, list(votes))


def test_claims_are_matched_by_components_and_statement_whatever_their_place() -> None:
    first = [
        claim("The heads 9.9 and 9.6 copy the name", ["9.9", "9.6"]),
        claim("MLP 8 stores years", ["MLP 8"]),
    ]
    second = [
        claim("Years are stored by MLP 8", ["MLP 8"]),
        claim("Heads 9.6, 9.9 copy names", ["9.6", "9.9"]),
    ]
    assert match_claims([first, second], least_similarity=0.5) == [[0, 1], [1, 0]]


def test_similarity_is_the_geometric_mean_of_shared_components_and_shared_words() -> None:
    one = claim("Head 9.9 copies the subject name", ["9.9", "MLP 8"], system=False)
    other = claim("The name of the city is stored", ["mlp8", "L3H4"], system=False)
    # Of three components in all, one is shared; of two words beside the component and the verb, one.
    assert similarity(one, other) == pytest.approx((1 / 3 * 1 / 2) ** 0.5)
    # No components: words alone.
    assert similarity(claim("names are copied"), claim("it copied names")) == 1


def test_a_system_claim_is_as_similar_as_its_words_or_its_components() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4"]
    one, other = (
        claim("A circuit adds digits", heads, system=True),
        claim("It sums figures", heads[:2], system=True),
    )
    assert similarity(one, other) == pytest.approx((2 / 4) ** 0.5)
    assert similarity(one, other.model_copy(update={"system": False})) == 0


def test_a_role_stands_for_the_heads_that_any_claim_gives_it() -> None:
    role, heads = (
        claim("Movers copy it", ["Name Mover"], system=False),
        claim("They write it", ["9.9"], system=False),
    )
    both = claim("The name is copied", ["9.9 (Name Mover)"], system=False)
    assert ClaimComparison([role, heads]).similarity(role, heads) == 0
    named = claim("The mover writes a name", ["9.9"], system=False)
    assert ClaimComparison([role, named]).similarity(role, named) == 1  # by words alone: "mover"
    other = claim("The mover writes a name", ["9.6"], system=False)
    assert ClaimComparison([role, other, both]).similarity(role, other) == 0  # 9.9 is the mover


@pytest.mark.parametrize(("first", "second", "same"), COMPONENTS)
def test_a_component_is_the_same_however_it_is_written(first: str, second: str, same: bool) -> None:
    assert bool(_read_part(first).keys & _read_part(second).keys) == same


def test_two_claims_of_one_run_are_never_taken_to_be_one() -> None:
    twice = [claim("MLP 8 stores years", ["MLP 8"]), claim("MLP 8 stores years twice", ["MLP 8"])]
    assert match_claims([twice, twice[:1]], least_similarity=0.5) == [[0, 0], [1, None]]


def test_a_claim_that_a_majority_of_runs_lacks_is_dropped_and_listed() -> None:
    shared, alone = claim("MLP 8 stores years", ["MLP 8"]), claim("Head 1.1 looks back", ["1.1"])
    voted = vote([run(0, shared), run(1, shared, alone), run(2, shared)], least_similarity=0.5)
    assert [one.statement for one in voted.claims] == ["MLP 8 stores years"]
    assert [(one.run, one.statement) for one in voted.dropped] == [(1, "Head 1.1 looks back")]
    halved = vote([run(0, shared), run(1, shared, alone)], least_similarity=0.5)
    assert [one.runs for one in halved.claims] == [[0, 0]]  # half of the runs are no majority
    assert [(one.run, one.statement) for one in halved.dropped] == [(1, "Head 1.1 looks back")]
    # One run alone keeps its claims.
    assert len(vote([run(0, shared, alone)], least_similarity=0.5).claims) == 2


def test_an_unscored_run_has_no_vote_and_without_a_scored_one_the_paper_says_why() -> None:
    fault = Fault(kind="cut", message="the reply was cut")
    voted = vote(
        [run(0, claim(rest="YES")), run(1, fault=fault), run(2, claim(rest="YES"))],
        least_similarity=0.5,
    )
    assert voted.scored_runs == [0, 2]
    assert all(voted.claims[0].criteria[code].status == "YES" for code in CRITERIA)
    unscored = vote([run(0, fault=fault), run(1, fault=fault)], least_similarity=0.5)
    assert (unscored.claims, unscored.fault and unscored.fault.kind) == ([], "cut")


@pytest.mark.parametrize(("left_out", "system"), [(0, True), (1, False)])
def test_no_component_takes_the_place_of_a_claim_that_was_left_out(
    left_out: int, system: bool
) -> None:
    runs = [run(0, claim(rest="YES", system=False)).model_copy(update={"left_out": left_out})]
    voted = vote(runs, least_similarity=0.5)
    scores = score_paper(
        runs,
        voted,
        audit(voted, _LexicalJudge("rules", {}), leak_audit=True, devils_advocate="none"),
    )
    assert [one.system for one in voted.claims] == [system]
    assert [cvs is not None for cvs in (scores.cvs, *scores.single_runs)] == [system, system]


def test_runs_that_find_no_claim_are_scored_and_their_notes_are_kept_once() -> None:
    runs = [
        run(number).model_copy(update={"notes": ["asked again", f"only in {number}"]})
        for number in range(2)
    ]
    voted = vote(runs, least_similarity=0.5)
    assert (voted.claims, voted.fault, voted.scored_runs) == ([], None, [0, 1])
    assert voted.notes == ["asked again", "run 0: only in 0", "run 1: only in 1"]
    scores = score_paper(
        runs,
        voted,
        audit(voted, _LexicalJudge("rules", {}), leak_audit=True, devils_advocate="none"),
    )
    assert (scores.main, scores.cvs, scores.fault) == (None, None, None)


statuses = st.fixed_dictionaries(
    {code: st.sampled_from((*STATUSES, None)) for code in ("C1", "I2", "E5")}
)
claims = st.builds(
    claim,
    st.sampled_from(STATEMENTS),
    st.lists(st.sampled_from(["3.1", "3.2", "MLP 4"]), max_size=3, unique=True),
    statuses,
)
runs = st.lists(st.lists(claims, min_size=1, max_size=3), min_size=2, max_size=3)


@given(runs)
@settings(max_examples=30, deadline=None)
def test_the_vote_never_raises_a_status(found) -> None:
    voted = vote([run(number, *some) for number, some in enumerate(found)], least_similarity=0.5)
    for one in voted.claims:
        members = [
            found[number][index] for number, index in enumerate(one.runs) if index is not None
        ]
        for code in CRITERIA:
            given_votes = [member.criteria[code].status for member in members]
            assert sorted(map(str, one.criteria[code].votes)) == sorted(map(str, given_votes))
            if (status := one.criteria[code].status) is not None:
                cast = [STATUSES.index(each) for each in given_votes if each is not None]
                assert STATUSES.index(status) == min(cast)


@given(runs)
@settings(max_examples=20, deadline=None)
def test_the_vote_does_not_depend_on_the_order_of_the_runs(found) -> None:
    def told(order):
        voted = vote(
            [run(number, *found[place]) for number, place in enumerate(order)], least_similarity=0.5
        )
        kept = [
            (one.statement, {code: each.status for code, each in one.criteria.items()})
            for one in voted.claims
        ]
        return kept, sorted(one.statement for one in voted.dropped)

    orders = list(permutations(range(len(found))))
    assert all(told(order) == told(orders[0]) for order in orders[1:])
