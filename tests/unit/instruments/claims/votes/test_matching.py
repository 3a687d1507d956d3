"""Claims of several runs are matched by components and words, in any order of runs and claims.

A group has the index of its claim in each run, or None.
"""

from itertools import permutations
from math import sqrt

import pytest

from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.instruments.claims.votes.similarity import ClaimComparison
from tests.unit.instruments.claims.claims_by_hand import claim


def similarity(first: Claim, second: Claim) -> float:
    """The similarity of two claims of a paper that has no others."""
    return ClaimComparison([first, second]).similarity(first, second)


def statements_of_groups(runs: list[list[Claim]], *, least_similarity: float) -> list[list[str]]:
    """The statements of each group of matching claims, without the runs that lack the claim."""
    statements = []
    for group in match_claims(runs, least_similarity=least_similarity):
        members = []
        for claims, index in zip(runs, group, strict=True):
            if index is not None:
                members.append(claims[index].statement)
        statements.append(members)
    return statements


def test_claims_are_matched_by_components_and_statement_in_any_order() -> None:
    first = [
        claim("The heads 9.9 and 9.6 copy the name", ["9.9", "9.6"]),
        claim("MLP 8 stores years", ["MLP 8"]),
    ]
    second = [
        claim("Years are stored by MLP 8", ["MLP 8"]),
        claim("Heads 9.6, 9.9 copy names", ["9.6", "9.9"]),
    ]
    assert match_claims([first, second], least_similarity=0.5) == [[0, 1], [1, 0]]


def test_two_claims_of_one_run_are_never_in_one_group() -> None:
    first = claim("MLP 8 stores years", ["MLP 8"])
    second = claim("MLP 8 stores years twice", ["MLP 8"])
    assert match_claims([[first, second], [first]], least_similarity=0.5) == [[0, 0], [1, None]]


def test_claims_that_are_exactly_as_similar_as_required_match() -> None:
    """The claims share one of three components and one of two telling words.

    The components are 9.9, MLP 8 and L3H4; the telling words are "subject" and "name", and "city"
    and "name".
    """
    one = claim("Head 9.9 copies the subject name", ["9.9", "MLP 8"], system=False)
    other = claim("The name of the city is stored", ["mlp8", "L3H4"], system=False)
    exact = similarity(one, other)
    assert exact == pytest.approx(sqrt(1 / 3 * 1 / 2))
    assert match_claims([[one], [other]], least_similarity=exact) == [[0, 0]]
    assert len(match_claims([[one], [other]], least_similarity=exact + 1e-9)) == 2


def test_claims_in_the_same_words_are_told_apart_by_their_components() -> None:
    first = claim("It reads the verb", ["1.1"], system=False)
    second = claim("It reads the verb", ["2.2"], system=False)
    runs = [[first, second], [second, first]]
    assert match_claims(runs, least_similarity=0.5) == [[0, 1], [1, 0]]


def test_the_run_that_agrees_most_with_the_others_is_the_reference() -> None:
    colours = claim("colours singulars", system=False)
    between = claim("blues singulars decades", system=False)
    years = claim("years decades", system=False)
    # One of two words is shared, or none.
    assert similarity(colours, between) == 0.5
    assert similarity(between, years) == 0.5
    assert similarity(colours, years) == 0

    # The first run has further claims, which no other run has: they do not make it agree more. As
    # the reference it would match only the second run.
    rhymes = claim("Tokens rhyme", system=False)
    carries = claim("Digits carry", system=False)
    runs = [[colours, rhymes, carries], [between], [years]]
    assert match_claims(runs, least_similarity=0.5) == [[0, 0, 0], [1, None, None], [2, None, None]]


def test_of_two_runs_that_agree_as_much_the_last_by_content_is_the_reference() -> None:
    """Each of four statements, in any order of their runs, shares a word with the next one.

    So the second and the third agree most with the others, and equally. By the alphabet the third
    is the last: it is matched with its two neighbours.
    """
    chain = [
        claim("apples figs", system=False),
        claim("figs pears", system=False),
        claim("pears plums", system=False),
        claim("plums kiwis", system=False),
    ]
    for order in permutations(chain):
        runs = [[stated] for stated in order]
        groups = statements_of_groups(runs, least_similarity=0.5)
        assert sorted(map(sorted, groups)) == [
            ["apples figs"],
            ["figs pears", "pears plums", "plums kiwis"],
        ]


def test_of_equally_similar_claims_those_with_more_letters_in_common_match() -> None:
    """No words are shared. By the alphabet the first claims would match, "Bold" and "Herbs"."""
    runs = [
        [claim("Bold plans of chess", system=True), claim("Verbs agree", system=True)],
        [claim("Old clans of chests", system=True), claim("Herbs are green", system=True)],
    ]
    assert sorted(statements_of_groups(runs, least_similarity=0.0)) == [
        ["Bold plans of chess", "Old clans of chests"],
        ["Verbs agree", "Herbs are green"],
    ]


def test_claims_are_not_assigned_to_their_contradictions() -> None:
    """Each claim shares more letters with its contradiction than with the other claim.

    It has no telling word in common with the other claim, so that letters would decide.
    """
    runs = [
        [claim("A circuit solves the task", system=True), claim("It never refuses", system=True)],
        [claim("A circuit does not solve the task", system=True), claim("It refuses", system=True)],
    ]
    assert sorted(match_claims(runs, least_similarity=0.0)) == [[0, 1], [1, 0]]


def test_groups_are_ordered_by_the_mean_index_of_their_claims_and_system_claims_are_first() -> None:
    nouns = claim("MLP 1 stores nouns", ["MLP 1"], system=False)
    years = claim("MLP 2 stores years", ["MLP 2"], system=False)
    names = claim("MLP 3 stores names", ["MLP 3"], system=False)
    verbs = claim("MLP 4 stores verbs", ["MLP 4"], system=False)
    first = [nouns, years, names]
    second = [years, verbs, names, nouns]
    expected = [
        [1, 0],  # years: a mean index of 0.5
        [None, 1],  # verbs: 1, of one run
        [0, 3],  # nouns: 1.5, and a largest index of 3
        [2, 2],  # names: 2, and a largest index of 2
    ]
    assert match_claims([first, second], least_similarity=0.5) == expected

    circuit = claim("A circuit makes verbs agree", system=True)
    with_system = [[*first, circuit], [*second, circuit]]
    assert match_claims(with_system, least_similarity=0.5) == [[3, 4], *expected]
