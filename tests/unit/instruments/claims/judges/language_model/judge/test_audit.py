"""The leak audit, except for the system's claims, and the devil's advocate lower voted statuses."""

import json
from typing import Any, NamedTuple

from mechaware.instruments.claims.rubric.records import Audited, Voted
from mechaware.instruments.claims.votes.audit import DevilsAdvocate, audit
from mechaware.instruments.claims.votes.voting import vote
from tests.fake_provider import FakeProvider, Reply, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    CIRCUIT,
    PART,
    TEXT,
    criteria_with,
    paper_text,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import OpenTester


class AuditedVote(NamedTuple):
    """The vote of one run, its audit, and the messages of all requests."""

    voted: Voted
    audited: Audited
    asked: list[Any]


def audit_vote(
    open_tester: OpenTester, replies: list[Reply], devils_advocate: DevilsAdvocate = "none"
) -> AuditedVote:
    """One run, its vote and audit; the replies are for the run, the leak audit and the advocate."""
    with FakeProvider(replies) as provider:
        judge = open_tester(provider, mode="at_once")
        voted = vote([judge.extract(TEXT, paper_text(), 0)], least_similarity=0.5)
        audited = audit(voted, judge, leak_audit=True, devils_advocate=devils_advocate)
    asked = [call.request["messages"] for call in provider.calls]
    return AuditedVote(voted, audited, asked)


def test_the_audit_sees_the_claims_and_not_the_paper_and_spares_the_system(
    open_tester: OpenTester,
) -> None:
    leaks = {
        "downgrades": [
            {"claim": 0, "criterion": "I2", "reason": "of the circuit"},
            {"claim": 1, "criterion": "I2", "reason": "of the circuit"},
        ]
    }
    full = {
        "claims": [
            CIRCUIT | {"criteria": criteria_with(I2="YES")},
            PART | {"criteria": criteria_with(I2="YES")},
        ]
    }

    _, audited, asked = audit_vote(open_tester, [said(full), said(leaks)])

    assert [after.criteria["I2"].status for after in audited.claims] == ["YES", "NO"]
    (downgrade,) = audited.downgrades
    assert downgrade.claim == 1
    assert downgrade.before == "YES"
    assert downgrade.after == "NO"
    # A sentence of the paper that no evidence quotes.
    assert "five seeds" not in json.dumps(asked[1])
    # The audit's own call.
    assert audited.usage.calls == 1


def test_the_devils_advocate_follows_the_audit_and_may_challenge_the_system(
    open_tester: OpenTester,
) -> None:
    challenge = {
        "downgrades": [
            {"claim": 0, "criterion": "E2", "reason": "one strength", "after": "PARTIAL"}
        ]
    }
    full = {
        "claims": [
            CIRCUIT | {"criteria": criteria_with(E2="YES")},
            PART | {"criteria": criteria_with()},
        ]
    }
    replies = [said(full), said({"downgrades": []}), said(challenge)]

    _, audited, _ = audit_vote(open_tester, replies, "conservative")

    challenged = audited.claims[0].criteria["E2"]
    assert challenged.status == "PARTIAL"
    assert challenged.evidence.startswith("[DEVIL'S-ADVOCATE: YES→PARTIAL, one strength]")


def test_an_audit_without_a_usable_reply_leaves_the_claims_and_has_a_fault(
    open_tester: OpenTester,
) -> None:
    voted, audited, _ = audit_vote(open_tester, [said(BOTH_CLAIMS), said("no"), said("no")])

    assert audited.audit_fault is not None
    assert audited.audit_fault.kind == "invalid"
    for before, after in zip(voted.claims, audited.claims, strict=True):
        assert after.criteria == before.criteria
