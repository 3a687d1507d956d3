"""The leak audit and the devil's advocate only lower, and the audit leaves the system's claim alone."""

from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, RANK, STATUSES
from mechaware.instruments.claims.rubric.records import Claim, Downgrade
from mechaware.instruments.claims.votes.audit import _allowed_leaks, _apply_downgrades, _lowering
from tests.unit.instruments.claims.claims_by_hand import claim


def test_the_five_leak_prone_criteria_are_those_of_section_3_5() -> None:
    assert LEAK_PRONE == ("I2", "I3", "I5", "E2", "E5")


def proposal(claim_index: int, criterion: str, after: str = "NO") -> Downgrade:
    return Downgrade(
        claim=claim_index, criterion=criterion, before="YES", after=after, reason="borrowed"
    )


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
def test_the_leak_audit_lowers_leak_prone_criteria_to_no_and_never_touches_the_systems_claim(
    claims: list[Claim], proposed: list[Downgrade]
) -> None:
    audited = _apply_downgrades(claims, _allowed_leaks(claims, proposed), "LEAK-AUDIT")

    for before, after in zip(claims, audited, strict=True):
        if before.system:
            assert after == before
        for code in CRITERIA:
            old = before.criteria[code].status
            new = after.criteria[code].status
            assert (old is None) == (new is None)
            if old is not None and new is not None and old != new:
                assert code in LEAK_PRONE
                assert new == "NO"


@given(some_claims, proposals)
def test_the_devils_advocate_never_raises_a_status(
    claims: list[Claim], proposed: list[Downgrade]
) -> None:
    challenged = _apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    for before, after in zip(claims, challenged, strict=True):
        for code in CRITERIA:
            old = before.criteria[code].status
            new = after.criteria[code].status
            if old != new:
                assert old is not None
                assert new is not None
                assert RANK[new] < RANK[old]


def statuses_below_yes(claims: list[Claim]) -> list[tuple[int, str, str | None]]:
    """The index of the claim, the criterion and the status of each judgement that is not YES."""
    lowered = []
    for index, judged in enumerate(claims):
        for code, judgement in judged.criteria.items():
            if judgement.status != "YES":
                lowered.append((index, code, judgement.status))
    return lowered


def test_of_two_proposals_for_one_criterion_the_first_counts() -> None:
    claims = [claim(rest="YES"), claim(rest="YES")]
    proposed = [proposal(1, "I2", "PARTIAL"), proposal(1, "I2", "NO")]

    changed = _apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    assert statuses_below_yes(changed) == [(1, "I2", "PARTIAL")]
    evidence = changed[1].criteria["I2"].evidence
    assert evidence.startswith("[DEVIL'S-ADVOCATE: YES→PARTIAL, borrowed] ")


def test_proposals_for_no_claim_or_no_leak_prone_criterion_change_nothing() -> None:
    claims = [claim(rest="YES"), claim(rest="YES")]
    proposed = [
        proposal(-1, "I3"),  # no such claim
        proposal(2, "I3"),  # no such claim
        proposal(0, "C1"),  # not leak-prone
        proposal(0, "E5"),
    ]

    changed = _apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    assert statuses_below_yes(changed) == [(0, "E5", "NO")]
