"""A language model behind real HTTP.

In this order: good replies, replies that cannot be used, keys, the store, the cost limit, settings.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.provider import DeadProviderError
from mechaware.instruments.claims.judges.language_model.calls.store import ResponseStore
from mechaware.instruments.claims.judges.language_model.model import LanguageModel, language_model
from mechaware.instruments.claims.judges.language_model.structured import (
    StructuredReply,
    parse,
    response_format,
)
from mechaware.instruments.claims.judges.settings import JudgeSettings, judge_settings
from mechaware.instruments.claims.rubric.records import Usage
from tests.fake_provider import FakeProvider, Reply, failed, said

KEY = "sk-very-secret-1234"
KEY_NAME = "FAKE_PROVIDER_KEY"
ASKED = [{"role": "system", "content": "Be fair."}, {"role": "user", "content": "Judge this."}]
# A call of the fake provider has 100 tokens of prompt and 10 of reply, so it costs $0.10 + $0.10.
PRICES = {"usd_per_million_prompt_tokens": 1000.0, "usd_per_million_completion_tokens": 10_000.0}


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    note: str | None = None


# The form of the replies that these tests ask for. A docstring would become part of its schema.
class Judged(StructuredReply):
    model_config = ConfigDict(extra="forbid")
    status: Literal["NO", "PARTIAL", "YES"]
    parts: list[Part] = Field(default_factory=list)


GOOD = {"status": "YES", "parts": []}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_NAME, KEY)


def settings_of(provider: FakeProvider, **changes: Any) -> JudgeSettings:
    """The settings of a judge whose model is at the fake provider."""
    defaults = {
        "model": "openai/m",
        "api_base": provider.url,
        "api_key_env": KEY_NAME,
        "temperature": 0.0,
        "max_tokens": 100,
        "timeout_s": 5.0,
        "attempts": 3,
    }
    return JudgeSettings("fake", "provider", **defaults | changes)


def model_of(provider: FakeProvider, folder: Path, **changes: Any) -> LanguageModel:
    """A model whose settings have these changes, and whose replies are stored in `folder`."""
    return LanguageModel(settings_of(provider, **changes), ResponseStore(folder))


def ask(model: LanguageModel, run: int = 0, messages: list[dict[str, str]] = ASKED) -> Judged:
    return model.ask(messages, Judged, run=run, step="claims")


# Good replies


def test_a_request_has_the_key_the_form_and_the_settings(tmp_path: Path) -> None:
    with FakeProvider([said(GOOD)]) as provider:
        reply = ask(model_of(provider, tmp_path, reasoning_effort="high"), run=2)

    assert reply == Judged(status="YES")
    (call,) = provider.calls
    assert call.headers["authorization"] == f"Bearer {KEY}"
    form = call.request.pop("response_format")
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert call.request == {
        "model": "m",
        "messages": ASKED,
        "temperature": 0.0,
        "reasoning_effort": "high",
        "max_tokens": 100,
        "seed": 2,
    }


def test_settings_that_are_not_set_are_not_sent(tmp_path: Path) -> None:
    with FakeProvider([said(GOOD)]) as provider:
        ask(model_of(provider, tmp_path, temperature=None, structured_output="none"))

    assert set(provider.calls[0].request) == {"model", "messages", "max_tokens", "seed"}


def test_a_server_that_refuses_seeds_gets_none_and_each_run_has_its_own_reply(
    tmp_path: Path,
) -> None:
    with FakeProvider([said(GOOD), said({"status": "NO"})]) as provider:
        model = model_of(provider, tmp_path, seed="none")
        replies = [ask(model, run=run) for run in (0, 1, 0, 1)]

    assert [reply.status for reply in replies] == ["YES", "NO", "YES", "NO"]
    first, second = provider.calls
    assert "seed" not in first.request
    assert "seed" not in second.request


def test_a_strict_schema_requires_all_and_allows_no_other_property() -> None:
    form = response_format(Judged, "json_schema")

    assert form is not None
    # By hand, from the two classes above and the rules of strict mode.
    assert form["json_schema"]["schema"] == {
        "type": "object",
        "properties": {
            "status": {"type": "string", "enum": ["NO", "PARTIAL", "YES"]},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
        },
        "required": ["status", "parts"],
        "additionalProperties": False,
        "$defs": {
            "Part": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                },
                "required": ["name", "note"],
                "additionalProperties": False,
            }
        },
    }


def test_without_a_schema_any_json_object_or_no_form_is_asked_for() -> None:
    assert response_format(Judged, "json_object") == {"type": "json_object"}
    assert response_format(Judged, "none") is None


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    """UTF-8 cannot encode it, so no file could hold it."""
    reply, repaired = parse('{"status": "YES", "parts": [{"name": "a\\ud800"}]}', Judged)

    assert reply.parts[0].name == "a?"
    assert not repaired


# Replies that cannot be used


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        pytest.param(
            [said("no"), said({"status": "MAYBE"})], "invalid", id="no JSON, then another status"
        ),
        pytest.param(
            [said("", finish_reason="length"), said(GOOD, finish_reason="length")],
            "cut",
            id="cut twice",
        ),
        pytest.param(
            [said(GOOD, finish_reason="length"), said("no")], "invalid", id="cut, then no JSON"
        ),
        pytest.param([said("")], "empty", id="empty"),
        pytest.param([said(" \n")], "empty", id="white space"),
        pytest.param([Reply(content=None)], "empty", id="null"),
        pytest.param([said(GOOD, finish_reason="content_filter")], "refused", id="filtered"),
        pytest.param([said(GOOD, finish_reason="error")], "error", id="an error"),
        pytest.param(
            [failed(400, "This model's maximum context length is 10 tokens, you asked for 20")],
            "context",
            id="beyond the context",
        ),
    ],
)
def test_a_call_without_a_usable_reply_is_unscored_and_not_stored(
    tmp_path: Path, script: list[Reply], kind: str
) -> None:
    with FakeProvider(script) as provider, pytest.raises(Unscored) as caught:
        ask(model_of(provider, tmp_path))

    assert caught.value.kind == kind
    assert "\n" not in str(caught.value)
    assert len(provider.calls) == len(script)
    assert not list(tmp_path.glob("*.json"))


def test_a_cut_reply_is_asked_for_again_shorter_and_never_read(tmp_path: Path) -> None:
    cut = said({"status": "NO", "parts": []}, finish_reason="length")

    with FakeProvider([cut, said(GOOD)]) as provider:
        reply = ask(model_of(provider, tmp_path))

    assert reply == Judged(status="YES")
    again = provider.calls[1].request["messages"]
    assert again[0] == ASKED[0]
    assert "shorter" in again[1]["content"]
    assert "NO" not in again[1]["content"]


# Keys


def test_a_missing_key_stops_before_any_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY_NAME)
    message = f"judge fake: no key; set the environment variable {KEY_NAME}"

    with FakeProvider() as provider, pytest.raises(UserError, match=message):
        ask(model_of(provider, tmp_path))

    assert not provider.calls


def test_another_providers_key_is_not_sent_to_the_users_own_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    with FakeProvider([said(GOOD)]) as provider:
        ask(model_of(provider, tmp_path, api_key_env=None))

    assert KEY not in str(provider.calls)


# The store


def test_a_second_model_on_the_same_store_makes_no_call_needs_no_key_and_counts_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Run 0 needs one call, run 1 two: its first reply is no JSON.
    with FakeProvider([said(GOOD), said("no"), said(GOOD)]) as provider:
        first = model_of(provider, tmp_path, **PRICES)
        ask(first)
        ask(first, run=1)
        assert len(provider.calls) == 3

        monkeypatch.delenv(KEY_NAME)
        second = model_of(provider, tmp_path, **PRICES)
        ask(second)
        ask(second, run=1)
        assert len(provider.calls) == 3

    usage = Usage(
        calls=3,
        prompt_tokens=300,
        completion_tokens=30,
        cost=0.2 + 0.2 + 0.2,
        sent_tokens=tokens_that_arrived(provider),
    )
    assert first.usage == usage
    assert second.usage == usage


def tokens_that_arrived(provider: FakeProvider) -> int:
    """The tokens of all messages: one for four characters; white space in a row counts as one."""
    tokens = 0
    for call in provider.calls:
        for message in call.request["messages"]:
            text = re.sub(r"\s+", " ", message["content"].strip())
            tokens += len(text) // 4
    return tokens


def test_a_stored_reply_has_its_request_its_tokens_and_its_time(tmp_path: Path) -> None:
    with FakeProvider([said(GOOD, prompt_tokens=11, completion_tokens=5, wait_s=0.2)]) as provider:
        ask(model_of(provider, tmp_path))

    (path,) = tmp_path.iterdir()
    stored = json.loads(path.read_text())
    assert 0.2 <= stored["reply"].pop("latency_s") < 2.0
    assert stored["reply"] == {
        "text": json.dumps(GOOD),
        "finish_reason": "stop",
        "prompt_tokens": 11,
        "completion_tokens": 5,
        "cost": None,
        "model": "m-as-served",
    }
    assert stored["run"] == 0
    assert stored["step"] == "claims"
    assert stored["request"]["messages"] == ASKED


def test_an_unpriced_model_has_no_cost(tmp_path: Path) -> None:
    with FakeProvider([said(GOOD)]) as provider:
        model = model_of(provider, tmp_path, model="openai/m")
        ask(model)

    assert model.usage.cost is None


def test_a_model_has_the_price_that_litellm_knows(tmp_path: Path) -> None:
    with FakeProvider([said(GOOD)]) as provider:
        model = model_of(provider, tmp_path, model="openai/gpt-5.4-mini")
        ask(model)

    # 100 tokens at $0.75 a million, and 10 at $4.50.
    assert model.usage.cost == pytest.approx(100 * 0.75e-6 + 10 * 4.5e-6)


@pytest.mark.parametrize(
    ("bad", "n_answered"),
    [
        pytest.param([failed(500)], 0, id="an error of the server"),
        pytest.param([said("")], 1, id="an empty reply"),
        pytest.param([said("no"), said("no")], 2, id="no JSON twice"),
        pytest.param([said("no"), said("")], 2, id="no JSON and an empty reply"),
    ],
)
def test_a_call_without_a_usable_reply_is_made_again_and_its_cost_counts(
    tmp_path: Path, bad: list[Reply], n_answered: int
) -> None:
    with FakeProvider([*bad, said(GOOD)]) as provider:
        model = model_of(provider, tmp_path, attempts=1, **PRICES)
        with pytest.raises((DeadProviderError, Unscored)):
            ask(model)
        spent_before = model.store.spent()
        assert not list(tmp_path.glob("*.json"))

        reply = ask(model_of(provider, tmp_path, attempts=1, **PRICES))

    assert reply == Judged(status="YES")
    assert spent_before == pytest.approx(0.2 * n_answered)
    assert model.store.spent() == pytest.approx(0.2 * n_answered + 0.2)


# The cost limit


def test_the_limit_stops_before_the_call_that_could_pass_it(tmp_path: Path) -> None:
    # A call costs $0.20. Before it is made, it is counted as $1.007: $1 for its limit of 100 tokens
    # of reply, and $0.007 for a prompt of 19 characters, which may be 7 tokens.
    limited = PRICES | {"max_cost_usd": 1.407}
    message = r"judge fake: \$0.60 spent and up to \$1.01 for the next call"

    with FakeProvider(otherwise=said(GOOD)) as provider:
        # 0.0 + 1.007, 0.2 + 1.007 and 0.4 + 1.007 are within the limit, 0.6 + 1.007 is not.
        for run in range(3):
            ask(model_of(provider, tmp_path, **limited), run=run)

        model = model_of(provider, tmp_path, **limited)
        with pytest.raises(UserError, match=message):
            ask(model, run=3)
        assert len(provider.calls) == 3
        # A stored reply costs nothing.
        assert ask(model, run=2) == Judged(status="YES")


def test_a_limit_without_a_price_stops_before_any_call(tmp_path: Path) -> None:
    message = "max_cost_usd is set and no price of openai/m is known"

    with FakeProvider() as provider, pytest.raises(UserError, match=message):
        ask(model_of(provider, tmp_path, max_cost_usd=1.0))

    assert not provider.calls


# Settings


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        pytest.param({"kind": "provider"}, "judge j: no model", id="a provider without a model"),
        pytest.param(
            {"kind": "embedded", "model": ""}, "judge j: no model", id="an empty name of a model"
        ),
        pytest.param(
            {"kind": "embedded", "model": "m"},
            "judge j: an embedded model without its GGUF file",
            id="an embedded model without its file",
        ),
    ],
)
def test_a_language_model_without_a_model_or_its_file_is_refused(
    entry: dict[str, str], message: str, tmp_path: Path
) -> None:
    with (
        pytest.raises(UserError, match=message),
        language_model(judge_settings("j", entry), tmp_path),
    ):
        pass


def test_importing_a_language_model_and_its_settings_imports_no_large_package() -> None:
    code = (
        "import sys, mechaware.instruments.claims.judges.language_model.model, "
        "mechaware.instruments.claims.judges.settings\n"
        "sys.exit(bool({'litellm', 'openai', 'xllamacpp', 'torch', 'pandas'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
