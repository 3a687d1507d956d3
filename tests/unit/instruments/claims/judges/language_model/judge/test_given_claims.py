"""Claims that are given to the judge keep their order and get their own criteria from each run."""

from typing import Any

import pytest

from mechaware.instruments.claims.judges.judge import independent_runs
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.instruments.claims.rubric.records import Run
from mechaware.instruments.claims.votes.audit import audit
from mechaware.instruments.claims.votes.voting import vote
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.unit.instruments.claims.claims_by_hand import claim
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    STATUSES_OF_BOTH,
    TEXT,
    criteria_with,
    numbered_claims,
    paper_text,
    statuses_except_no,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import OpenTester
from tests.unit.instruments.claims.judges.language_model.judge.request_fields import (
    fields_asked_for,
    last_message,
)


def test_given_claims_are_judged_in_their_order_over_the_whole_paper(
    open_tester: OpenTester,
) -> None:
    given = [
        claim("Head 3.1 detects the plural", ["3.1"], rest="YES"),
        claim("The circuit moves it", system=True),
    ]
    script = [
        said({"criteria": criteria_with(I1="YES")}),
        said({"criteria": criteria_with(V3="PARTIAL")}),
    ]

    with FakeProvider(script) as provider:
        run = open_tester(provider, mode="claim_by_claim").judge_claims(
            TEXT, paper_text(), given, 1
        )

    assert statuses_except_no(run) == [{"I1": "YES"}, {"V3": "PARTIAL"}]
    for before, after in zip(given, run.claims, strict=True):
        assert list(after.criteria) == list(CRITERIA)
        assert after == before.model_copy(update={"criteria": after.criteria})
    assert run.run == 1
    assert run.usage.calls == 2
    for call in provider.calls:
        assert TEXT in last_message(call)


def test_at_once_later_runs_judge_all_given_claims_in_one_reply_as_the_first_run_does(
    open_tester: OpenTester,
) -> None:
    """Three runs take three calls, as if every run found its claims; the audit is the fourth."""
    second = numbered_claims(criteria_with(I1="PARTIAL"), criteria_with(V3="YES"))
    third = numbered_claims(criteria_with(), criteria_with(I2="YES"))
    # The numbers count, not the order.
    third["claims"].reverse()
    script = [said(BOTH_CLAIMS), said(second), said(third), said({"downgrades": []})]

    with FakeProvider(script) as provider:
        judge = open_tester(provider)
        runs = list(independent_runs(judge, TEXT, paper_text(), 3, claims_found="once"))
        audit(vote(runs, least_similarity=0.5), judge, leak_audit=True, devils_advocate="none")

    assert len(provider.calls) == 4
    assert [statuses_except_no(run) for run in runs] == [
        STATUSES_OF_BOTH,
        [{"I1": "PARTIAL"}, {"V3": "YES"}],
        [{}, {"I2": "YES"}],
    ]
    assert [run.usage.calls for run in runs] == [1, 1, 1]
    assert [run.notes for run in runs] == [[], [], []]

    asked = provider.calls[1].request
    assert asked["messages"][0] == provider.calls[0].request["messages"][0]
    claims = fields_asked_for(provider.calls[1])["claims"]
    assert claims["minItems"] == 2
    assert claims["maxItems"] == 2
    second_claim = '"claim": 2,\n  "statement": "Head 3.1 detects the plural"'
    assert second_claim in asked["messages"][1]["content"]


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(
            [{"claim": 1, "criteria": criteria_with(I1="YES")}], id="no entry for claim 2"
        ),
        # Neither of the two entries for claim 2 counts.
        pytest.param(
            [
                {"claim": "claim 1", "criteria": criteria_with(I1="YES")},
                {"claim": 2, "criteria": criteria_with()},
                {"claim": 2, "criteria": criteria_with(C1="YES")},
            ],
            id="two entries for claim 2",
        ),
    ],
)
def test_a_given_claim_without_its_one_entry_in_the_reply_is_asked_for_alone(
    open_tester: OpenTester, entries: list[dict[str, Any]]
) -> None:
    given = [claim("The circuit moves it", system=True), claim("Head 3.1 detects the plural")]
    script = [said({"claims": entries}), said({"criteria": criteria_with(I2="YES")})]

    with FakeProvider(script) as provider:
        run = open_tester(provider).judge_claims(TEXT, paper_text(), given, 1)

    assert statuses_except_no(run) == [{"I1": "YES"}, {"I2": "YES"}]
    assert "Head 3.1" in provider.calls[1].request["messages"][1]["content"]
    assert run.notes[0].startswith('criteria of "Head 3.1 detects the plural" asked again: ')


def test_a_reply_without_a_number_is_asked_again_and_then_leaves_the_run_unscored(
    open_tester: OpenTester,
) -> None:
    bare = said({"claims": [{"criteria": criteria_with(I1="YES")}]})

    with FakeProvider([bare, bare]) as provider:
        run = open_tester(provider).judge_claims(TEXT, paper_text(), [claim("It moves it")], 1)

    assert run.fault is not None
    assert run.fault.kind == "invalid"
    assert run.claims == []


def test_runs_in_threads_are_the_same_as_runs_one_after_the_other(
    open_tester: OpenTester,
) -> None:
    """Later runs get their replies earlier. A run's number is the seed of its requests."""

    def reply(call: Call) -> Reply:
        seed = call.request["seed"]
        if seed == 0:
            return said(BOTH_CLAIMS)
        # Seconds: 0.4 for run 1, 0.2 for run 2, 0.13 for run 3.
        wait_s = 0.4 / seed
        return said(
            numbered_claims(criteria_with(I1="YES"), criteria_with(**{f"C{seed}": "YES"})),
            wait_s=wait_s,
        )

    def runs_and_seeds(at_a_time: int) -> tuple[list[Run], list[int]]:
        with FakeProvider(otherwise=reply) as provider:
            # A model of its own, for which the store has no replies.
            judge = open_tester(provider, seed="run", model=f"openai/{at_a_time}")
            runs = independent_runs(
                judge, TEXT, paper_text(), 4, claims_found="once", at_a_time=at_a_time
            )
            return list(runs), [call.request["seed"] for call in provider.calls]

    one_by_one, _ = runs_and_seeds(1)
    in_threads, seeds = runs_and_seeds(3)

    assert in_threads == one_by_one
    assert [run.run for run in in_threads] == [0, 1, 2, 3]
    # Run 0 is finished before the others begin, so that the provider has its prompt in the cache.
    assert seeds[0] == 0
    assert sorted(seeds) == [0, 1, 2, 3]
