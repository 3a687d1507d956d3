"""One call over real HTTP, with litellm's own retries and time-outs:
what comes of it, and what ends it in one line.
"""

import json
import os
from typing import Any

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.litellm_library import load_litellm
from mechaware.instruments.claims.judges.language_model.calls.provider import (
    DeadProviderError,
    Provider,
)
from mechaware.instruments.claims.judges.settings import JudgeSettings
from tests.fake_provider import FakeProvider, Reply, failed, failed_in_success, said

KEY = "sk-very-secret-1234"
GOOD = said({"status": "YES"})


def complete(server: FakeProvider, **more: Any) -> Any:
    given: dict[str, Any] = {
        "model": "openai/m",
        "attempts": 2,
        "timeout_s": 0.5,
        "api_key_env": "MY_KEY",
    }
    settings = JudgeSettings("fake", "provider", **given | more)
    messages = [{"role": "user", "content": "Judge this."}]
    request = {"model": settings.model, "messages": messages, "max_tokens": 9, "seed": 1}
    return Provider(settings).complete(request, api_base=server.url, api_key=KEY)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Import litellm before anything is timed."""
    load_litellm()


def chat(finish_reason: str = "stop", usage: object = None, **message: object) -> Reply:
    """A chat completion with these parts."""
    choice = {
        "index": 0,
        "message": {"role": "assistant"} | message,
        "finish_reason": finish_reason,
    }
    body = {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return Reply(body=json.dumps(body | ({"usage": usage} if usage else {})).encode())


@pytest.mark.parametrize(
    ("reply", "finish_reason"),
    [
        (chat(content="yes"), "stop"),
        (chat("length", content="yes"), "length"),
        (chat("content_filter", content=""), "content_filter"),
        (chat(content=None, refusal="I cannot."), "content_filter"),
        (chat("error", content="ye"), "error"),  # litellm calls it finished
        (chat("network_error", content=""), "error"),
        (chat("FAILED", content="yes"), "error"),
        (chat("eos_token", content="yes"), "stop"),
    ],
)
def test_a_reply_ends_as_its_provider_says(reply: Reply, finish_reason: str) -> None:
    with FakeProvider([reply]) as server:
        assert complete(server).finish_reason == finish_reason


@pytest.mark.parametrize(
    ("usage", "prompt_tokens", "completion_tokens"),
    [
        # 11 characters are sent, which are 2 tokens of four; the reply may have its limit of 9
        # tokens.
        pytest.param(None, 2, 9, id="no tokens reported"),
        pytest.param(
            {"prompt_tokens": 7, "completion_tokens": 0, "total_tokens": 7},
            7,
            9,
            id="only the prompt's tokens reported",
        ),
        pytest.param(
            {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
            7,
            3,
            id="all tokens reported",
        ),
    ],
)
def test_tokens_that_are_not_reported_are_estimated_and_priced(
    usage: object, prompt_tokens: int, completion_tokens: int
) -> None:
    prices = {
        "usd_per_million_prompt_tokens": 1000.0,
        "usd_per_million_completion_tokens": 10_000.0,
    }

    with FakeProvider([chat(content="x" * 40, usage=usage)]) as server:
        reply = complete(server, **prices)

    assert reply.prompt_tokens == prompt_tokens
    assert reply.completion_tokens == completion_tokens
    assert reply.cost == pytest.approx(0.001 * prompt_tokens + 0.01 * completion_tokens)


def test_a_key_that_the_model_repeats_is_not_kept() -> None:
    with FakeProvider([said(f"Your key is {KEY}.")]) as server:
        assert complete(server).text == "Your key is ***."


@pytest.mark.parametrize(
    "failure", [failed(429), failed(503), failed(408), said("x", cut_after=40), said("x", wait_s=9)]
)
def test_a_failure_that_passes_is_tried_again(failure: Reply) -> None:
    with FakeProvider([failure, GOOD]) as server:
        assert complete(server).text
        assert len(server.calls) == 2


@pytest.mark.parametrize(
    "model", ["openai/m", "dashscope/m", "deepseek/m", "gemini/m", "anthropic/m"]
)
def test_a_call_has_so_many_attempts_and_no_more_whatever_the_provider(model: str) -> None:
    with FakeProvider(otherwise=failed(500, "down")) as server:
        with pytest.raises(DeadProviderError):
            complete(server, model=model, attempts=3)
        assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        (failed(503, f"down\nand {KEY} out"), "(down)", 2),
        (failed(500, f"bad key {KEY}"), "(bad key ***)", 2),
        (failed(429, "slow down"), "(slow down)", 2),
        (said("{}", cut_after=40), "(Connection error.)", 2),
        (said("{}", wait_s=9), "Request timed out", 2),
        # A reply came, and cannot be read.
        (Reply(body=b"<html>busy</html>", content_type="text/html"), "<html>busy</html>", 1),
        (Reply(body=b'{"choices": [{"mess'), "Unterminated string", 1),
        (Reply(body=b""), "Expecting value", 1),
        (failed_in_success(f"overloaded with {KEY}", 502), "(overloaded with ***)", 1),
    ],
)
def test_a_provider_without_a_readable_answer_is_dead_in_one_line(
    reply: Reply, reason: str, calls: int
) -> None:
    with FakeProvider(otherwise=reply) as server:
        with pytest.raises(
            DeadProviderError, match=r"^judge fake: no reply .* 2 attempts .*; run again"
        ) as caught:
            complete(server)
        assert len(server.calls) == calls
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)


UNPROCESSABLE = Reply(
    status=422, body=b'{"detail": [{"loc": ["body", "seed"], "msg": "no such parameter"}]}'
)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (failed(401, f"bad key {KEY}"), ["401: bad key ***", "api_key_env is MY_KEY"]),
        (failed(402, "no credit"), ["402: no credit", "pay for it"]),
        (
            failed(404, "no such model"),
            ["404: no such model", "correct its entry in config/judges.yaml"],
        ),
        (failed(400, "seed is unknown"), ["400: seed is unknown", "write `seed: none`"]),
        (failed(404, "no seed here"), ["404: no seed here", "correct its entry"]),
        (failed(400, "proceed otherwise"), ["400: proceed otherwise", "correct its entry"]),
        (failed(422, "seed is not allowed"), ["422: seed is not allowed", "write `seed: none`"]),
        (UNPROCESSABLE, ["422: ", "no such parameter", "write `seed: none`"]),
    ],
)
def test_a_refusal_of_every_call_says_what_the_server_said_and_what_to_do(
    reply: Reply, words: list[str]
) -> None:
    with FakeProvider(otherwise=reply) as server:
        with pytest.raises(
            UserError, match=r"^judge fake: the provider refused the call "
        ) as caught:
            complete(server)
        assert len(server.calls) == 1
    message = str(caught.value)
    for word in words:
        assert word in message
    assert KEY not in message
    assert "\n" not in message


def test_a_refusal_of_this_prompt_alone_is_unscored() -> None:
    too_long = failed(400, "This model's maximum context length is 10 tokens, you asked for 20")
    with (
        FakeProvider([too_long]) as server,
        pytest.raises(Unscored, match="too long for the model"),
    ):
        complete(server)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("excepted", ["", "example.org"])
def test_a_server_on_this_machine_is_asked_past_the_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str, excepted: str
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", excepted)
    load_litellm.cache_clear()
    with FakeProvider([GOOD]) as server:
        server.url = server.url.replace("127.0.0.1", host)
        assert complete(server).text == '{"status": "YES"}'
    # What the environment excepts from the proxy stays excepted.
    if excepted:
        assert os.environ["no_proxy"].split(",")[0] == excepted
