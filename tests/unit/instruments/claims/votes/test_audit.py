"""The leak audit and the devil's advocate only lower statuses.

The audit leaves claims about the whole system alone.
"""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from mechaware.instruments.claims.rubric.criteria import CRITERIA, LEAK_PRONE, RANK, STATUSES
from mechaware.instruments.claims.rubric.records import Claim, Downgrade
from mechaware.instruments.claims.votes.audit import _lowering, allowed_leaks, apply_downgrades
from tests.unit.instruments.claims.claims_by_hand import claim


def test_the_five_leak_prone_criteria_are_those_of_section_3_5() -> None:
    assert LEAK_PRONE == ("I2", "I3", "I5", "E2", "E5")


def proposal(claim_index: int, criterion: str, after: str = "NO") -> Downgrade:
    """A proposal to lower a status of a claim from YES."""
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
def test_the_leak_audit_only_lowers_leak_prone_criteria_to_no_and_never_those_of_a_system_claim(
    claims: list[Claim], proposed: list[Downgrade]
) -> None:
    audited = apply_downgrades(claims, allowed_leaks(claims, proposed), "LEAK-AUDIT")

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
    challenged = apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    for before, after in zip(claims, challenged, strict=True):
        for code in CRITERIA:
            old = before.criteria[code].status
            new = after.criteria[code].status
            if old != new:
                assert old is not None
                assert new is not None
                assert RANK[new] < RANK[old]


class StatusBelowYes(NamedTuple):
    claim: int
    criterion: str
    status: str | None


def statuses_below_yes(claims: list[Claim]) -> list[StatusBelowYes]:
    """Each judgement that is not YES, in the order of claims and criteria."""
    below = []
    for index, judged in enumerate(claims):
        for code, judgement in judged.criteria.items():
            if judgement.status != "YES":
                below.append(StatusBelowYes(index, code, judgement.status))
    return below


def test_the_leak_audit_lowers_a_component_claim_to_no_whatever_is_proposed() -> None:
    claims = [claim(rest="YES", system=True), claim(rest="YES", system=False)]
    proposed = [proposal(0, "I2", "PARTIAL"), proposal(1, "I2", "PARTIAL")]

    audited = apply_downgrades(claims, allowed_leaks(claims, proposed), "LEAK-AUDIT")

    assert statuses_below_yes(audited) == [StatusBelowYes(1, "I2", "NO")]


def test_of_two_proposals_for_one_criterion_the_first_counts() -> None:
    claims = [claim(rest="YES"), claim(rest="YES")]
    proposed = [proposal(1, "I2", "PARTIAL"), proposal(1, "I2", "NO")]

    changed = apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    assert statuses_below_yes(changed) == [StatusBelowYes(1, "I2", "PARTIAL")]
    evidence = changed[1].criteria["I2"].evidence
    assert evidence.startswith("[DEVIL'S-ADVOCATE: YES→PARTIAL, borrowed] ")


def test_a_proposal_for_a_missing_claim_or_another_criterion_changes_nothing() -> None:
    claims = [claim(rest="YES"), claim(rest="YES")]
    proposed = [
        # There is no such claim, although Python would take -1 for the last one.
        proposal(-1, "I3"),
        proposal(2, "I3"),
        # The criterion is not leak-prone.
        proposal(0, "C1"),
        # The only one that may be applied.
        proposal(0, "E5"),
    ]

    changed = apply_downgrades(claims, _lowering(claims, proposed), "DEVIL'S-ADVOCATE")

    assert statuses_below_yes(changed) == [StatusBelowYes(0, "E5", "NO")]
