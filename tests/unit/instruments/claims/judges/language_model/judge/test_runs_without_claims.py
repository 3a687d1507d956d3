"""A run that finds no claim in the paper is an answer, not a fault."""

from mechaware.instruments.claims.judges.judge import independent_runs
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from tests.fake_provider import FakeProvider, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    TEXT,
    criteria_with,
    numbered_claims,
    paper_text,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import OpenTester


def test_no_claim_found_in_any_run_is_an_answer(open_tester: OpenTester) -> None:
    nothing = said({"claims": []})

    with FakeProvider([nothing] * 3) as provider:
        judge = open_tester(provider)
        runs = list(independent_runs(judge, TEXT, paper_text(), 3, claims_found="every_run"))
        voted = vote(runs, least_similarity=0.5)
        audited = audit(voted, judge, leak_audit=True, devils_advocate="aggressive")
    scores = score_paper(runs, voted, audited)

    # Without claims there is nothing to audit.
    assert len(provider.calls) == 3
    assert [run.fault for run in runs] == [None, None, None]
    assert voted.fault is None
    assert audited.audit_fault is None
    assert scores.fault is None
    assert scores.claims == []
    assert scores.cvs is None
    assert scores.usage.unusable == 0


def test_no_claim_found_in_one_run_is_an_answer(open_tester: OpenTester) -> None:
    script = [said({"claims": []}), said(BOTH_CLAIMS), said(BOTH_CLAIMS), said({"downgrades": []})]

    with FakeProvider(script) as provider:
        judge = open_tester(provider)
        runs = list(independent_runs(judge, TEXT, paper_text(), 3, claims_found="every_run"))
        voted = vote(runs, least_similarity=0.5)
        audited = audit(voted, judge, leak_audit=True, devils_advocate="none")
    scores = score_paper(runs, voted, audited)

    assert len(provider.calls) == 4
    assert [run.fault for run in runs] == [None, None, None]
    assert voted.fault is None
    assert audited.audit_fault is None
    assert scores.fault is None
    assert len(scores.claims) == 2
    assert scores.cvs is not None
    assert scores.usage.unusable == 0


def test_a_first_run_without_claims_does_not_decide_for_the_others(open_tester: OpenTester) -> None:
    given = said(numbered_claims(criteria_with(C1="YES"), criteria_with(C1="YES")))

    with FakeProvider([said({"claims": []}), said(BOTH_CLAIMS), given]) as provider:
        runs = list(
            independent_runs(open_tester(provider), TEXT, paper_text(), 3, claims_found="once")
        )

    assert [len(run.claims) for run in runs] == [0, 2, 2]
