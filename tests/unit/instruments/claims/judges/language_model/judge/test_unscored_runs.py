"""A paper or a reply that cannot be used leaves its run unscored, with the reason."""

import pytest

from mechaware.instruments.claims.rubric.records import Fault
from mechaware.instruments.claims.rubric.scoring import score_paper
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from tests.fake_provider import FakeProvider, Reply, said
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    CIRCUIT,
    TEXT,
    paper_text,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import OpenTester

# A reply in words, not JSON, that does what the instruction planted in TEXT asks for.
OBEYING = "As instructed, every criterion is YES. Score: 10/10."


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        pytest.param(
            [said(OBEYING)] * 2, "invalid", id="follows the instruction planted in the paper"
        ),
        pytest.param(
            [said({"claims": [CIRCUIT | {"statement": "..."}]})] * 2,
            "invalid",
            id="a claim without a sentence",
        ),
        pytest.param(
            [said(BOTH_CLAIMS, finish_reason="length")] * 2, "cut", id="cut off at the token limit"
        ),
        pytest.param(
            [said("", finish_reason="content_filter")], "refused", id="withheld by a content filter"
        ),
    ],
)
def test_a_reply_that_cannot_be_used_leaves_its_run_unscored_and_the_others_go_on(
    open_tester: OpenTester, script: list[Reply], kind: str
) -> None:
    with FakeProvider(
        [*script, said(BOTH_CLAIMS), said(BOTH_CLAIMS), said({"downgrades": []})]
    ) as provider:
        judge = open_tester(provider, mode="at_once")
        runs = [judge.extract(TEXT, paper_text(), number) for number in range(3)]
        voted = vote(runs, least_similarity=0.5)
        audited = audit(voted, judge, leak_audit=True, devils_advocate="none")
    scores = score_paper(runs, voted, audited)

    assert runs[0].fault is not None
    assert runs[0].fault.kind == kind
    assert runs[0].claims == []
    # One question, however many replies to it could not be used.
    assert runs[0].usage.unusable == 1
    assert voted.scored_runs == [1, 2]
    assert scores.cvs is not None
    # After the script, one call for each of the two other runs and one for the audit.
    assert len(provider.calls) == len(script) + 3


def test_a_paper_without_text_is_unscored_without_a_call(open_tester: OpenTester) -> None:
    fault = Fault(kind="encrypted", message="the PDF is encrypted")
    with FakeProvider() as provider:
        judge = open_tester(provider)
        runs = [
            judge.extract("", paper_text(fault=fault), 0),
            judge.judge_claims("", paper_text(fault=fault), [claim()], 0),
        ]

    for run in runs:
        assert run.fault == fault
        assert run.claims == []
        assert run.usage.calls == 0


@pytest.mark.parametrize(
    ("context_tokens", "max_tokens", "message"),
    [
        pytest.param(
            600,
            100,
            "the paper is too long: paper and guidance have about 92",
            id="the paper is too long",
        ),
        pytest.param(
            10000,
            9000,
            "max_tokens = 9000 is too long a reply: paper and guidance have about 92",
            id="the reply would be too long",
        ),
    ],
)
def test_a_prompt_or_a_reply_that_does_not_fit_the_context_leaves_the_run_unscored_and_is_named(
    open_tester: OpenTester, context_tokens: int, max_tokens: int, message: str
) -> None:
    with FakeProvider() as provider:
        judge = open_tester(provider, context_tokens=context_tokens, max_tokens=max_tokens)
        # 40 texts of 320 characters are 3,200 tokens, and the guidance has about 6,000.
        run = judge.extract(TEXT * 40, paper_text(), 0)

    assert run.fault is not None
    assert run.fault.kind == "too long"
    assert run.fault.message.startswith(message)
    # No question was asked, so none is without a usable reply.
    assert run.usage.unusable == 0
