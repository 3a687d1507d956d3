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
from mechaware.instruments.claims.votes.matching import match_claims
from mechaware.instruments.claims.votes.similarity import ClaimComparison, _read_part
from mechaware.instruments.claims.votes.voting import _vote_on, vote
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
        ((None, "YES"), None, "None seen"),  # half of the votes are not most of them
        # One of the three runs lacks the claim.
        (("YES", "PARTIAL"), "PARTIAL", "[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] PARTIAL seen"),
    ],
)
def test_the_least_vote_stands_with_a_note(votes, status, evidence: str) -> None:
    result = _vote_on(judged(*votes), 3, "minimum")
    assert (result.status, result.evidence, result.votes) == (status, evidence, list(votes))


@pytest.mark.parametrize(
    ("votes", "status", "evidence"),
    [
        (("YES", "YES", "PARTIAL"), "YES", "[MEDIAN-VOTE: PARTIAL→YES across 3 runs] YES seen"),
        (("NO", "YES", "YES"), "YES", "[MEDIAN-VOTE: NO→YES across 3 runs] YES seen"),
        # Of a lower and a higher vote the note has the higher one.
        (
            ("PARTIAL", "NO", "YES"),
            "PARTIAL",
            "[MEDIAN-VOTE: YES→PARTIAL across 3 runs] PARTIAL seen",
        ),
        (("NO", "NO", "PARTIAL"), "NO", "[MEDIAN-VOTE: PARTIAL→NO across 3 runs] NO seen"),
        (("NO", "NO", "NO"), "NO", "NO seen"),
        # Of two votes the lower one.
        ((None, "YES", "NO"), "NO", "[MEDIAN-VOTE: YES→NO across 2 of 3 runs] NO seen"),
        ((None, None, "YES"), None, "None seen"),
    ],
)
def test_the_median_vote_stands_with_a_note(votes, status, evidence: str) -> None:
    result = _vote_on(judged(*votes), 3, "median")
    assert (result.status, result.evidence, result.votes) == (status, evidence, list(votes))


def test_the_longest_evidence_of_the_least_status_is_quoted_and_the_last_by_letters_of_a_tie() -> (
    None
):
    votes = [
        Judgement(status="PARTIAL", evidence="b: page 2", quotes=[(1, 2)]),
        Judgement(status="PARTIAL", evidence="a: pages 2 and 3", quotes=[(3, 4)]),
        Judgement(status="PARTIAL", evidence="c: page 4", quotes=[(5, 6)]),
        Judgement(status="YES", evidence="d: pages 2, 3, 4, 5 and 6", quotes=[(7, 8)]),
    ]
    note = "[MIN-VOTE: YES→PARTIAL across 4 runs] "
    longest = _vote_on(votes, 4, "minimum")
    assert (longest.evidence, longest.quotes) == (f"{note}a: pages 2 and 3", [(3, 4)])
    tied = _vote_on([votes[0], votes[2], votes[0], votes[3]], 4, "minimum")
    assert (tied.evidence, tied.quotes) == (f"{note}c: page 4", [(5, 6)])


def test_a_criterion_without_a_status_gives_the_first_reason_by_letters() -> None:
    votes = [
        Judgement(status=None, evidence="no quote"),
        Judgement(status="YES", evidence="a table"),
        Judgement(status=None, evidence="cut"),
    ]
    result = _vote_on(votes, 3, "minimum")
    assert (result.status, result.evidence, result.votes) == (None, "cut", [None, "YES", None])


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
    one = claim("A circuit adds digits", heads, system=True)
    other = claim("It sums figures", heads[:2], system=True)
    assert similarity(one, other) == pytest.approx((2 / 4) ** 0.5)
    assert similarity(one, other.model_copy(update={"system": False})) == 0


def test_a_role_stands_for_the_heads_that_any_claim_gives_it() -> None:
    role = claim("Movers copy it", ["Name Mover"], system=False)
    heads = claim("They write it", ["9.9"], system=False)
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


def statements_of(runs: list[list[Claim]], groups: list[list[int | None]]) -> list[list[str]]:
    """The statements of each group, the runs that lack it left out."""
    return [
        [runs[number][index].statement for number, index in enumerate(group) if index is not None]
        for group in groups
    ]


def test_claims_exactly_as_similar_as_the_least_match() -> None:
    # One of three components and one of two words are shared, as above.
    one = claim("Head 9.9 copies the subject name", ["9.9", "MLP 8"], system=False)
    other = claim("The name of the city is stored", ["mlp8", "L3H4"], system=False)
    exact = similarity(one, other)
    assert match_claims([[one], [other]], least_similarity=exact) == [[0, 0]]
    assert len(match_claims([[one], [other]], least_similarity=exact + 1e-9)) == 2


def test_claims_in_the_same_words_are_told_apart_by_their_components() -> None:
    heads = [
        claim("It reads the verb", ["1.1"], system=False),
        claim("It reads the verb", ["2.2"], system=False),
    ]
    assert match_claims([heads, heads[::-1]], least_similarity=0.5) == [[0, 1], [1, 0]]


# By words alone, the first and the last have half of the one between them, and nothing in common.
COLOURS = claim("colours singulars", system=False)
BETWEEN = claim("blues singulars decades", system=False)
YEARS = claim("years decades", system=False)


def test_the_run_that_agrees_most_with_the_others_is_the_reference() -> None:
    assert similarity(COLOURS, BETWEEN) == similarity(BETWEEN, YEARS) == 0.5
    assert similarity(COLOURS, YEARS) == 0
    # Further claims of a run, which no other has, do not make it agree more.
    more = [claim("Tokens rhyme", system=False), claim("Digits carry", system=False)]
    runs = [[COLOURS, *more], [BETWEEN], [YEARS]]
    groups = [[0, 0, 0], [1, None, None], [2, None, None]]
    assert match_claims(runs, least_similarity=0.5) == groups


def test_of_two_runs_that_agree_as_much_the_last_by_content_is_the_reference() -> None:
    """In any order of the runs. Each statement has a word of the next one, and the two inner ones agree most."""
    chain = [
        claim(statement, system=False)
        for statement in ("apples figs", "figs pears", "pears plums", "plums kiwis")
    ]
    for order in permutations(chain):
        runs = [[one] for one in order]
        groups = statements_of(runs, match_claims(runs, least_similarity=0.5))
        assert sorted(map(sorted, groups)) == [
            ["apples figs"],
            ["figs pears", "pears plums", "plums kiwis"],
        ]


def test_the_vote_states_a_claim_in_the_words_closest_to_those_of_all_runs() -> None:
    voted = vote([run(0, COLOURS), run(1, BETWEEN), run(2, YEARS)], least_similarity=0.5)
    assert [one.statement for one in voted.claims] == [BETWEEN.statement]


def test_two_wordings_equally_close_are_chosen_between_by_content() -> None:
    for pair in ((COLOURS, BETWEEN), (BETWEEN, COLOURS)):
        voted = vote([run(0, pair[0]), run(1, pair[1])], least_similarity=0.5)
        assert [one.statement for one in voted.claims] == [COLOURS.statement]


def test_of_equally_similar_claims_those_with_more_letters_in_common_match() -> None:
    """No words are shared. By the alphabet the first claim of each run would match, Bold plans and Herbs."""
    runs = [
        [claim("Bold plans of chess", system=True), claim("Verbs agree", system=True)],
        [claim("Old clans of chests", system=True), claim("Herbs are green", system=True)],
    ]
    groups = match_claims(runs, least_similarity=0.0)
    assert sorted(statements_of(runs, groups)) == [
        ["Bold plans of chess", "Old clans of chests"],
        ["Verbs agree", "Herbs are green"],
    ]


def test_claims_are_not_assigned_to_their_contradictions() -> None:
    """They have more letters in common with them, and nothing else in common with any."""
    runs = [
        [claim("A circuit solves the task", system=True), claim("It never refuses", system=True)],
        [claim("A circuit does not solve the task", system=True), claim("It refuses", system=True)],
    ]
    assert sorted(match_claims(runs, least_similarity=0.0)) == [[0, 1], [1, 0]]


def test_claims_are_ordered_by_their_mean_place_and_system_claims_come_first() -> None:
    nouns = claim("MLP 1 stores nouns", ["MLP 1"], system=False)
    years = claim("MLP 2 stores years", ["MLP 2"], system=False)
    names = claim("MLP 3 stores names", ["MLP 3"], system=False)
    verbs = claim("MLP 4 stores verbs", ["MLP 4"], system=False)
    runs = [[nouns, years, names], [years, verbs, names, nouns]]
    # Mean places 0.5, 1 (of one run), 1.5 and 2; of the last two the largest places are 3 and 2.
    expected = [[1, 0], [None, 1], [0, 3], [2, 2]]
    assert match_claims(runs, least_similarity=0.5) == expected
    circuit = claim("A circuit makes verbs agree", system=True)
    with_system = [[*claims, circuit] for claims in runs]
    assert match_claims(with_system, least_similarity=0.5) == [[3, 4], *expected]


def test_a_claim_that_a_majority_of_runs_lacks_is_dropped_and_listed() -> None:
    shared = claim("MLP 8 stores years", ["MLP 8"])
    alone = claim("Head 1.1 looks back", ["1.1"])
    voted = vote([run(0, shared), run(1, shared, alone), run(2, shared)], least_similarity=0.5)
    assert [one.statement for one in voted.claims] == ["MLP 8 stores years"]
    assert [(one.run, one.statement) for one in voted.dropped] == [(1, "Head 1.1 looks back")]
    halved = vote([run(0, shared), run(1, shared, alone)], least_similarity=0.5)
    assert [one.runs for one in halved.claims] == [[0, 0]]  # half of the runs are no majority
    assert [(one.run, one.statement) for one in halved.dropped] == [(1, "Head 1.1 looks back")]
    # One run alone keeps its claims.
    assert len(vote([run(0, shared, alone)], least_similarity=0.5).claims) == 2


def test_dropped_claims_are_listed_by_run_and_then_by_statement() -> None:
    shared = claim("MLP 1 stores years", ["MLP 1"], system=False)
    others = [
        claim("MLP 2 stores verbs", ["MLP 2"], system=False),
        claim("MLP 3 stores nouns", ["MLP 3"], system=False),
        claim("MLP 4 stores names", ["MLP 4"], system=False),
    ]
    verbs, nouns, names = others
    voted = vote(
        [run(0, shared), run(1, shared, names), run(2, nouns, verbs, shared)], least_similarity=0.5
    )
    assert [(one.run, one.statement) for one in voted.dropped] == [
        (1, "MLP 4 stores names"),
        (2, "MLP 2 stores verbs"),
        (2, "MLP 3 stores nouns"),
    ]


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


def test_a_run_with_a_fault_counts_as_a_run_and_not_as_a_vote() -> None:
    fault = Fault(kind="cut", message="the reply was cut")
    lowered = claim(statuses={"C1": "PARTIAL"}, rest="YES")
    voted = vote(
        [run(0, fault=fault), run(1, claim(rest="YES")), run(2, lowered)], least_similarity=0.5
    )
    assert (voted.runs, voted.scored_runs, voted.fault) == (3, [1, 2], None)
    note = "[MIN-VOTE: YES→PARTIAL across 2 runs] evidence for C1"
    assert voted.claims[0].criteria["C1"].evidence == note


def test_without_a_scored_run_the_first_fault_is_given_with_its_run() -> None:
    faults = [
        Fault(kind="filtered", message="the reply was filtered"),
        Fault(kind="cut", message="the reply was cut"),
    ]
    voted = vote(
        [run(number, fault=fault) for number, fault in zip((3, 5), faults, strict=True)],
        least_similarity=0.5,
    )
    assert voted.fault == Fault(
        kind="filtered", message="no run is scored; run 3: the reply was filtered"
    )


def test_what_a_run_with_a_fault_left_out_hides_no_claim_of_the_paper() -> None:
    fault = Fault(kind="cut", message="the reply was cut")
    runs = [
        run(0, claim(rest="YES", system=False)),
        run(1, fault=fault).model_copy(update={"left_out": 1}),
    ]
    assert [one.system for one in vote(runs, least_similarity=0.5).claims] == [True]


def test_a_note_names_its_runs_unless_all_have_it() -> None:
    fault = Fault(kind="cut", message="the reply was cut")
    notes = (["asked again", "repaired"], ["asked again"], ["asked again", "repaired"])
    runs = [run(0), run(1, fault=fault), run(2)]
    noted = [
        one.model_copy(update={"notes": of_run}) for one, of_run in zip(runs, notes, strict=True)
    ]
    voted = vote(noted, least_similarity=0.5)
    assert voted.notes == ["asked again", "run 0, run 2: repaired"]


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
