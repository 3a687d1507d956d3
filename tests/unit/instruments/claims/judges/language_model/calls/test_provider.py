"""One call over real HTTP, with litellm's own retries and time-outs:
how its reply ended, what it cost, and the message of one line if it fails.
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


def complete(server: FakeProvider, **changed: Any) -> Any:
    """The reply to one call, by a judge with these settings and those that the test changes."""
    defaults: dict[str, Any] = {
        "model": "openai/m",
        "attempts": 2,
        "timeout_s": 0.5,
        "api_key_env": "MY_KEY",
    }
    settings = JudgeSettings("fake", "provider", **defaults | changed)
    messages = [{"role": "user", "content": "Judge this."}]
    request = {"model": settings.model, "messages": messages, "max_tokens": 9, "seed": 1}
    return Provider(settings).complete(request, api_base=server.url, api_key=KEY)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Import litellm before anything is timed."""
    load_litellm()


def chat(finish_reason: str = "stop", usage: object = None, **message: object) -> Reply:
    """A chat completion whose message has the fields `message`.

    It reports how many tokens it took only if `usage` is given.
    """
    choice = {
        "index": 0,
        "message": {"role": "assistant"} | message,
        "finish_reason": finish_reason,
    }
    body: dict[str, object] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    if usage is not None:
        body["usage"] = usage
    return Reply(body=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("reply", "finish_reason"),
    [
        pytest.param(chat(content="yes"), "stop", id="whole"),
        pytest.param(chat("length", content="yes"), "length", id="cut at its limit of tokens"),
        pytest.param(
            chat("content_filter", content=""), "content_filter", id="stopped by a content filter"
        ),
        pytest.param(
            chat(content=None, refusal="I cannot."), "content_filter", id="refused by the model"
        ),
        # litellm reports the next four as finished, under "stop".
        pytest.param(chat("error", content="ye"), "error", id="an error in the middle"),
        pytest.param(chat("network_error", content=""), "error", id="an error at the beginning"),
        pytest.param(chat("FAILED", content="yes"), "error", id="an error in capitals"),
        pytest.param(
            chat("eos_token", content="yes"), "stop", id="whole, in the words of another provider"
        ),
    ],
)
def test_a_reply_ends_as_its_provider_says(reply: Reply, finish_reason: str) -> None:
    with FakeProvider([reply]) as server:
        assert complete(server).finish_reason == finish_reason


@pytest.mark.parametrize(
    ("usage", "prompt_tokens", "completion_tokens"),
    [
        # "Judge this." has 11 characters, which make 2 tokens of 4 characters. A reply is taken to
        # be as long as its limit, 9 tokens.
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
def test_a_call_is_repeated_after_a_failure_that_may_pass(failure: Reply) -> None:
    with FakeProvider([failure, GOOD]) as server:
        assert complete(server).text
        assert len(server.calls) == 2


@pytest.mark.parametrize(
    "model", ["openai/m", "dashscope/m", "deepseek/m", "gemini/m", "anthropic/m"]
)
def test_every_provider_is_called_once_for_each_attempt(model: str) -> None:
    with FakeProvider(otherwise=failed(500, "down")) as server:
        with pytest.raises(DeadProviderError):
            complete(server, model=model, attempts=3)
        assert len(server.calls) == 3


@pytest.mark.parametrize(
    ("reply", "reason", "calls"),
    [
        pytest.param(failed(503, f"down\nand {KEY} out"), "(down)", 2, id="an error of two lines"),
        pytest.param(failed(500, f"bad key {KEY}"), "(bad key ***)", 2, id="an error with the key"),
        pytest.param(failed(429, "slow down"), "(slow down)", 2, id="too many calls"),
        pytest.param(
            said("{}", cut_after=40), "(Connection error.)", 2, id="a connection that breaks"
        ),
        pytest.param(said("{}", wait_s=9), "Request timed out", 2, id="no reply in time"),
        # A whole reply of status 200 is not requested again, even if it is unreadable or an error.
        pytest.param(
            Reply(body=b"<html>busy</html>", content_type="text/html"),
            "<html>busy</html>",
            1,
            id="a web page",
        ),
        pytest.param(
            Reply(body=b'{"choices": [{"mess'), "Unterminated string", 1, id="half of a JSON object"
        ),
        pytest.param(Reply(body=b""), "Expecting value", 1, id="an empty body"),
        pytest.param(
            failed_in_success(f"overloaded with {KEY}", 502),
            "(overloaded with ***)",
            1,
            id="an error of status 200",
        ),
    ],
)
def test_a_provider_without_a_readable_answer_is_reported_dead_in_one_line(
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
    ("reply", "parts_of_message"),
    [
        pytest.param(
            failed(401, f"bad key {KEY}"),
            ["401: bad key ***", "api_key_env is MY_KEY"],
            id="a wrong key",
        ),
        pytest.param(failed(402, "no credit"), ["402: no credit", "pay for it"], id="no credit"),
        pytest.param(
            failed(404, "no such model"),
            ["404: no such model", "correct its entry in config/judges.yaml"],
            id="an unknown model",
        ),
        # Only the statuses 400 and 422 with the word "seed" are about the parameter.
        pytest.param(
            failed(400, "seed is unknown"),
            ["400: seed is unknown", "write `seed: none`"],
            id="the seed, as status 400",
        ),
        pytest.param(
            failed(422, "seed is not allowed"),
            ["422: seed is not allowed", "write `seed: none`"],
            id="the seed, as status 422",
        ),
        pytest.param(
            UNPROCESSABLE,
            ["422: ", "no such parameter", "write `seed: none`"],
            id="the seed, in JSON",
        ),
        pytest.param(
            failed(404, "no seed here"),
            ["404: no seed here", "correct its entry"],
            id="the word seed, as status 404",
        ),
        pytest.param(
            failed(400, "unseeded model"),
            ["400: unseeded model", "correct its entry"],
            id="seed within another word",
        ),
    ],
)
def test_a_refusal_of_every_call_gives_the_servers_reason_and_a_remedy(
    reply: Reply, parts_of_message: list[str]
) -> None:
    with FakeProvider(otherwise=reply) as server:
        with pytest.raises(
            UserError, match=r"^judge fake: the provider refused the call "
        ) as caught:
            complete(server)
        assert len(server.calls) == 1
    message = str(caught.value)
    for part in parts_of_message:
        assert part in message
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
def test_a_server_on_this_machine_is_called_without_the_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str, excepted: str
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", excepted)
    # The next call loads litellm, and excepts this machine from the proxy, in this environment.
    load_litellm.cache_clear()
    with FakeProvider([GOOD]) as server:
        server.url = server.url.replace("127.0.0.1", host)
        assert complete(server).text == '{"status": "YES"}'
    # A host that the environment already excepted from the proxy stays excepted.
    if excepted:
        assert os.environ["no_proxy"].split(",")[0] == excepted
