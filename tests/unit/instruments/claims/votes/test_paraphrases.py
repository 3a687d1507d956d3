"""One claim in several wordings is one claim, and two claims in similar words are two: on a set written beforehand."""

from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.rubric.scoring import _main_claim
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.instruments.claims.votes.voting import vote
from mechaware.planted.papers.plan import plan_papers
from tests.unit.instruments.claims.claims_by_hand import claim, run

MIN_SIMILARITY = 0.5
SET = yaml.safe_load((Path(__file__).parent / "paraphrases.yaml").read_text())
PAIRS = [pair for group in SET["same"] for pair in combinations(group["wordings"], 2)]


def written(wording: list[Any]) -> Claim:
    level, statement, components = wording
    return claim(statement, components, system=level == "s")


GROUPS = {
    group["name"]: [written(wording) for wording in group["wordings"]] for group in SET["same"]
}
SYSTEMS = [wordings for wordings in GROUPS.values() if wordings[0].system]
PARTS = [wording for wordings in GROUPS.values() for wording in wordings if not wording.system]


def matches(first: Claim, second: Claim) -> bool:
    return len(match_claims([[first], [second]], least_similarity=MIN_SIMILARITY)) == 1


@pytest.mark.parametrize("name", GROUPS)
def test_the_vote_keeps_a_claim_that_all_runs_state_in_words_of_their_own(name: str) -> None:
    for order in permutations(GROUPS[name]):
        voted = vote(
            [run(number, wording) for number, wording in enumerate(order)],
            least_similarity=MIN_SIMILARITY,
        )
        assert [one.runs for one in voted.claims] == [[0] * len(order)]
        assert voted.dropped == []


def test_most_wordings_of_a_claim_match_two_by_two() -> None:
    """Some have no word in common: Fourier transforms and rotations about a circle, mod-10 features and ordinals."""
    matched = [matches(written(first), written(second)) for first, second in PAIRS]
    assert matched.count(True) >= 5 / 6 * len(PAIRS)


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
    all_wordings = [wording for group in SYSTEMS for wording in group]
    wordings = random.choice([*SYSTEMS, all_wordings])
    runs = []
    for number in range(random.randint(1, 4)):
        claims = [random.choice(wordings), *random.sample(PARTS, random.randint(0, 3))]
        runs.append(run(number, *random.sample(claims, len(claims))))
    voted = vote(runs, least_similarity=MIN_SIMILARITY)
    (system,) = (one for one in voted.claims if one.system)
    assert 2 * system.runs.count(None) < len(runs)
    main = _main_claim(voted.claims)
    assert main is not None
    assert voted.claims[main] == system


def test_system_claims_in_unlike_words_are_one_with_a_note_and_contradictory_ones_are_two() -> None:
    statements = [
        "A circuit of heads solves the name task",
        "Modular sums are implemented by sines",
        "It refuses",
    ]
    unlike = [claim(statement, system=True) for statement in statements]
    voted = vote(
        [run(number, one) for number, one in enumerate(unlike)], least_similarity=MIN_SIMILARITY
    )
    assert [one.runs for one in voted.claims] == [[0, 0, 0]]
    (note,) = voted.notes
    assert all(statement in note for statement in statements)
    alike = vote([run(0, unlike[0]), run(1, unlike[0])], least_similarity=MIN_SIMILARITY)
    assert alike.notes == []
    # The paper's own claim stands before those of components.
    part = claim("Head 3.1 detects the plural", ["3.1"], system=False)
    with_parts = vote(
        [run(0, part, unlike[0]), run(1, part, unlike[1])], least_similarity=MIN_SIMILARITY
    )
    assert [one.runs for one in with_parts.claims] == [[1, 1], [0, 0]]
    # Beside one that a majority states alike, another is dropped without a note.
    beside = vote(
        [run(0, unlike[0], unlike[1]), run(1, unlike[0]), run(2, unlike[0])],
        least_similarity=MIN_SIMILARITY,
    )
    assert ([one.runs for one in beside.claims], beside.notes) == ([[0, 0, 0]], [])
    denied = claim("A circuit of heads does not solve the name task", system=True)
    contradictory = vote([run(0, unlike[0]), run(1, denied)], least_similarity=MIN_SIMILARITY)
    assert (contradictory.claims, len(contradictory.dropped)) == ([], 2)


def test_a_component_does_not_take_the_place_of_a_system_claim_that_the_vote_dropped() -> None:
    circuit = SYSTEMS[0][0]
    part = claim("Head 3.1 detects the plural", ["3.1"], system=False)
    voted = vote(
        [run(0, circuit, part), run(1, part), run(2, part)], least_similarity=MIN_SIMILARITY
    )
    assert [one.system for one in voted.claims] == [False]
    assert _main_claim(voted.claims) is None
    # A paper without a system claim.
    parts_only = vote([run(0, part), run(1, part)], least_similarity=MIN_SIMILARITY)
    assert _main_claim(parts_only.claims) == 0


def test_a_component_that_sounds_like_a_system_is_what_the_judge_calls_it() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4", "5.5"]
    sounding = claim("A mechanism of five heads copies the name", heads, system=False)
    circuit = claim("It makes verbs agree", ["3.1"], system=True)
    voted = vote([run(0, circuit, sounding)], least_similarity=MIN_SIMILARITY)
    assert [one.system for one in voted.claims] == [True, False]
    unsaid = [one.model_copy(update={"system": None}) for one in (circuit, sounding)]
    assert [
        one.system for one in vote([run(0, *unsaid)], least_similarity=MIN_SIMILARITY).claims
    ] == [
        False,
        True,
    ]


def test_a_judge_that_paraphrases_and_renames_finds_every_planted_claim_and_no_other() -> None:
    for paper in plan_papers(20, 3):
        whole = f"{paper.model} does {paper.task} through parts that were isolated"
        step = "These parts do a step of it"
        planted = []
        judged = [claim(step, ["L91H1", "L91H2"], system=False)]  # of no planted claim
        expected = [[0, None]]
        for index, one in enumerate(paper.claims):
            planted.append(claim(one.statement, one.components, system=one.system))
            if one.system:
                judged.append(claim(whole, system=True))
            else:
                judged.append(claim(step, [renamed(name) for name in one.components], system=False))
            expected.append([index + 1, index])

        groups = match_claims([judged, planted], least_similarity=MIN_SIMILARITY)
        assert sorted(groups, key=str) == sorted(expected, key=str)


def renamed(component: str) -> str:
    """7.3 as L7H3, MLP 9 as m9."""
    if "MLP" in component:
        return component.replace("MLP ", "m")
    layer, index = component.split(".")
    return f"L{layer}H{index}"
