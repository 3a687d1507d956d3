"""Several wordings of one claim match, and two different claims in similar words do not.

The wordings are in `paraphrases.yaml`, which was written before the rule that matches claims.
"""

from itertools import chain, combinations, permutations
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
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper, plan_papers
from tests.unit.instruments.claims.claims_by_hand import claim, run

MIN_SIMILARITY = 0.5
PARAPHRASES = yaml.safe_load((Path(__file__).parent / "paraphrases.yaml").read_text())


def part(statement: str, components: list[str]) -> Claim:
    """A component's claim with YES on all criteria.

    It scores 10: if it took the place of a system claim, the paper's score would show it.
    """
    return claim(statement, components, rest="YES", system=False)


def written(wording: list[Any]) -> Claim:
    """The claim of a wording, which is a list of level, statement and components.

    A system claim has NO on all criteria, so that it scores 0.
    """
    level, statement, components = wording
    if level == "component":
        return part(statement, components)
    return claim(statement, components, rest="NO", system=True)


def wordings_by_name() -> dict[str, list[Claim]]:
    """The wordings of each claim, by the claim's name."""
    by_name = {}
    for group in PARAPHRASES["same"]:
        by_name[group["name"]] = [written(wording) for wording in group["wordings"]]
    return by_name


WORDINGS = wordings_by_name()
# The wordings of each system claim, and all wordings of component claims.
SYSTEMS = [wordings for wordings in WORDINGS.values() if wordings[0].system]
PARTS = [wording for wording in chain.from_iterable(WORDINGS.values()) if not wording.system]
PART = part("Head 3.1 detects the plural", ["3.1"])


def matches(first: Claim, second: Claim) -> bool:
    """Whether the claims of two runs, of one claim each, are in one group."""
    return len(match_claims([[first], [second]], least_similarity=MIN_SIMILARITY)) == 1


def vote_on(*runs: Run) -> Voted:
    """The vote of these runs, by the minimum."""
    return vote(runs, least_similarity=MIN_SIMILARITY)


@pytest.mark.parametrize("name", WORDINGS)
def test_the_vote_keeps_a_claim_that_all_runs_state_in_words_of_their_own(name: str) -> None:
    for order in permutations(WORDINGS[name]):
        runs = [run(number, wording) for number, wording in enumerate(order)]
        voted = vote_on(*runs)
        (kept,) = voted.claims
        assert kept.runs == [0] * len(order)
        assert voted.dropped == []


def test_at_least_five_in_six_pairs_of_wordings_of_a_claim_match() -> None:
    """Some pairs have no word in common, such as those with these subjects:

    - a Fourier transform, and rotations about a circle;
    - mod-10 features, and ordinals.
    """
    matched = []
    for wordings in WORDINGS.values():
        for first, second in combinations(wordings, 2):
            matched.append(matches(first, second))

    assert matched.count(True) >= 5 / 6 * len(matched)


@pytest.mark.parametrize(
    "near_miss", PARAPHRASES["different"], ids=lambda near_miss: near_miss["name"]
)
def test_two_claims_in_similar_words_are_two(near_miss: dict[str, Any]) -> None:
    first, second = map(written, near_miss["pair"])

    assert not matches(first, second)
    assert not matches(second, first)


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_a_paper_whose_runs_all_state_its_system_claim_never_loses_it(seed: int) -> None:
    """In any wording, beside any claims about components, in any order.

    The runs may even state different system claims, whose wordings have nothing in common.
    """
    random = Random(seed)  # noqa: S311
    wordings_of_all_claims = list(chain.from_iterable(SYSTEMS))
    wordings = random.choice([*SYSTEMS, wordings_of_all_claims])
    runs = []
    for number in range(random.randint(1, 4)):
        claims = [random.choice(wordings), *random.sample(PARTS, random.randint(0, 3))]
        random.shuffle(claims)
        runs.append(run(number, *claims))

    voted = vote_on(*runs)
    (system,) = [kept for kept in voted.claims if kept.system]

    runs_without_it = system.runs.count(None)
    assert runs_without_it < len(runs) / 2
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


def test_the_system_claim_comes_before_the_claims_of_components() -> None:
    voted = vote_on(run(0, PART, SOLVES_NAMES), run(1, PART, ADDS_BY_SINES))
    assert [kept.runs for kept in voted.claims] == [[1, 1], [0, 0]]


def test_a_second_system_claim_is_dropped_if_a_majority_states_the_first_alike() -> None:
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


def test_a_paper_without_a_system_claim_has_the_score_of_a_component() -> None:
    parts_only = vote_on(run(0, PART), run(1, PART))

    assert [kept.system for kept in parts_only.claims] == [True]
    assert paper_cvs(parts_only.claims) == 10


def test_the_level_that_the_judge_gives_a_claim_goes_before_the_heuristics() -> None:
    """By the heuristics "mechanism" and five components make a system claim."""
    heads = ["1.1", "2.2", "3.3", "4.4", "5.5"]
    five_heads = claim("A mechanism of five heads copies the name", heads, system=False)
    one_head = claim("It makes verbs agree", ["3.1"], system=True)

    voted = vote_on(run(0, one_head, five_heads))

    assert [kept.system for kept in voted.claims] == [True, False]


def test_the_heuristics_give_a_claim_its_level_if_the_judge_does_not() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4", "5.5"]
    five_heads = claim("A mechanism of five heads copies the name", heads, system=None)
    one_head = claim("It makes verbs agree", ["3.1"], system=None)

    voted = vote_on(run(0, one_head, five_heads))

    assert [kept.system for kept in voted.claims] == [False, True]


# Claims of planted papers


def renamed(component: str) -> str:
    """A component in another form: 7.3 as L7H3, MLP 9 as m9."""
    if "MLP" in component:
        return component.replace("MLP ", "m")
    layer, index = component.split(".")
    return f"L{layer}H{index}"


def paraphrase(planted: PlantedClaim, paper: PlantedPaper) -> Claim:
    """A planted claim in words that all claims of its level share, and with renamed components."""
    if planted.system:
        whole = f"{paper.model} does {paper.task} through parts that were isolated"
        return claim(whole, system=True)
    components = [renamed(name) for name in planted.components]
    return claim("These parts do a step of it", components, system=False)


def test_a_judge_that_paraphrases_and_renames_finds_every_planted_claim_and_no_other() -> None:
    not_planted = claim("These parts do a step of it", ["L91H1", "L91H2"], system=False)
    for paper in plan_papers(20, 3):
        planted = []
        for stated in paper.claims:
            planted.append(claim(stated.statement, stated.components, system=stated.system))
        judged = [not_planted, *(paraphrase(stated, paper) for stated in paper.claims)]

        groups = match_claims([judged, planted], least_similarity=MIN_SIMILARITY)

        # [index in `judged`, index in `planted`]
        expected: list[list[int | None]] = [[0, None]]
        for index in range(len(planted)):
            expected.append([index + 1, index])
        assert sorted(groups, key=str) == sorted(expected, key=str)
