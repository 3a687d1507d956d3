"""Dimension scores, Claim Validity Scores (CVS), tiers, and what a claim lacks for the next tier.

Expected values come from the claim-validity paper, from its rules written a second time, or from
sums beside the test. A CVS is 10/18 of the weighted sum of the five dimension scores: dimensions
score 0 to 3, C and I weigh 1.5, M, E and V weigh 1, and 18 is the highest sum.
"""

import math
from itertools import combinations, product

import pytest

from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    STATUSES,
    TIERS,
    VALUE,
    Dimension,
    Status,
    decode_ranks,
    encode_statuses,
)
from mechaware.instruments.claims.rubric.records import Audited, Downgrade, Judgement, Usage
from mechaware.instruments.claims.rubric.scoring import (
    _to_next_tier,
    attainable_scores,
    cvs,
    dimension_score,
    score_claim,
    score_paper,
    tier,
    weighted_score,
)
from mechaware.instruments.claims.rubric.system_claims import mark_system_claims
from mechaware.instruments.claims.votes.audit import allowed_leaks, apply_downgrades
from mechaware.instruments.claims.votes.voting import _vote_on, vote
from tests.unit.instruments.claims.claims_by_hand import claim, run


def test_the_rubric_has_the_dimensions_and_weights_of_table_1() -> None:
    rows = []
    for dimension in DIMENSIONS:
        n_criteria = len(dimension.criteria)
        rows.append((dimension.code, dimension.name, dimension.weight, n_criteria))

    assert rows == [
        ("C", "Construct", 1.5, 5),
        ("I", "Internal", 1.5, 5),
        ("M", "Measurement", 1.0, 6),
        ("E", "External", 1.0, 6),
        ("V", "Interpretive", 1.0, 5),
    ]
    assert len(CRITERIA) == 27


@pytest.mark.parametrize("dimension", DIMENSIONS, ids=lambda dimension: dimension.name)
def test_criteria_have_the_letter_of_their_dimension_and_a_number(dimension: Dimension) -> None:
    numbers = range(1, len(dimension.criteria) + 1)

    assert list(dimension.criteria) == [f"{dimension.code}{number}" for number in numbers]


def test_statuses_have_a_letter_and_a_rank_each() -> None:
    # In the order of the criteria, which begin with C1, C2 and C3 and end with V5.
    given_statuses = dict.fromkeys(CRITERIA, "NO") | {"C2": "PARTIAL", "C3": "YES", "V5": None}

    letters = encode_statuses(given_statuses)
    *ranks, last = decode_ranks(letters)

    assert letters == "NPY" + "N" * 23 + "?"
    assert ranks == [0, 1, 2] + [0] * 23
    assert math.isnan(last)


def test_a_partial_is_half_a_yes() -> None:
    assert VALUE == {"NO": 0.0, "PARTIAL": 0.5, "YES": 1.0}


# The rules of section 3.3, written a second time: the score of each dimension by the statuses `s`.
def construct(s: dict[str, Status]) -> int:
    if s["C1"] != "YES":
        return 0
    if s["C5"] == "YES" and s["C2"] == "YES":
        return 3
    return 2 if s["C5"] in ("PARTIAL", "YES") else 1


def internal(s: dict[str, Status]) -> int:
    necessity = s["I1"] == "YES"
    sufficiency = s["I2"] == "YES"
    if necessity and sufficiency:
        return 3 if s["I5"] == "YES" and s["I3"] == "YES" else 2
    return 1 if necessity or sufficiency else 0


def measurement(s: dict[str, Status]) -> int:
    if s["M3"] == "NO":
        return 0
    if s["M3"] == "YES" and s["M1"] == "YES":
        return 3 if s["M5"] == "YES" and s["M4"] == "YES" else 2
    return 1


def external(s: dict[str, Status]) -> int:
    points = {"NO": 0.0, "PARTIAL": 0.5, "YES": 1.0}
    total = sum(points[status] for status in s.values())
    if s["E6"] == "YES":
        return 3 if total >= 4.0 else 2
    if s["E5"] == "YES":
        return 2
    return 1 if s["E1"] != "NO" else 0


def interpretive(s: dict[str, Status]) -> int:
    if s["V3"] != "YES":
        return 0
    if s["V2"] != "YES":
        return 1
    return 3 if s["V1"] == "YES" and s["V4"] == "YES" else 2


@pytest.mark.parametrize(
    "rule",
    [construct, internal, measurement, external, interpretive],
    ids=lambda rule: rule.__name__,
)
def test_a_dimension_scores_by_its_rule_for_every_combination_of_statuses(rule) -> None:
    by_name = {dimension.name.lower(): dimension for dimension in DIMENSIONS}
    dimension = by_name[rule.__name__]

    for statuses in product(STATUSES, repeat=len(dimension.criteria)):
        given_statuses = dict(zip(dimension.criteria, statuses, strict=True))
        assert dimension_score(dimension, given_statuses) == rule(given_statuses), given_statuses


def test_the_attainable_scores_are_those_of_all_half_points_but_0_5_and_17_5() -> None:
    # The weighted sum is 1.5 a + b. Two dimensions weigh 1.5, so a is 0 to 6; three weigh 1, so b
    # is 0 to 9. That gives every half point from 0 to 18 but 0.5 and 17.5.
    weighted_sums = [half / 2 for half in range(37) if half not in (1, 35)]

    assert attainable_scores() == pytest.approx([total / 18 * 10 for total in weighted_sums])


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (0.0, "Proposed"),
        (2.0, "Causally Suggestive"),
        (4.0, "Mechanistically Supported"),
        (6.0, "Triangulated"),
        (8.0, "Validated"),
        (10.0, "Validated"),
    ],
)
def test_tiers_begin_at_2_4_6_and_8(score: float, name: str) -> None:
    assert tier(score).name == name


def test_a_score_rounded_to_one_decimal_stays_in_its_tier() -> None:
    # So the paper's "2.0 to 3.9" and "below 4.0" are the same tier.
    for score in attainable_scores():
        assert tier(score) == tier(round(score, 1))


# What the claim about heads meets in the worked example of section 3.9, after the audit has lowered
# I2 and E2 to NO. It scores Construct 2, Internal 1, Measurement 1, External 0 and Interpretive 2.
HEADS_CLAIM: dict[str, Status] = {
    "C1": "YES",
    "C5": "PARTIAL",
    "I1": "YES",
    "M3": "PARTIAL",
    "V2": "YES",
    "V3": "YES",
}


def test_in_the_worked_example_the_vote_lowers_sufficiency() -> None:
    judged_in_three_runs = [
        Judgement(status="YES", evidence="87% faithfulness"),
        Judgement(status="YES", evidence="87% faithfulness"),
        Judgement(status="PARTIAL", evidence="87% faithfulness"),
    ]

    voted = _vote_on(judged_in_three_runs, 3, "minimum")

    assert voted.status == "PARTIAL"
    assert voted.evidence == "[MIN-VOTE: YES→PARTIAL across 3 runs] 87% faithfulness"


def test_in_the_worked_example_the_audit_removes_evidence_for_the_circuit_and_leaves_4_2() -> None:
    circuit = claim("The circuit of 26 heads", [f"head {n}" for n in range(26)], system=True)
    heads = claim(
        "Name Mover heads copy",
        ["9.9", "9.6", "10.0"],
        HEADS_CLAIM | {"I2": "PARTIAL", "E2": "YES"},
        system=False,
    )
    claims = [circuit, heads]
    reason = "of the whole circuit"
    proposed = [
        Downgrade(claim=1, criterion="I2", before="YES", after="NO", reason=reason),
        Downgrade(claim=1, criterion="E2", before="YES", after="NO", reason=reason),
    ]

    _, audited = apply_downgrades(claims, allowed_leaks(claims, proposed), "LEAK-AUDIT")
    scored = score_claim(audited)

    assert audited.criteria["I2"].status == "NO"
    assert audited.criteria["E2"].status == "NO"
    assert audited.criteria["I2"].evidence.startswith(f"[LEAK-AUDIT: PARTIAL→NO, {reason}]")
    assert scored.dimensions == {"C": 2, "I": 1, "M": 1, "E": 0, "V": 2}
    # 1.5 * 2 + 1.5 * 1 + 1 * 1 + 1 * 0 + 1 * 2 = 7.5 of 18
    assert scored.cvs == pytest.approx(7.5 / 18 * 10)
    assert f"{scored.cvs:.1f}" == "4.2"
    assert scored.tier == "Mechanistically Supported"


def test_the_worked_examples_last_score_of_3_9_cannot_be_reached() -> None:
    # A CVS of 3.9 is a weighted sum of 7. The example has C 2, I 1, M 1, E 0 and V 2, and a further
    # downgrade only lowers scores. No such scores have the sum 7.
    reached = set()
    for c, i, m, v in product(range(3), range(2), range(2), range(3)):
        score = weighted_score({"C": c, "I": i, "M": m, "E": 0, "V": v})
        reached.add(f"{score:.1f}")

    assert "4.2" in reached
    assert "3.9" not in reached


def tier_rank(statuses: dict[str, Status]) -> int:
    """The rank, 0 for the lowest, of the tier of a claim with these statuses."""
    return TIERS.index(tier(cvs(statuses)))


def brute_force_next_tier(given_statuses: dict[str, Status], max_raised: int) -> int | None:
    """The least number of criteria to raise to YES for a higher tier.

    All sets of 1 to `max_raised` criteria are tried, the smallest first; None if no set is enough.
    """
    for number in range(1, max_raised + 1):
        for codes in combinations(CRITERIA, number):
            raised: dict[str, Status] = {**given_statuses, **dict.fromkeys(codes, "YES")}
            if tier_rank(raised) > tier_rank(given_statuses):
                return number
    return None


@pytest.mark.parametrize(
    "met",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"C1": "YES", "V3": "YES"}, id="falsifiable and consistent"),
        pytest.param(HEADS_CLAIM, id="the worked example"),
        pytest.param(
            dict.fromkeys(("C1", "C2", "C5", "I1", "I2", "M3", "M1", "E5", "V3"), "YES"),
            id="some of all dimensions",
        ),
        pytest.param(
            dict.fromkeys(("E1", "E2", "E3", "C1", "I1", "V3", "V2"), "YES") | {"E4": "PARTIAL"},
            id="external at 3.5 of the 4 that its highest score needs",
        ),
    ],
)
def test_the_raises_to_the_next_tier_are_enough_and_the_fewest(met: dict[str, Status]) -> None:
    statuses: dict[str, Status] = {**dict.fromkeys(CRITERIA, "NO"), **met}

    raises = dict(_to_next_tier(statuses))

    assert tier_rank(statuses | raises) > tier_rank(statuses)
    assert len(raises) == brute_force_next_tier(statuses, max_raised=4)


def test_at_the_highest_tier_there_is_nothing_to_raise() -> None:
    assert _to_next_tier(dict.fromkeys(CRITERIA, "YES")) == []


def test_scores_that_depend_on_an_unscored_criterion_are_none() -> None:
    # Internal is 1 with necessity (I1) alone and 2 with sufficiency (I2). Construct is 1. So the
    # weighted sum is 1.5 + 1.5 = 3 or 1.5 + 3 = 4.5.
    scored = score_claim(claim(statuses={"C1": "YES", "I1": "YES", "I2": None}))

    assert scored.dimensions == {"C": 1, "I": None, "M": 0, "E": 0, "V": 0}
    assert scored.cvs is None
    assert scored.low == pytest.approx(3 / 18 * 10)
    assert scored.high == pytest.approx(4.5 / 18 * 10)
    # A CVS of 1.7 is Proposed, one of 2.5 is not.
    assert scored.tier is None


def test_an_unscored_criterion_on_which_no_score_depends_changes_nothing() -> None:
    # The rules of section 3.3 do not use C3.
    scored = score_claim(claim(statuses={"C1": "YES", "C3": None}))

    assert scored.cvs == pytest.approx(1.5 / 18 * 10)
    assert scored.tier == "Proposed"


@pytest.mark.parametrize(
    ("statement", "components", "system"),
    [
        pytest.param("Heads 1 to 3 move the name", ["1", "2", "3"], True, id="the most components"),
        pytest.param("Head 1 moves the name", ["1"], False, id="fewer components"),
        pytest.param("A Circuit finds the name", ["1"], True, id="a circuit"),
        pytest.param("This algorithm adds", [], True, id="an algorithm"),
        pytest.param("Head 2 is the mechanism of copying", ["2"], True, id="a mechanism"),
    ],
)
def test_a_claim_is_system_level_by_the_most_components_or_by_its_words(
    statement: str, components: list[str], system: bool
) -> None:
    other = claim("Heads 1 and 2 move the name", ["1", "2"])

    first, _ = mark_system_claims([claim(statement, components), other])

    assert first.system is system


def test_the_main_claim_of_a_paper_has_the_highest_score_that_is_certain() -> None:
    # Construct is 1, and Internal 0 to 2: the weighted sum is 1.5 to 4.5.
    open_statuses = {"C1": "YES", "I1": None, "I2": None}
    open_claim = claim("A circuit copies names", statuses=open_statuses, system=True)
    # Construct and Interpretive are 1: the weighted sum is 2.5.
    certain_statuses = {"C1": "YES", "V3": "YES"}
    certain_claim = claim("A circuit adds digits", statuses=certain_statuses, system=True)
    runs = [run(0, open_claim, certain_claim)]
    audited = Audited(
        judge="tester", paper="paper", claims=runs[0].claims, downgrades=[], usage=Usage()
    )

    scores = score_paper(runs, vote(runs, least_similarity=0.5), audited)

    # The index of the certain claim.
    assert scores.main == 1
    assert scores.cvs == pytest.approx(2.5 / 18 * 10)
    scored_open_claim = scores.scored[0]
    assert scored_open_claim.cvs is None
    assert scored_open_claim.low == pytest.approx(1.5 / 18 * 10)
    assert scored_open_claim.high == pytest.approx(4.5 / 18 * 10)


def are_system_level(*components: str) -> list[bool | None]:
    """Whether each claim is system-level. A claim has the components of one text, a letter each:
    "ab" has the components a and b.
    """
    claims = []
    for number, letters in enumerate(components):
        claims.append(claim(f"claim {number}", list(letters)))
    return [marked.system for marked in mark_system_claims(claims)]


def test_claims_with_five_components_are_system_level() -> None:
    assert are_system_level("ab", "cdefg", "hijkl") == [False, True, True]


def test_of_claims_tied_for_the_most_components_only_the_first_is_system_level() -> None:
    assert are_system_level("abcd", "efgh") == [True, False]


def test_a_paper_has_the_score_of_its_best_system_level_claim_at_each_stage() -> None:
    statement = "The circuit computes agreement"
    heads = ["L1H1", "L2H2", "L3H3"]
    # Construct is 2 in the first run and 3 in the second: the weighted sums are 3 and 4.5.
    first_circuit = claim(statement, heads, {"C1": "YES", "C5": "PARTIAL"})
    second_circuit = claim(statement, heads, {"C1": "YES", "C5": "YES", "C2": "YES"})
    head = claim("L1H1 reads the number", ["L1H1"], rest="YES")
    runs = [run(0, first_circuit, head), run(1, second_circuit, head)]
    voted = vote(runs, least_similarity=0.5)
    voted_circuit, voted_head = voted.claims
    audited = Audited(
        judge="tester",
        paper="paper",
        claims=[
            voted_circuit.model_copy(update={"system": True}),
            voted_head.model_copy(update={"system": False}),
        ],
        downgrades=[],
        usage=Usage(calls=2),
    )

    scores = score_paper(runs, voted, audited)

    # The circuit is the main claim, although the head has a higher CVS.
    assert scores.main == 0
    assert scores.single_runs == [pytest.approx(3 / 18 * 10), pytest.approx(4.5 / 18 * 10)]
    assert scores.voted == pytest.approx(3 / 18 * 10)
    assert scores.cvs == pytest.approx(3 / 18 * 10)
    assert scores.scored[1].cvs == 10
    # One call in each run, and two in the audit.
    assert scores.usage.calls == 4
