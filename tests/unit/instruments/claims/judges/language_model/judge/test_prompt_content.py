"""A prompt holds the paper as data, its flags, and for Anthropic a mark of the part to cache."""

import json
from typing import get_args

import pytest

from mechaware.instruments.claims.judges.judge import independent_runs
from mechaware.instruments.claims.judges.settings import Mode
from tests.fake_provider import Call, FakeProvider, Reply, said
from tests.unit.instruments.claims.judges.language_model.judge.agreement_by_hand import (
    BOTH_CLAIMS,
    PLANTED,
    TEXT,
    criteria_with,
    numbered_claims,
    paper_text,
    small_model_reply,
)
from tests.unit.instruments.claims.judges.language_model.judge.conftest import OpenTester


def test_the_paper_is_fenced_as_data_and_nothing_in_it_stands_outside(
    open_tester: OpenTester,
) -> None:
    with FakeProvider([said(BOTH_CLAIMS)]) as provider:
        open_tester(provider, mode="at_once").extract(TEXT, paper_text(), 0)

    (call,) = provider.calls
    system, user = [message["content"] for message in call.request["messages"]]
    assert PLANTED not in system
    fence = next(line for line in user.splitlines() if line.startswith("=====DATA-"))
    # The prompt names the fence once; then it opens and closes the paper.
    assert [PLANTED in part for part in user.split(fence)] == [False, False, True, False]


@pytest.mark.parametrize("mode", get_args(Mode))
def test_the_flags_reach_the_judge_in_every_mode(open_tester: OpenTester, mode: Mode) -> None:
    reply = small_model_reply if mode == "passages" else said(BOTH_CLAIMS)

    with FakeProvider(otherwise=reply) as provider:
        open_tester(provider, mode=mode).extract(
            TEXT, paper_text(flags=["NO_VARIANCE_REPORTED"]), 0
        )

    asked = json.dumps([call.request["messages"] for call in provider.calls])
    assert "NO_VARIANCE_REPORTED" in asked


def test_anthropic_caches_the_guidance_and_the_paper_for_all_runs(open_tester: OpenTester) -> None:
    """Both runs have the same text up to a mark behind the paper, and different tasks after it."""

    def reply(call: Call) -> Reply:
        finds_claims = "Report the paper's mechanism claims" in str(call.request["messages"])
        answer = BOTH_CLAIMS if finds_claims else numbered_claims(criteria_with(), criteria_with())
        body = {
            "id": "1",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": json.dumps(answer)}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 9000, "output_tokens": 10},
        }
        return Reply(body=json.dumps(body).encode())

    with FakeProvider(otherwise=reply) as provider:
        judge = open_tester(
            provider, model="anthropic/claude-m", structured_output="none", seed="none"
        )
        runs = list(independent_runs(judge, TEXT, paper_text(), 2, claims_found="once"))

    assert [run.fault for run in runs] == [None, None]
    systems = [call.request["system"] for call in provider.calls]
    users = [call.request["messages"][0]["content"] for call in provider.calls]
    assert systems[0] == systems[1]
    assert users[0][0] == users[1][0]
    assert users[0][0]["cache_control"] == {"type": "ephemeral"}
    assert TEXT in users[0][0]["text"]
    assert users[0][1]["text"] != users[1][1]["text"]
    assert "cache_control" not in users[0][1]
    assert "cache_control" not in users[1][1]
