"""The leak audit and the devil's advocate only lower, and the audit leaves the system's claim alone."""

from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, RANK, STATUSES
from mechaware.instruments.claims.rubric.records import Downgrade
from mechaware.instruments.claims.votes.audit import _allowed_leaks, _apply_downgrades, _lowering
from tests.unit.instruments.claims.claims_by_hand import claim


def test_the_five_leak_prone_criteria_are_those_of_section_3_5() -> None:
    assert LEAK_PRONE == ("I2", "I3", "I5", "E2", "E5")


def proposal(place: int, criterion: str, after: str = "NO") -> Downgrade:
    return Downgrade(claim=place, criterion=criterion, before="YES", after=after, reason="borrowed")


proposals = st.lists(
    st.builds(
        proposal,
        st.integers(-1, 3),
        st.sampled_from(list(CRITERIA)),
        st.sampled_from(["NO", "PARTIAL"]),
    )
)
some_claims = st.lists(
    st.builds(
        lambda statuses, system: claim(statuses=statuses, system=system),
        st.fixed_dictionaries({code: st.sampled_from((*STATUSES, None)) for code in CRITERIA}),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)


@given(some_claims, proposals)
def test_the_passes_never_raise_and_the_audit_never_touches_the_systems_claim(
    claims, proposed
) -> None:
    after = _apply_downgrades(claims, _allowed_leaks(claims, proposed), "LEAK-AUDIT")
    for before, now in zip(claims, after, strict=True):
        if before.system:
            assert now == before
        for code in CRITERIA:
            old = before.criteria[code].status
            new = now.criteria[code].status
            assert (old is None) == (new is None)
            if old is not None and new is not None and old != new:
                assert code in LEAK_PRONE
                assert new == "NO"
    challenged = _apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")
    for before, now in zip(claims, challenged, strict=True):
        for code in CRITERIA:
            old = before.criteria[code].status
            new = now.criteria[code].status
            assert old == new or RANK[new] < RANK[old]


def test_the_first_of_two_proposals_counts_and_one_for_no_claim_or_no_leak_prone_criterion_does_not() -> (
    None
):
    claims = [claim(rest="YES"), claim(rest="YES")]
    proposed = [
        proposal(1, "I2", "PARTIAL"),
        proposal(1, "I2", "NO"),
        proposal(-1, "I3"),
        proposal(2, "I3"),
        proposal(0, "C1"),
        proposal(0, "E5"),
    ]
    changed = _apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")
    lowered = [
        (place, code, judgement.status)
        for place, after in enumerate(changed)
        for code, judgement in after.criteria.items()
        if judgement.status != "YES"
    ]
    assert lowered == [(0, "E5", "NO"), (1, "I2", "PARTIAL")]
    assert (
        changed[1].criteria["I2"].evidence.startswith("[DEVIL'S-ADVOCATE: YES→PARTIAL, borrowed] ")
    )
