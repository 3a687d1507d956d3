"""One claim in several wordings is one claim, and two claims in similar words are two: on a set written beforehand."""

from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.instruments.claims.rubric.records import Claim, Run, Voted
from mechaware.instruments.claims.rubric.scoring import paper_cvs
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import plan_papers
from tests.unit.instruments.claims.claims_by_hand import claim, run

MIN_SIMILARITY = 0.5
SET = yaml.safe_load((Path(__file__).parent / "paraphrases.yaml").read_text())


def part(statement: str, components: list[str]) -> Claim:
    """A component's claim with YES on all criteria, which scores 10: in the place of a system claim it would show."""
    return claim(statement, components, rest="YES", system=False)


def written(wording: list[Any]) -> Claim:
    """The claim of a wording: its level, its statement and its components. A system claim has NO on all criteria."""
    level, statement, components = wording
    if level == "component":
        return part(statement, components)
    return claim(statement, components, rest="NO", system=True)


# The wordings of one claim, by its name.
WORDINGS: dict[str, list[Claim]] = {}
for group in SET["same"]:
    WORDINGS[group["name"]] = [written(wording) for wording in group["wordings"]]
SYSTEMS = [wordings for wordings in WORDINGS.values() if wordings[0].system]
PARTS = [wording for wordings in WORDINGS.values() for wording in wordings if not wording.system]
PART = part("Head 3.1 detects the plural", ["3.1"])


def matches(first: Claim, second: Claim) -> bool:
    return len(match_claims([[first], [second]], least_similarity=MIN_SIMILARITY)) == 1


def vote_on(*runs: Run) -> Voted:
    return vote(runs, least_similarity=MIN_SIMILARITY)


@pytest.mark.parametrize("name", WORDINGS)
def test_the_vote_keeps_a_claim_that_all_runs_state_in_words_of_their_own(name: str) -> None:
    for order in permutations(WORDINGS[name]):
        voted = vote_on(*[run(number, wording) for number, wording in enumerate(order)])
        (kept,) = voted.claims
        assert kept.runs == [0] * len(order)
        assert voted.dropped == []


def test_most_wordings_of_a_claim_match_two_by_two() -> None:
    """Some have no word in common: Fourier transforms and rotations about a circle, mod-10 features and ordinals."""
    matched = []
    for wordings in WORDINGS.values():
        for first, second in combinations(wordings, 2):
            matched.append(matches(first, second))

    assert matched.count(True) >= 5 / 6 * len(matched)


@pytest.mark.parametrize("near_miss", SET["different"], ids=lambda near_miss: near_miss["name"])
def test_two_claims_in_similar_words_are_two(near_miss: dict[str, Any]) -> None:
    first, second = map(written, near_miss["pair"])

    assert not matches(first, second)
    assert not matches(second, first)


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_a_paper_whose_runs_all_state_its_system_claim_never_loses_it(seed: int) -> None:
    """In any wording, even if the wordings have nothing in common, beside any components, in any order."""
    random = Random(seed)  # noqa: S311
    all_wordings = [wording for wordings in SYSTEMS for wording in wordings]
    wordings = random.choice([*SYSTEMS, all_wordings])
    runs = []
    for number in range(random.randint(1, 4)):
        claims = [random.choice(wordings), *random.sample(PARTS, random.randint(0, 3))]
        random.shuffle(claims)
        runs.append(run(number, *claims))

    voted = vote_on(*runs)
    (system,) = [kept for kept in voted.claims if kept.system]

    assert 2 * system.runs.count(None) < len(runs)
    assert paper_cvs(voted.claims) == 0


# A system claim in words that have nothing in common

SOLVES_NAMES = claim("A circuit of heads solves the name task", system=True)
ADDS_BY_SINES = claim("Modular sums are implemented by sines", system=True)
REFUSES = claim("It refuses", system=True)


def test_system_claims_in_unlike_words_are_one_with_a_note() -> None:
    voted = vote_on(run(0, SOLVES_NAMES), run(1, ADDS_BY_SINES), run(2, REFUSES))

    (kept,) = voted.claims
    assert kept.runs == [0, 0, 0]

    (note,) = voted.notes
    for stated in (SOLVES_NAMES, ADDS_BY_SINES, REFUSES):
        assert stated.statement in note


def test_system_claims_in_the_same_words_are_one_without_a_note() -> None:
    assert vote_on(run(0, SOLVES_NAMES), run(1, SOLVES_NAMES)).notes == []


def test_the_papers_own_claim_stands_before_those_of_components() -> None:
    voted = vote_on(run(0, PART, SOLVES_NAMES), run(1, PART, ADDS_BY_SINES))
    assert [kept.runs for kept in voted.claims] == [[1, 1], [0, 0]]


def test_beside_a_system_claim_that_a_majority_states_alike_another_is_dropped_without_a_note() -> (
    None
):
    voted = vote_on(run(0, SOLVES_NAMES, ADDS_BY_SINES), run(1, SOLVES_NAMES), run(2, SOLVES_NAMES))

    assert [kept.runs for kept in voted.claims] == [[0, 0, 0]]
    assert voted.notes == []


def test_system_claims_that_contradict_each_other_are_two() -> None:
    denied = claim("A circuit of heads does not solve the name task", system=True)

    voted = vote_on(run(0, SOLVES_NAMES), run(1, denied))

    assert voted.claims == []
    assert len(voted.dropped) == 2


def test_a_component_does_not_take_the_place_of_a_system_claim_that_the_vote_dropped() -> None:
    circuit = SYSTEMS[0][0]

    voted = vote_on(run(0, circuit, PART), run(1, PART), run(2, PART))

    assert [kept.system for kept in voted.claims] == [False]
    assert paper_cvs(voted.claims) is None


def test_the_score_of_a_paper_without_a_system_claim_is_a_components() -> None:
    parts_only = vote_on(run(0, PART), run(1, PART))

    assert [kept.system for kept in parts_only.claims] == [True]
    assert paper_cvs(parts_only.claims) == 10


def test_a_component_that_sounds_like_a_system_is_what_the_judge_calls_it() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4", "5.5"]
    sounding = claim("A mechanism of five heads copies the name", heads, system=False)
    circuit = claim("It makes verbs agree", ["3.1"], system=True)

    voted = vote_on(run(0, circuit, sounding))

    assert [kept.system for kept in voted.claims] == [True, False]

    # Without the judge's word it is what it sounds like.
    unsaid = [stated.model_copy(update={"system": None}) for stated in (circuit, sounding)]
    voted = vote_on(run(0, *unsaid))
    assert [kept.system for kept in voted.claims] == [False, True]


# Planted claims


def test_a_judge_that_paraphrases_and_renames_finds_every_planted_claim_and_no_other() -> None:
    for paper in plan_papers(20, 3):
        whole = f"{paper.model} does {paper.task} through parts that were isolated"
        step = "These parts do a step of it"
        planted = []
        judged = [claim(step, ["L91H1", "L91H2"], system=False)]  # of no planted claim
        expected = [[0, None]]
        for index, planted_claim in enumerate(paper.claims):
            components = planted_claim.components
            system = planted_claim.system
            planted.append(claim(planted_claim.statement, components, system=system))
            if system:
                judged.append(claim(whole, system=True))
            else:
                judged.append(claim(step, [renamed(name) for name in components], system=False))
            expected.append([index + 1, index])

        groups = match_claims([judged, planted], least_similarity=MIN_SIMILARITY)
        assert sorted(groups, key=str) == sorted(expected, key=str)


def renamed(component: str) -> str:
    """7.3 as L7H3, MLP 9 as m9."""
    if "MLP" in component:
        return component.replace("MLP ", "m")
    layer, index = component.split(".")
    return f"L{layer}H{index}"
