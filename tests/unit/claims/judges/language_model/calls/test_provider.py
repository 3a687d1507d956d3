"""A provider that harms or dies, over real HTTP: each call is bounded in time and bytes, and ends in one line."""

import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.calls import provider as module
from mechaware.claims.judges.language_model.calls import transport as wire
from mechaware.claims.judges.language_model.calls.provider import (
    LONGEST_WAIT_S,
    DeadProviderError,
    Provider,
    longest_outage_s,
)
from mechaware.claims.judges.language_model.calls.store import Completion, ResponseStore
from mechaware.claims.judges.language_model.model import LanguageModel
from mechaware.claims.judges.settings import JudgeSettings, judge_settings
from mechaware.errors import UserError
from tests.fake_provider import FakeProvider, Reply, failed, failed_in_success, redirected, said, vast

REPOSITORY = Path(__file__).resolve().parents[6]
KEY = "sk-very-secret-1234"
METADATA = "http://169.254.169.254/latest/meta-data/"
REQUEST = {"model": "openai/m", "messages": [{"role": "user", "content": "Judge this."}], "max_tokens": 9}
GOOD = said({"status": "YES"})
ANSWER = Completion(
    text="yes", finish_reason="stop", prompt_tokens=1, completion_tokens=1, cost=None, latency_s=1.0, model="m"
)


class Judged(BaseModel):
    status: str


def provider_of(server: FakeProvider | str, **more: Any) -> Provider:
    given: dict[str, Any] = {"model": "openai/m", "attempts": 2, "timeout_s": 5.0}
    return Provider(JudgeSettings("fake", "provider", **given | more), backoff_s=0.01)


def complete(server: FakeProvider | str, provider: Provider | None = None, **more: Any) -> Any:
    url = server if isinstance(server, str) else server.url
    return (provider or provider_of(server, **more)).complete(REQUEST, api_base=url, api_key=KEY)


def dead(server: FakeProvider | str, **more: Any) -> str:
    """The one line of a provider that is dead."""
    with pytest.raises(DeadProviderError, match=r"^judge fake: no reply after .*; run again when") as caught:
        complete(server, **more)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    return str(caught.value)


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """Import litellm before anything is timed."""
    module.transport()


# Where a prompt may go


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_its_target_named(status: int) -> None:
    with FakeProvider(otherwise=GOOD) as elsewhere, FakeProvider([redirected(f"{elsewhere.url}/x", status)]) as server:
        with pytest.raises(UserError) as caught:
            complete(server)
        assert str(caught.value) == (
            f"judge fake: {server.url} redirects to {elsewhere.url}/x, which is not followed; enter the final address "
            "as `api_base` in config/judges.yaml"
        )
        assert (len(server.calls), len(elsewhere.calls)) == (1, 0)


def test_nor_is_one_to_an_address_where_clouds_keep_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    connected = []
    connect = socket.create_connection
    monkeypatch.setattr(
        socket,
        "create_connection",
        lambda place, *rest, **more: connected.append(place) or connect(place, *rest, **more),
    )
    with (
        FakeProvider([redirected(f"{METADATA}?key={KEY}\x1b[2J")]) as server,
        pytest.raises(
            UserError, match=r"redirects to http://169\.254\.169\.254/latest/meta-data/\?key=\*\*\*"
        ) as caught,
    ):
        complete(server)
    assert str(caught.value).isprintable()
    assert [host for host, _ in connected] == ["127.0.0.1"]


@pytest.mark.parametrize("model", ["anthropic/claude-x", "gemini/gemini-x", "dashscope/qwen-x", "deepseek/deepseek-x"])
def test_other_providers_of_litellm_send_by_the_same_transport(model: str) -> None:
    """A redirect is refused by ours alone; litellm's own clients would follow it."""
    with FakeProvider(otherwise=redirected(METADATA)) as server:
        provider = provider_of(server)
        with pytest.raises(UserError, match="which is not followed"):
            provider.complete(REQUEST | {"model": model}, api_base=server.url, api_key=KEY)
        assert len(server.calls) == 1


@pytest.mark.parametrize("scheme", ["http://", ""])
def test_the_environments_proxy_is_used_and_can_be_bypassed(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    with FakeProvider(otherwise=GOOD) as server:
        place = server.url.removeprefix("http://").removesuffix("/v1")
        monkeypatch.setenv("http_proxy", f"{scheme}user:pass%20word@{place}")
        monkeypatch.setenv("no_proxy", "")
        assert complete("http://nowhere.example/v1").text == '{"status": "YES"}'
        (call,) = server.calls
        assert call.path == "http://nowhere.example/v1/chat/completions"
        assert call.headers["proxy-authorization"] == "Basic dXNlcjpwYXNzIHdvcmQ="  # user:pass word, by base64
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        complete(server)
        assert server.calls[1].path == "/v1/chat/completions"


# Bytes and seconds


def test_a_large_reply_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST_REPLY", 2_000_000)
    with FakeProvider([vast(3), vast(3)]) as server:
        assert "a reply of more than 2000000 bytes" in dead(server)
        assert len(server.calls) == 2


def test_a_small_reply_that_unpacks_to_a_large_one_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LARGEST_REPLY", 2_000_000)
    packed = Reply(body=gzip.compress(bytes(3_000_000)), headers={"Content-Encoding": "gzip"})
    good = Reply(body=gzip.compress(b'{"choices": [{"message": {"content": "x"}}]}'), headers=packed.headers)
    with FakeProvider([packed, packed, good]) as server:
        assert "more than 2000000 bytes" in dead(server)
        assert complete(server).text == "x"


PEAK = """
import resource, sys
from mechaware.claims.judges.language_model.calls.provider import DeadProviderError, Provider
from mechaware.claims.judges.settings import JudgeSettings
provider = Provider(JudgeSettings("fake", "provider", model="openai/m", attempts=1))
def ask():
    try:
        provider.complete({"model": "openai/m", "messages": []}, api_base=sys.argv[1], api_key="k")
    except DeadProviderError as error:
        return "more than 10000000 bytes" in str(error)
ask()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert ask()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.gate
def test_400_megabytes_take_less_than_60_of_memory() -> None:
    with FakeProvider([failed(500), vast(400)]) as server:
        asked = subprocess.run([sys.executable, "-c", PEAK, server.url], capture_output=True, text=True, check=True)
    assert int(asked.stdout) < 60


@pytest.mark.parametrize("reply", [Reply(drips="headers"), Reply(drips="body"), Reply(wait_s=20)])
def test_a_reply_that_drips_or_stalls_ends_with_its_attempt(reply: Reply) -> None:
    with FakeProvider(otherwise=reply) as server:
        started = time.monotonic()
        assert "no whole reply in time" in dead(server, attempts=1, timeout_s=0.5)
        assert time.monotonic() - started < 0.9
        assert len(server.calls) == 1


def test_a_server_that_reads_nothing_ends_the_attempt() -> None:
    """A prompt that fills the buffers of both sides."""
    request = REQUEST | {"messages": [{"role": "user", "content": "x" * 20_000_000}]}
    with socket.create_server(("127.0.0.1", 0)) as silent:
        started = time.monotonic()
        provider = provider_of("", attempts=1, timeout_s=0.5)
        with pytest.raises(DeadProviderError, match="no whole reply in time"):
            provider.complete(request, api_base=f"http://127.0.0.1:{silent.getsockname()[1]}/v1", api_key=KEY)
        assert time.monotonic() - started < 1.5


def test_a_look_up_of_a_name_that_takes_long_ends_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: released.wait(10) and [])
    started = time.monotonic()
    assert "no whole reply in time" in dead("http://provider.example/v1", attempts=1, timeout_s=0.4)
    assert time.monotonic() - started < 0.8
    released.set()


# What a reply says


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(body=b"<html>busy\n</html>", content_type="text/html"), "text/html where a JSON object was expected"),
        (Reply(body=b"data: {}\n\ndata: [DONE]\n\n", content_type="text/event-stream"), "text/event-stream where"),
        (Reply(body=b"[1]"), "application/json where a JSON object was expected: '[1]'"),
        (Reply(body=b"[" * 100_000), "where a JSON object was expected"),
        (Reply(body=b""), "where a JSON object was expected: ''"),
        (Reply(body=b"{}"), ""),
        (Reply(body=b'{"choices": []}'), ""),
        (Reply(body=b'{"choices": 5}'), ""),
        (Reply(body=b'{"choices": ["x"]}'), ""),
        (Reply(body=b'{"choices": [{"message": "x"}]}'), ""),
        (said("{}", cut_after=40), "the connection failed"),
        (said("{}", headers={"Content-Encoding": "br"}), "sent in encoding br, unasked"),
        (failed(503, f"down\nand {KEY} out"), "down"),
        (failed(500, f"bad key {KEY}"), "bad key ***"),
        (failed_in_success("upstream is overloaded"), "upstream is overloaded"),
        (failed_in_success("upstream is overloaded", 502), "upstream is overloaded"),
    ],
)
def test_what_is_no_chat_completion_gives_its_reason_in_one_line(reply: Reply, reason: str) -> None:
    with FakeProvider(otherwise=reply) as server:
        assert reason in dead(server)
        assert len(server.calls) == 2


def chat(usage: object = None, model: object = "m", **message: object) -> Reply:
    """A chat completion with these parts."""
    body = {"choices": [{"index": 0, "message": {"role": "assistant"} | message, "finish_reason": "stop"}]}
    return Reply(body=json.dumps(body | {"model": model, "usage": usage}).encode())


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": -5, "completion_tokens": "many", "total_tokens": None}, (0, 0)),
        ({"prompt_tokens": 10**30, "completion_tokens": 1.5, "total_tokens": True}, (0, 0)),
        ({"prompt_tokens": float("nan"), "completion_tokens": 7, "total_tokens": float("inf")}, (0, 7)),
        ({"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": "none"}, (9, 7)),
        ({"prompt_tokens": 9, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": [1]}}, (9, 7)),
        ([9, 7], (0, 0)),
    ],
)
def test_a_whole_reply_is_used_whatever_its_usage(
    usage: object, tokens: tuple[int, int], capfd: pytest.CaptureFixture[str]
) -> None:
    with FakeProvider([chat(usage, content="yes")]) as server:
        reply = complete(server)
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ("yes", *tokens)
    assert capfd.readouterr().err == ""


def test_a_whole_reply_is_used_whatever_its_model_and_in_parts() -> None:
    parts = [{"type": "text", "text": "y"}, {"type": "image_url"}, {"type": "text", "text": "es"}]
    with FakeProvider([chat(model=["x"], content="yes"), chat(content=parts)]) as server:
        first, second = complete(server), complete(server)
    assert (first.text, first.model, second.text) == ("yes", "", "yes")


def test_a_whole_reply_is_used_whatever_stands_beside_its_content() -> None:
    odd: dict[str, Any] = {"tool_calls": "z", "function_call": 7, "annotations": "x", "audio": 3}
    beside = json.loads(chat(content="yes").body) | {"error": {"message": "partial", "code": 422}}
    script = [chat(content="yes", **odd), Reply(body=json.dumps(beside).encode())]
    with FakeProvider(script) as server:
        assert [complete(server).text for _ in script] == ["yes", "yes"]
        assert len(server.calls) == 2


@pytest.mark.parametrize(
    ("content", "text"), [({"claims": [1]}, '{"claims": [1]}'), ([{"claims": 1}], '[{"claims": 1}]'), (7, "7")]
)
def test_content_that_is_json_in_itself_is_its_text(content: object, text: str) -> None:
    with FakeProvider([chat(content=content)]) as server:
        assert complete(server).text == text
        assert len(server.calls) == 1


def test_an_error_beside_no_content_is_the_error() -> None:
    empty = json.loads(chat(content="").body) | {"error": {"message": "no credit", "code": 402}}
    with FakeProvider([Reply(body=json.dumps(empty).encode())]) as server, pytest.raises(UserError, match="no credit"):
        complete(server)


def test_a_refusal_in_place_of_content_ends_as_filtered() -> None:
    with FakeProvider([chat(content=None, refusal="I cannot."), chat(content="yes", refusal="")]) as server:
        assert complete(server).finish_reason == "content_filter"
        assert complete(server).finish_reason == "stop"


def test_an_error_in_a_success_is_what_its_code_says() -> None:
    script = [
        failed_in_success("no credit", 402),
        failed_in_success("bad key", "401"),
        failed_in_success("This model's maximum context length is 10 tokens, you asked for 20", 400),
    ]
    with FakeProvider(script) as server:
        with pytest.raises(UserError, match=r"no credit.*no money"):
            complete(server)
        with pytest.raises(UserError, match=r"bad key.*correct the key"):
            complete(server)
        with pytest.raises(Unscored, match="too long for the model"):
            complete(server)
        assert len(server.calls) == 3


def test_a_key_that_the_model_repeats_is_not_kept() -> None:
    with FakeProvider([said(f"Your key is {KEY}.")]) as server:
        assert complete(server).text == "Your key is ***."


def test_tokens_that_a_failed_attempt_reports_are_counted() -> None:
    """7 + 3 of a reply without choices, 5 + 0 of an error, none of a broken one, and 100 + 10 of the good reply."""
    script = [
        Reply(body=json.dumps({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}).encode()),
        failed_in_success("upstream", prompt_tokens=5, completion_tokens=-2),
        said("{}", cut_after=40),
        GOOD,
    ]
    prices = {"usd_per_million_prompt_tokens": 1000.0, "usd_per_million_completion_tokens": 10_000.0}
    with FakeProvider(script) as server:
        reply = complete(server, attempts=4, **prices)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.failed_attempts) == (112, 13, 3)
    assert reply.cost == pytest.approx(0.112 + 0.13)


# A dead provider


def test_a_dead_provider_is_given_up_after_its_attempts() -> None:
    with FakeProvider() as gone:
        pass
    assert "no reply after 2 attempts (the connection failed" in dead(gone)
    with FakeProvider(otherwise=failed(429, Retry_After="86400")) as server:
        assert "after 1 attempt (" in (line := dead(server))
        assert "asks to wait for 86400 s" in line
        assert len(server.calls) == 1


class Clock:
    """Time that passes only in sleeps, and in attempts as a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(module, "time", self)

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def scripted(clock: Clock, monkeypatch: pytest.MonkeyPatch, attempts: list[tuple[float, int | None]]) -> list[float]:
    """Each attempt takes so many seconds, or what it may take, and has this status, None for a good reply."""
    allowed: list[float] = []

    class Transport:
        @contextmanager
        def attempt(self, timeout_s: float) -> Iterator[wire.Exchange]:
            allowed.append(timeout_s)
            yield wire.Exchange(deadline=0.0)

    class StatusError(Exception):
        def __init__(self, status: int) -> None:
            self.status_code = status

    def chat(self: Provider, *_: object) -> None:
        seconds, status = attempts.pop(0)
        clock.now += min(seconds, allowed[-1])
        if status is not None:
            raise StatusError(status)

    monkeypatch.setattr(module, "transport", Transport)
    monkeypatch.setattr(Provider, "_chat", chat)
    monkeypatch.setattr(Provider, "_completion", lambda *_: ANSWER)
    return allowed


def test_the_defaults_give_up_a_silent_provider_after_20_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 attempts of 300 s; the waits of 1, 2 and 4 s between them are taken from the last attempt."""
    clock = Clock(monkeypatch)
    settings = JudgeSettings("fake", "provider", model="openai/m")
    allowed = scripted(clock, monkeypatch, [(9999.0, 500)] * 9)
    with pytest.raises(DeadProviderError, match="no reply after 4 attempts"):
        Provider(settings).complete(REQUEST, api_base="", api_key=None)
    assert allowed == [300.0, 300.0, 300.0, 293.0]
    assert clock.now == longest_outage_s(settings) == 20 * 60


def test_imports_are_no_part_of_an_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take 50 s here, and an attempt may take 10."""
    clock = Clock(monkeypatch)
    allowed = scripted(clock, monkeypatch, [(1.0, None)])
    monkeypatch.setattr(module, "make_ready", lambda _: clock.sleep(50))
    provider = Provider(JudgeSettings("fake", "provider", model="openai/m", timeout_s=10.0))
    assert provider.complete(REQUEST, api_base="", api_key=None) == ANSWER
    assert (allowed, clock.now) == ([10.0], 51.0)


def test_getting_ready_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[object] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _, place: connected.append(place))
    module.make_ready.__wrapped__("openai/another")
    assert connected == []


def test_a_job_loses_no_more_time_than_that_to_a_provider_that_answers_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Call 1: 300 + 1 + 300 + 2 s lost, then a good reply. Call 2: 300 + 1 s lost, and 296 s are left."""
    clock = Clock(monkeypatch)
    allowed = scripted(clock, monkeypatch, [(9999.0, 500)] * 2 + [(50.0, None)] + [(9999.0, 500)] * 9)
    provider = Provider(JudgeSettings("fake", "provider", model="openai/m"))
    assert provider.complete(REQUEST, api_base="", api_key=None) == ANSWER
    with pytest.raises(DeadProviderError, match="no reply after 2 attempts"):
        provider.complete(REQUEST, api_base="", api_key=None)
    assert allowed == [300.0, 300.0, 300.0, 300.0, 296.0]
    assert clock.now == 1200 + 50


def test_a_provider_that_paces_its_users_is_not_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty calls, each after two attempts that end in status 429 at once: 150 s of waiting, of 40 s for failures."""
    clock = Clock(monkeypatch)
    scripted(clock, monkeypatch, [(0.0, 429), (0.0, 429), (1.0, None)] * 50)
    provider = Provider(JudgeSettings("fake", "provider", model="openai/m", timeout_s=10.0))
    assert [provider.complete(REQUEST, api_base="", api_key=None) for _ in range(50)] == [ANSWER] * 50
    assert clock.now == 50 * (1 + 2 + 1)


def test_no_judge_of_the_repository_waits_longer_than_an_hour_and_most_20_minutes() -> None:
    entries = yaml.safe_load((REPOSITORY / "config/judges.yaml").read_text())
    longest = {name: longest_outage_s(judge_settings(name, entry)) / 60 for name, entry in entries.items()}
    assert longest.pop("deepseek-v4-pro-max") == 60
    thinking = {"gpt-5.5-thinking", "claude-opus-4.7-high", "deepseek-v4-pro", "qwen-3.7-max"}
    assert {name for name, minutes in longest.items() if minutes > 20} == thinking
    assert max(longest.values()) <= 45
    assert LONGEST_WAIT_S < 20 * 60


def test_what_a_dead_provider_has_answered_is_kept_and_only_the_rest_asked_for(tmp_path: Path) -> None:
    def model(server: FakeProvider) -> LanguageModel:
        settings = JudgeSettings("fake", "provider", model="openai/m", api_base=server.url, attempts=2)
        return LanguageModel(settings, ResponseStore(tmp_path), backoff_s=0.01)

    def judged(judge: LanguageModel) -> list[Judged]:
        asked = [[{"role": "user", "content": str(number)}] for number in range(4)]
        return [judge.ask(messages, Judged, run=0, step="claims") for messages in asked]

    with FakeProvider([GOOD, GOOD, failed(503), failed(503), GOOD, GOOD]) as server:
        with pytest.raises(DeadProviderError):
            judged(model(server))
        assert len(server.calls) == 4
        assert judged(model(server)) == [Judged(status="YES")] * 4
        asked = [call.request["messages"][0]["content"] for call in server.calls]
    assert asked == ["0", "1", "2", "2", "2", "3"]
