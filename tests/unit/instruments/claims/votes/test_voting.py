"""The vote on claims and criteria: conservative, and the same in any order of the runs."""

from collections.abc import Iterator, Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechaware.instruments.claims.judges.judge import Judge
from mechaware.instruments.claims.judges.kinds import open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.criteria import CRITERIA, STATUSES, Status
from mechaware.instruments.claims.rubric.records import (
    Claim,
    Fault,
    Judgement,
    Run,
    Scores,
    Voted,
    VoteRule,
)
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from tests.unit.instruments.claims.claims_by_hand import claim, run

REPOSITORY = Path(__file__).resolve().parents[5]
PROMPTS = sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))
CUT = Fault(kind="cut", message="the reply was cut")


def vote_on(*runs: Run) -> Voted:
    return vote(runs, least_similarity=0.5)


@pytest.fixture(scope="module")
def lexical_judge() -> Iterator[Judge]:
    """The lexical judge, for audits that need one."""
    lexical_settings = JudgeSettings("rules", "lexical")
    with open_judge(lexical_settings, prompts=PROMPTS, responses=Path("none"), weights=()) as judge:
        yield judge


def score_after_audit(runs: Sequence[Run], voted: Voted, judge: Judge) -> Scores:
    audited = audit(voted, judge, leak_audit=True, devils_advocate="none")
    return score_paper(runs, voted, audited)


# One criterion


def vote_on_c1(
    judgements: Sequence[Judgement], rule: VoteRule = "minimum", *, lacking: int = 0
) -> Judgement:
    """The vote on C1 of a claim that some runs state, each with one of the judgements of C1.

    `lacking` runs do not state the claim.
    """
    runs = []
    for number, judgement in enumerate(judgements):
        stated = claim()
        criteria = stated.criteria | {"C1": judgement}
        runs.append(run(number, stated.model_copy(update={"criteria": criteria})))
    for number in range(lacking):
        runs.append(run(len(judgements) + number))
    voted = vote(runs, least_similarity=0.5, rule=rule)
    (kept,) = voted.claims
    return kept.criteria["C1"]


def judged(*statuses: Status | None) -> list[Judgement]:
    """A judgement for each status, with the status in its evidence."""
    return [Judgement(status=status, evidence=f"judged {status}") for status in statuses]


@pytest.mark.parametrize(
    ("rule", "votes", "status", "evidence"),
    [
        pytest.param("minimum", ["YES", "YES", "YES"], "YES", "judged YES", id="minimum: all YES"),
        pytest.param(
            "minimum",
            ["YES", "YES", "PARTIAL"],
            "PARTIAL",
            "[MIN-VOTE: YES→PARTIAL across 3 runs] judged PARTIAL",
            id="minimum: one lower",
        ),
        pytest.param(
            "minimum",
            ["PARTIAL", "NO", "YES"],
            "NO",
            "[MIN-VOTE: YES→NO across 3 runs] judged NO",
            id="minimum: one of each",
        ),
        pytest.param("minimum", ["NO", "NO", "NO"], "NO", "judged NO", id="minimum: all NO"),
        pytest.param(
            "minimum",
            [None, "YES", "PARTIAL"],
            "PARTIAL",
            "[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] judged PARTIAL",
            id="minimum: one missing",
        ),
        pytest.param(
            "minimum",
            [None, None, "YES"],
            None,
            "judged None",
            id="minimum: two of three missing",
        ),
        pytest.param(
            "median",
            ["YES", "YES", "PARTIAL"],
            "YES",
            "[MEDIAN-VOTE: PARTIAL→YES across 3 runs] judged YES",
            id="median: one lower",
        ),
        pytest.param(
            "median",
            ["NO", "YES", "YES"],
            "YES",
            "[MEDIAN-VOTE: NO→YES across 3 runs] judged YES",
            id="median: one much lower",
        ),
        pytest.param(
            "median",
            ["NO", "NO", "PARTIAL"],
            "NO",
            "[MEDIAN-VOTE: PARTIAL→NO across 3 runs] judged NO",
            id="median: one higher",
        ),
        # Both other votes differ from the median; the note names the higher one.
        pytest.param(
            "median",
            ["PARTIAL", "NO", "YES"],
            "PARTIAL",
            "[MEDIAN-VOTE: YES→PARTIAL across 3 runs] judged PARTIAL",
            id="median: one of each",
        ),
        pytest.param("median", ["NO", "NO", "NO"], "NO", "judged NO", id="median: all NO"),
        # The median of two votes is the lower one.
        pytest.param(
            "median",
            [None, "YES", "NO"],
            "NO",
            "[MEDIAN-VOTE: YES→NO across 2 of 3 runs] judged NO",
            id="median: one missing",
        ),
        pytest.param(
            "median",
            [None, None, "YES"],
            None,
            "judged None",
            id="median: two of three missing",
        ),
    ],
)
def test_a_vote_gives_its_rules_status_with_a_note_where_runs_differ(
    rule: VoteRule, votes: list[Status | None], status: Status | None, evidence: str
) -> None:
    voted = vote_on_c1(judged(*votes), rule)

    assert voted.status == status
    assert voted.evidence == evidence
    assert voted.votes == votes


def test_a_criterion_with_a_status_in_half_of_the_runs_that_have_the_claim_is_unscored() -> None:
    voted = vote_on_c1(judged(None, "YES"), lacking=1)

    assert voted.status is None
    assert voted.evidence == "judged None"
    assert voted.votes == [None, "YES"]


def test_the_note_counts_the_runs_that_lack_the_claim() -> None:
    voted = vote_on_c1(judged("YES", "PARTIAL"), lacking=1)

    assert voted.status == "PARTIAL"
    assert voted.evidence == "[MIN-VOTE: YES→PARTIAL across 2 of 3 runs] judged PARTIAL"
    assert voted.votes == ["YES", "PARTIAL"]


LOWER = Judgement(status="PARTIAL", evidence="b: page 2", quotes=[(1, 2)])
LOWER_LATER = Judgement(status="PARTIAL", evidence="c: page 4", quotes=[(5, 6)])
HIGHER = Judgement(status="YES", evidence="d: pages 2, 3, 4, 5 and 6", quotes=[(7, 8)])


def test_the_longest_evidence_of_the_least_status_is_quoted() -> None:
    longer = Judgement(status="PARTIAL", evidence="a: pages 2 and 3", quotes=[(3, 4)])

    voted = vote_on_c1([LOWER, longer, LOWER_LATER, HIGHER])

    assert voted.evidence == "[MIN-VOTE: YES→PARTIAL across 4 runs] a: pages 2 and 3"
    assert voted.quotes == [(3, 4)]


def test_of_equally_long_evidence_the_last_in_the_alphabet_is_quoted() -> None:
    voted = vote_on_c1([LOWER, LOWER_LATER, LOWER, HIGHER])

    assert voted.evidence == "[MIN-VOTE: YES→PARTIAL across 4 runs] c: page 4"
    assert voted.quotes == [(5, 6)]


def test_a_criterion_without_a_status_gives_the_first_reason_by_letters() -> None:
    judgements = [
        Judgement(status=None, evidence="no quote"),
        Judgement(status="YES", evidence="a table"),
        Judgement(status=None, evidence="cut"),
    ]

    voted = vote_on_c1(judgements)

    assert voted.status is None
    assert voted.evidence == "cut"
    assert voted.votes == [None, "YES", None]


# In whose words a claim is stated


# BETWEEN has one of the two words of COLOURS and one of the two words of YEARS. COLOURS and YEARS
# have no word in common.
COLOURS = claim("colours singulars", system=False)
BETWEEN = claim("blues singulars decades", system=False)
YEARS = claim("years decades", system=False)


def test_the_vote_states_a_claim_in_the_words_closest_to_those_of_all_runs() -> None:
    voted = vote_on(run(0, COLOURS), run(1, BETWEEN), run(2, YEARS))

    (kept,) = voted.claims
    assert kept.statement == BETWEEN.statement


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(COLOURS, BETWEEN, id="colours in the first run"),
        pytest.param(BETWEEN, COLOURS, id="colours in the second run"),
    ],
)
def test_of_two_wordings_that_are_equally_close_the_choice_does_not_depend_on_the_runs(
    first: Claim, second: Claim
) -> None:
    voted = vote_on(run(0, first), run(1, second))

    (kept,) = voted.claims
    assert kept.statement == COLOURS.statement


# Which claims are kept


STORES = claim("MLP 8 stores years", ["MLP 8"])
LOOKS_BACK = claim("Head 1.1 looks back", ["1.1"])


def test_a_claim_that_a_majority_of_runs_lacks_is_dropped_and_listed() -> None:
    voted = vote_on(run(0, STORES), run(1, STORES, LOOKS_BACK), run(2, STORES))

    (kept,) = voted.claims
    assert kept.statement == "MLP 8 stores years"
    (dropped,) = voted.dropped
    assert dropped.run == 1
    assert dropped.statement == "Head 1.1 looks back"


def test_a_claim_of_half_of_the_runs_has_no_majority() -> None:
    voted = vote_on(run(0, STORES), run(1, STORES, LOOKS_BACK))

    (kept,) = voted.claims
    # STORES is the first claim of both runs.
    assert kept.statement == "MLP 8 stores years"
    assert kept.runs == [0, 0]
    (dropped,) = voted.dropped
    assert dropped.run == 1
    assert dropped.statement == "Head 1.1 looks back"


def test_one_run_alone_keeps_its_claims() -> None:
    voted = vote_on(run(0, STORES, LOOKS_BACK))

    assert len(voted.claims) == 2


def test_dropped_claims_are_listed_by_run_and_then_by_statement() -> None:
    shared = claim("MLP 1 stores years", ["MLP 1"], system=False)
    verbs = claim("MLP 2 stores verbs", ["MLP 2"], system=False)
    nouns = claim("MLP 3 stores nouns", ["MLP 3"], system=False)
    names = claim("MLP 4 stores names", ["MLP 4"], system=False)

    voted = vote_on(run(0, shared), run(1, shared, names), run(2, nouns, verbs, shared))

    assert [(dropped.run, dropped.statement) for dropped in voted.dropped] == [
        (1, "MLP 4 stores names"),
        (2, "MLP 2 stores verbs"),
        (2, "MLP 3 stores nouns"),
    ]


def test_runs_that_find_no_claim_are_scored_and_the_paper_has_no_score(
    lexical_judge: Judge,
) -> None:
    runs = [run(number).model_copy(update={"notes": ["asked again"]}) for number in range(2)]

    voted = vote_on(*runs)
    scores = score_after_audit(runs, voted, lexical_judge)

    assert voted.notes == ["asked again"]
    assert voted.claims == []
    assert voted.fault is None
    assert voted.scored_runs == [0, 1]
    assert scores.main is None
    assert scores.cvs is None
    assert scores.fault is None


# Runs with a fault


def test_an_unscored_run_has_no_vote() -> None:
    voted = vote_on(run(0, claim(rest="YES")), run(1, fault=CUT), run(2, claim(rest="YES")))

    assert voted.scored_runs == [0, 2]
    (kept,) = voted.claims
    for code in CRITERIA:
        assert kept.criteria[code].status == "YES"


def test_a_run_with_a_fault_counts_as_a_run_and_not_as_a_vote() -> None:
    lowered = claim(statuses={"C1": "PARTIAL"}, rest="YES")

    voted = vote_on(run(0, fault=CUT), run(1, claim(rest="YES")), run(2, lowered))

    assert voted.runs == 3
    assert voted.scored_runs == [1, 2]
    assert voted.fault is None
    (kept,) = voted.claims
    note = "[MIN-VOTE: YES→PARTIAL across 2 runs]"
    assert kept.criteria["C1"].evidence == f"{note} evidence for C1"


def test_without_a_scored_run_the_first_fault_is_given_with_its_run() -> None:
    filtered = Fault(kind="filtered", message="the reply was filtered")

    voted = vote_on(run(3, fault=filtered), run(5, fault=CUT))

    assert voted.claims == []
    assert voted.fault == Fault(
        kind="filtered", message="no run is scored; run 3: the reply was filtered"
    )


def test_unusable_claims_of_a_run_with_a_fault_are_not_counted() -> None:
    """Without unusable claims in scored runs, the largest component claim becomes system-level."""
    component = claim(rest="YES", system=False)
    faulty = run(1, fault=CUT).model_copy(update={"left_out": 1})

    voted = vote_on(run(0, component), faulty)

    (kept,) = voted.claims
    assert kept.system


def test_a_note_names_its_runs_unless_all_have_it() -> None:
    runs = [
        run(0).model_copy(update={"notes": ["asked again", "repaired", "only in 0"]}),
        run(1, fault=CUT).model_copy(update={"notes": ["asked again", "only in 1"]}),
        run(2).model_copy(update={"notes": ["asked again", "repaired"]}),
    ]

    voted = vote_on(*runs)

    assert voted.notes == [
        "asked again",
        "run 0, run 2: repaired",
        "run 0: only in 0",
        "run 1: only in 1",
    ]


@pytest.mark.parametrize(
    ("left_out", "system"),
    [
        pytest.param(0, True, id="no claim was left out"),
        pytest.param(1, False, id="one claim was left out"),
    ],
)
def test_no_component_takes_the_place_of_a_claim_that_was_left_out(
    lexical_judge: Judge, left_out: int, system: bool
) -> None:
    component = claim(rest="YES", system=False)
    runs = [run(0, component).model_copy(update={"left_out": left_out})]

    voted = vote_on(*runs)
    scores = score_after_audit(runs, voted, lexical_judge)

    (kept,) = voted.claims
    assert kept.system == system
    # Only a system-level claim gives the paper a score.
    (score_of_the_run,) = scores.single_runs
    assert (scores.cvs is not None) == system
    assert (score_of_the_run is not None) == system


# Any runs


some_statuses = st.fixed_dictionaries(
    {code: st.sampled_from((*STATUSES, None)) for code in ("C1", "I2", "E5")}
)
some_claim = st.builds(
    claim,
    st.sampled_from(
        (
            "The circuit moves the subject's number to the verb",
            "Head 3.1 moves the number to the last position",
            "Neurons of MLP 4 detect plural nouns",
            "Layer 7 writes the verb's form",
        )
    ),
    st.lists(st.sampled_from(["3.1", "3.2", "MLP 4"]), max_size=3, unique=True),
    some_statuses,
)
claims_of_runs = st.lists(st.lists(some_claim, min_size=1, max_size=3), min_size=2, max_size=3)


@given(claims_of_runs)
@settings(max_examples=30, deadline=None)
def test_the_vote_lists_the_votes_and_gives_the_lowest_of_them(stated: list[list[Claim]]) -> None:
    voted = vote_on(*[run(number, *claims) for number, claims in enumerate(stated)])

    for kept in voted.claims:
        members = []
        for number, index in enumerate(kept.runs):
            if index is not None:
                members.append(stated[number][index])

        for code in CRITERIA:
            given_votes = [member.criteria[code].status for member in members]
            assert kept.criteria[code].votes == given_votes
            status = kept.criteria[code].status
            if status is not None:
                ranks = [STATUSES.index(cast) for cast in given_votes if cast is not None]
                assert STATUSES.index(status) == min(ranks)


@given(claims_of_runs)
@settings(max_examples=20, deadline=None)
def test_the_vote_does_not_depend_on_the_order_of_the_runs(stated: list[list[Claim]]) -> None:
    outcomes = []
    for order in permutations(stated):
        voted = vote_on(*[run(number, *claims) for number, claims in enumerate(order)])
        kept = []
        for kept_claim in voted.claims:
            statuses = {code: kept_claim.criteria[code].status for code in CRITERIA}
            kept.append((kept_claim.statement, statuses))
        dropped = sorted(dropped_claim.statement for dropped_claim in voted.dropped)
        outcomes.append((kept, dropped))

    for outcome in outcomes[1:]:
        assert outcome == outcomes[0]
