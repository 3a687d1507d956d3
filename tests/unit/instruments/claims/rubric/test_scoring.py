"""Dimension scores, CVS, tiers and what is missing:
the paper's rules, worked out a second time beside the tests.
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
    _score_claim,
    _to_next_tier,
    attainable_scores,
    cvs,
    dimension_score,
    score_paper,
    tier,
    weighted_score,
)
from mechaware.instruments.claims.rubric.system_claims import mark_system_claims
from mechaware.instruments.claims.votes.audit import _allowed_leaks, _apply_downgrades
from mechaware.instruments.claims.votes.voting import _vote_on, vote
from tests.unit.instruments.claims.claims_by_hand import claim, run


def test_the_rubric_is_that_of_table_1() -> None:
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


# Section 3.3 once more, as plain conditions on statuses s.
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
    total = sum({"NO": 0.0, "PARTIAL": 0.5, "YES": 1.0}[status] for status in s.values())
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
    (dimension,) = [each for each in DIMENSIONS if each.name.lower() == rule.__name__]

    for statuses in product(STATUSES, repeat=len(dimension.criteria)):
        given_statuses = dict(zip(dimension.criteria, statuses, strict=True))
        assert dimension_score(dimension, given_statuses) == rule(given_statuses), given_statuses


def test_the_attainable_scores_are_those_of_the_weighted_sums() -> None:
    # 1.5 a + b with a = 0..6 (two dimensions of weight 1.5) and b = 0..9 (three of weight 1), of
    # 18: every half point but 0.5 and 17.5.
    halves = [half / 2 for half in range(37) if half not in (1, 35)]
    assert attainable_scores() == pytest.approx([raw / 18 * 10 for raw in halves])


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


def test_no_score_lies_so_near_to_a_boundary_that_rounding_decides() -> None:
    # So "2.0 to 3.9" and "below 4.0" are the same tier.
    for score in attainable_scores():
        assert tier(score) == tier(round(score, 1))


# The worked example of section 3.9. These statuses have construct 2, internal 1 without
# sufficiency, measurement 1, external 0 and interpretive 2.
HEADS_MEET: dict[str, Status] = {
    "C1": "YES",
    "C5": "PARTIAL",
    "I1": "YES",
    "M3": "PARTIAL",
    "V2": "YES",
    "V3": "YES",
}


def test_in_the_worked_example_the_vote_lowers_sufficiency() -> None:
    in_three_runs = [
        Judgement(status="YES", evidence="87% faithfulness"),
        Judgement(status="YES", evidence="87% faithfulness"),
        Judgement(status="PARTIAL", evidence="87% faithfulness"),
    ]

    voted = _vote_on(in_three_runs, 3, "minimum")

    assert voted.status == "PARTIAL"
    assert voted.evidence == "[MIN-VOTE: YES→PARTIAL across 3 runs] 87% faithfulness"


def test_in_the_worked_example_the_audit_takes_the_circuits_evidence_and_leaves_4_2() -> None:
    circuit = claim("The circuit of 26 heads", [f"head {n}" for n in range(26)], system=True)
    heads = claim(
        "Name Mover heads copy",
        ["9.9", "9.6", "10.0"],
        HEADS_MEET | {"I2": "PARTIAL", "E2": "YES"},
        system=False,
    )
    claims = [circuit, heads]
    reason = "of the whole circuit"
    proposed = [
        Downgrade(claim=1, criterion="I2", before="YES", after="NO", reason=reason),
        Downgrade(claim=1, criterion="E2", before="YES", after="NO", reason=reason),
    ]

    _, audited = _apply_downgrades(claims, _allowed_leaks(claims, proposed), "LEAK-AUDIT")
    scored = _score_claim(audited)

    assert audited.criteria["I2"].status == "NO"
    assert audited.criteria["E2"].status == "NO"
    assert audited.criteria["I2"].evidence.startswith(f"[LEAK-AUDIT: PARTIAL→NO, {reason}]")
    assert scored.dimensions == {"C": 2, "I": 1, "M": 1, "E": 0, "V": 2}
    # 1.5 * 2 + 1.5 * 1 + 1 * 1 + 1 * 0 + 1 * 2 = 7.5 of 18
    assert scored.cvs == pytest.approx(7.5 / 18 * 10)
    assert f"{scored.cvs:.1f}" == "4.2"
    assert scored.tier == "Mechanistically Supported"


def test_the_worked_examples_last_score_of_3_9_cannot_be_reached() -> None:
    # 3.9 is 7.0 of 18. No dimension scores at or below those of the example give it.
    reached = set()
    for c, i, m, v in product(range(3), range(2), range(2), range(3)):
        score = weighted_score({"C": c, "I": i, "M": m, "E": 0, "V": v})
        reached.add(f"{score:.1f}")

    assert "4.2" in reached
    assert "3.9" not in reached


def tier_rank(statuses: dict[str, Status]) -> int:
    """The rank, from 0, of the tier of a claim with these statuses."""
    return TIERS.index(tier(cvs(statuses)))


def brute_force_next_tier(given_statuses: dict[str, Status], most: int) -> int | None:
    """The least number of criteria to raise to YES for a higher tier,
    by trying all sets of one, two, ... criteria.
    """
    for number in range(1, most + 1):
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
        pytest.param(HEADS_MEET, id="the worked example"),
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
def test_what_is_missing_for_the_next_tier_is_enough_and_the_least(met: dict[str, Status]) -> None:
    statuses: dict[str, Status] = {**dict.fromkeys(CRITERIA, "NO"), **met}

    raises = dict(_to_next_tier(statuses))

    assert tier_rank(statuses | raises) > tier_rank(statuses)
    assert len(raises) == brute_force_next_tier(statuses, most=4)


def test_nothing_is_missing_at_the_highest_tier() -> None:
    assert _to_next_tier(dict.fromkeys(CRITERIA, "YES")) == []


def test_an_unscored_criterion_leaves_open_what_depends_on_it() -> None:
    # Internal is 1 with necessity alone and 2 if sufficiency is met: 1.5 points of 18 between them.
    scored = _score_claim(claim(statuses={"C1": "YES", "I1": "YES", "I2": None}))

    assert scored.dimensions == {"C": 1, "I": None, "M": 0, "E": 0, "V": 0}
    assert scored.cvs is None
    assert scored.low == pytest.approx(3 / 18 * 10)
    assert scored.high == pytest.approx(4.5 / 18 * 10)
    assert scored.tier is None  # 1.7 is Proposed, 2.5 is not


def test_an_unscored_criterion_that_decides_nothing_leaves_the_score() -> None:
    scored = _score_claim(claim(statuses={"C1": "YES", "C3": None}))

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
def test_a_claim_is_the_systems_by_most_components_or_by_its_words(
    statement: str, components: list[str], system: bool
) -> None:
    other = claim("Heads 1 and 2 move the name", ["1", "2"])

    first, _ = mark_system_claims([claim(statement, components), other])

    assert first.system is system


def test_the_papers_claim_is_the_one_with_the_highest_score_that_is_certain() -> None:
    """The first lacks two statuses: it has C 1 and perhaps I 2, from 1.5 to 4.5.

    The second has C 1 and V 1: 2.5.
    """
    open_statuses = {"C1": "YES", "I1": None, "I2": None}
    open_claim = claim("A circuit copies names", statuses=open_statuses, system=True)
    sure_statuses = {"C1": "YES", "V3": "YES"}
    sure_claim = claim("A circuit adds digits", statuses=sure_statuses, system=True)
    runs = [run(0, open_claim, sure_claim)]
    audited = Audited(
        judge="tester", paper="paper", claims=runs[0].claims, downgrades=[], usage=Usage()
    )

    scores = score_paper(runs, vote(runs, least_similarity=0.5), audited)

    assert scores.main == 1
    assert scores.cvs == pytest.approx(2.5 / 1.8)
    of_open_claim = scores.scored[0]
    assert of_open_claim.cvs is None
    assert of_open_claim.low == pytest.approx(1.5 / 1.8)
    assert of_open_claim.high == pytest.approx(4.5 / 1.8)


def system_marks(*components: str) -> list[bool | None]:
    """Whether each claim is the system's, of claims with these components, a letter each."""
    claims = []
    for number, letters in enumerate(components):
        claims.append(claim(f"claim {number}", list(letters)))
    return [marked.system for marked in mark_system_claims(claims)]


def test_five_components_make_a_system() -> None:
    assert system_marks("ab", "cdefg", "hijkl") == [False, True, True]


def test_of_claims_with_equally_many_components_the_first_has_the_most() -> None:
    assert system_marks("abcd", "efgh") == [True, False]


def test_a_papers_score_is_that_of_its_best_system_level_claim_at_each_stage() -> None:
    statement = "The circuit computes agreement"
    heads = ["L1H1", "L2H2", "L3H3"]
    circuit = claim(statement, heads, {"C1": "YES", "C5": "PARTIAL"})  # construct 2: 3 of 18
    richer = claim(statement, heads, {"C1": "YES", "C5": "YES", "C2": "YES"})  # 3: 4.5 of 18
    part = claim("L1H1 reads the number", ["L1H1"], rest="YES")
    runs = [run(0, circuit, part), run(1, richer, part)]
    voted = vote(runs, least_similarity=0.5)
    of_circuit, of_part = voted.claims
    audited = Audited(
        judge="tester",
        paper="paper",
        claims=[
            of_circuit.model_copy(update={"system": True}),
            of_part.model_copy(update={"system": False}),
        ],
        downgrades=[],
        usage=Usage(calls=2),
    )

    scores = score_paper(runs, voted, audited)

    assert scores.main == 0  # though the part has the highest CVS of all
    assert scores.single_runs == [pytest.approx(3 / 18 * 10), pytest.approx(4.5 / 18 * 10)]
    assert scores.voted == pytest.approx(3 / 18 * 10)
    assert scores.cvs == pytest.approx(3 / 18 * 10)
    assert scores.scored[1].cvs == 10
    assert scores.usage.calls == 4
